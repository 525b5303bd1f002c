import { deepEqual, equal, ok } from 'node:assert/strict';
import { resultsIn, weigh } from '../heard.ts';
import type { Scenario, Scene } from '../scene.ts';
import { call, read, say } from '../script.ts';
import { LAST_TOOLS, tellThreeTurns, WHOLE, WITHOUT_TOOLS } from './telling.ts';

export const stripTools: Scenario = {
  name: 'edit --strip-tools while OpenClaw runs',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    const answer = await scene.occ('edit', talk.key, '--strip-tools', '--keep', '1', '--truncate', '0');
    equal(answer.changed, true);
    await talk.tell('fourth question', say('fourth answer'));
    scene.expectHeard('fourth question', [...LAST_TOOLS, 'person: fourth question']);
    expectLighter(scene, 'fourth question', 'third question');
    await scene.expectNoCompaction();
  },
};

export const truncate: Scenario = {
  name: 'edit --truncate while OpenClaw runs',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    await scene.occ('edit', talk.key, '--keep', '3', '--truncate', '70');
    await talk.tell('fourth question', say('fourth answer'));
    scene.expectHeard('fourth question', [...WHOLE, 'person: fourth question']);
    const lengths = resultsIn(scene.requestsOf('fourth question')[0]).map((text) => text.length > 120);
    deepEqual(lengths, [false, false, false, true], 'results that are long');
    await scene.expectNoCompaction();
  },
};

export const cleanTwice: Scenario = {
  name: 'a second clean right after the first changes nothing',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    await scene.occ('edit', talk.key, '--strip-tools=extreme');
    const again = await scene.occ('edit', talk.key, '--strip-tools=extreme');
    equal(again.changed, false);
    await talk.tell('fourth question', say('fourth answer'));
    scene.expectHeard('fourth question', [...WITHOUT_TOOLS, 'person: fourth question']);
    await scene.expectNoCompaction();
  },
};

export const stripStopped: Scenario = {
  name: 'edit --strip-tools while OpenClaw is stopped',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    await scene.gateway.stop();
    await scene.occ('edit', talk.key, '--strip-tools', '--keep', '1', '--truncate', '0');
    await scene.gateway.start();
    await talk.tell('fourth question', say('fourth answer'));
    scene.expectHeard('fourth question', [...LAST_TOOLS, 'person: fourth question']);
    await scene.expectNoCompaction();
  },
};

export const stripLocal: Scenario = {
  name: 'edit --strip-tools between turns of `openclaw agent --local`',
  // Its prompt is another one than the gateway's.
  provokesBound: /bound to a different conversation/,
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    await scene.gateway.stop();
    await talk.tellLocally('fourth question', call(read('small4.txt')), say('fourth answer'));
    await scene.occ('edit', talk.key, '--strip-tools=extreme');
    await talk.tellLocally('fifth question', say('fifth answer'));
    const fourth = ['person: fourth question', 'agent: fourth answer'];
    scene.expectHeard('fifth question', [...WITHOUT_TOOLS, ...fourth, 'person: fifth question']);
    equal(scene.requestsOf('fifth question').length, 1, 'requests of the turn after the edit');
    await scene.expectNoCompaction();
  },
};

function expectLighter(scene: Scene, turn: string, before: string): void {
  const [now, then] = [scene.requestsOf(turn)[0], scene.requestsOf(before).at(-1)];
  ok(then !== undefined && weigh(now) < weigh(then) / 2, 'the conversation is not lighter');
}

/**
 * Sessions of a model whose thinking is bound to what was said before it. Behind a change the provider refuses it, or
 * leaves it out without a word; a clean must leave no such thinking, and a session goes on after it.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BINDING_MODES, type BindingMode } from '../../test/imitations/thinking-binding.ts';
import { BINDING_MODEL } from '../openclaw-home.ts';
import type { Scenario, Scene } from '../scene.ts';
import { call, exec, say } from '../script.ts';
import type { Conversation } from '../stage.ts';
import { openThinking, tellThoughtfulTurns } from './thinking.ts';

const TURNS = 21;

const control = (mode: BindingMode): Scenario => ({
  name: `bound thinking, ${mode}, control: all of it stays in a session that was not cleaned`,
  async run(scene) {
    const talk = await begin(scene, mode);
    await tellThoughtfulTurns(talk, 3);
    await goOn(scene, talk, 'not cleaned');
    equal(scene.requestsOf('not cleaned 2')[0].thoughts?.length, 3 * 3 + 2, 'thinking that was shown');
  },
});

const cleaned = (mode: BindingMode): Scenario => ({
  name: `bound thinking, ${mode}: a session that was cleaned at any preset goes on`,
  async run(scene) {
    const talk = await begin(scene, mode);
    await tellThoughtfulTurns(talk, TURNS);
    for (const preset of ['default', 'aggressive', 'extreme']) {
      const copy = await clone(scene, talk, `--strip-tools=${preset}`);
      await goOn(scene, copy, `clone, ${preset}`);
    }
    equal((await scene.occ('edit', talk.key, '--strip-tools')).changed, true);
    await goOn(scene, talk, 'edited');
    const heard = JSON.stringify(scene.requestsOf('edited 1')[0].messages);
    const answers = Array.from({ length: TURNS }, (_, at) => `answer ${at + 1}"`);
    deepEqual(
      answers.filter((answer) => !heard.includes(answer)),
      [],
      'answers that are lost',
    );
  },
});

const truncated = (mode: BindingMode): Scenario => ({
  name: `bound thinking, ${mode}: a session whose results were cut goes on, and so does a copy`,
  async run(scene) {
    const talk = await begin(scene, mode);
    // Nothing of these turns is changed.
    await talk.tell('opening', call(exec('echo short')), say('hello'));
    await tellThoughtfulTurns(talk, 10);
    const copy = await clone(scene, talk, '--truncate-over', '500');
    await goOn(scene, copy, 'clone, cut');
    equal((await scene.occ('edit', talk.key, '--truncate-over', '500')).changed, true);
    await goOn(scene, talk, 'cut');
    const { thoughts = [] } = scene.requestsOf('cut 1')[0];
    ok(thoughts.length >= 2, 'thinking before the first change is gone');
  },
});

const restored = (mode: BindingMode): Scenario => ({
  name: `bound thinking, ${mode}: a session that was restored goes on, with what was said since the edit`,
  async run(scene) {
    const talk = await begin(scene, mode);
    await tellThoughtfulTurns(talk, 4);
    await scene.occ('edit', talk.key, '--strip-tools=extreme');
    await scene.occ('restore', talk.key);
    await goOn(scene, talk, 'back at once');
    await scene.occ('edit', talk.key, '--strip-tools=extreme');
    await talk.tell('after the edit', call(exec('echo since')), say('done since'));
    await scene.occ('restore', talk.key);
    await goOn(scene, talk, 'back');
    const heard = JSON.stringify(scene.requestsOf('back 1')[0].messages);
    for (const words of ['answer 4', 'seq 301 600', 'echo since', 'done since'])
      ok(heard.includes(words), `${words} is lost`);
  },
});

/** Only there OpenClaw asks that invalid thinking is dropped, and logs it. */
const atAnthropic: Scenario = {
  name: 'bound thinking, at api.anthropic.com: OpenClaw asks for drop_block, and nothing is dropped after an edit and a restore',
  async run(scene) {
    const path = join(scene.home.state, 'openclaw.json');
    const settings = readFileSync(path, 'utf8');
    const { messagesUrl } = scene.model;
    await scene.gateway.stop();
    writeFileSync(path, settings.replace(messagesUrl, 'https://api.anthropic.com'));
    try {
      const preload = pathToFileURL(join(import.meta.dirname, '../at-anthropic.mjs')).href;
      await scene.gateway.start({ NODE_OPTIONS: `--import=${preload}`, OPENBOT_INTEROP_API: messagesUrl });
      const talk = await begin(scene, 'enforce');
      await tellThoughtfulTurns(talk, 3);
      await scene.occ('edit', talk.key, '--truncate-over', '500');
      await goOn(scene, talk, 'cut');
      equal(scene.requestsOf('cut 1')[0].mismatch, 'drop_block');
      await scene.occ('restore', talk.key);
      await goOn(scene, talk, 'back');
    } finally {
      await scene.gateway.stop();
      writeFileSync(path, settings);
    }
  },
};

export const boundThinking: readonly Scenario[] = [
  ...BINDING_MODES.flatMap((mode) => [control, cleaned, truncated, restored].map((make) => make(mode))),
  atAnthropic,
];

async function begin(scene: Scene, mode: BindingMode): Promise<Conversation> {
  scene.model.setBinding(mode);
  await scene.gateway.start();
  return openThinking(scene, undefined, BINDING_MODEL);
}

async function clone(scene: Scene, talk: Conversation, ...args: string[]): Promise<Conversation> {
  const { clonedSessionId } = await scene.occ('clone', talk.key, ...args);
  return openThinking(scene, `agent:main:clone:${String(clonedSessionId)}`, BINDING_MODEL);
}

/** Two turns, each request taken at the first try. */
async function goOn(scene: Scene, talk: Conversation, name: string): Promise<void> {
  const before = scene.model.mark();
  await talk.tell(`${name} 1`, call(exec('echo on')), say('it goes on'));
  await talk.tell(`${name} 2`, say('and on'));
  const requests = [1, 2].map((turn) => scene.requestsOf(`${name} ${turn}`).length);
  const faults = scene.model.faultsSince(before);
  deepEqual({ requests, faults }, { requests: [2, 1], faults: [] }, `requests of the turns '${name}'`);
}

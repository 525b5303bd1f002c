import { equal, ok } from 'node:assert/strict';
import type { Scenario } from '../scene.ts';
import { call, read, say } from '../script.ts';
import { tellThreeTurns, WHOLE, WITHOUT_TOOLS } from './telling.ts';

export const restore: Scenario = {
  name: 'restore: the whole history is back, with what was said since',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    await scene.occ('edit', talk.key, '--strip-tools=extreme');
    await talk.tell('fourth question', call(read('small4.txt')), say('fourth answer'));
    scene.expectHeard('fourth question', [...WITHOUT_TOOLS, 'person: fourth question']);
    await scene.occ('restore', talk.key);
    await talk.tell('fifth question', say('fifth answer'));
    const since = ['person: fourth question', 'call: read', 'result: SMALL-4', 'agent: fourth answer'];
    scene.expectHeard('fifth question', [...WHOLE, ...since, 'person: fifth question']);
    await scene.expectNoCompaction();
  },
};

export const clone: Scenario = {
  name: 'clone: OpenClaw lists it, and a turn in it has the cleaned history',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    const { clonedSessionId } = await scene.occ('clone', talk.key, '--strip-tools=extreme');
    const { sessions } = (await scene.openclaw('sessions', '--json')) as {
      sessions: { key: string; sessionId: string }[];
    };
    const listed = sessions.find((session) => session.sessionId === clonedSessionId);
    ok(listed, `openclaw sessions does not list ${String(clonedSessionId)}`);
    equal(listed.key, `agent:main:clone:${String(clonedSessionId)}`);
    const copy = scene.open(listed.key);
    await copy.tell('question to the clone', say('answer of the clone'));
    scene.expectHeard('question to the clone', [...WITHOUT_TOOLS, 'person: question to the clone']);
    await talk.tell('question to the original', say('answer of the original'));
    scene.expectHeard('question to the original', [...WHOLE, 'person: question to the original']);
    await scene.expectNoCompaction();
  },
};

/**
 * OpenClaw changes messages by saying the rest of the conversation again on a new branch: here, when the provider refuses
 * its earlier thinking. What hung from the old branch is then out of the context.
 */
import { deepEqual, equal, match } from 'node:assert/strict';
import { hear, resultsIn } from '../heard.ts';
import type { Scenario } from '../scene.ts';
import { refuseThinking, say } from '../script.ts';
import { openThinking, tellThoughtfulTurns } from './thinking.ts';

const TURNS = 4;

export const restoreRebranched: Scenario = {
  name: 'restore of a session that OpenClaw branched anew since the edit: every call is heard with its result, or it is refused',
  provokes: /session-recovery/,
  async run(scene) {
    await scene.gateway.start();
    const talk = await openThinking(scene);
    // Its thinking stays, so the new branch begins before all turns that lose their calls.
    await talk.tell('opening', say('hello'));
    await tellThoughtfulTurns(talk, TURNS);
    await scene.occ('edit', talk.key, '--strip-tools', '--keep', '1', '--truncate', '0');
    await talk.tell('after the edit', refuseThinking(), say('thinking was stripped'));
    deepEqual(
      scene.requestsOf('after the edit').map(({ thoughts }) => (thoughts ?? []).length > 0),
      [true, false],
      'requests that showed thinking',
    );
    const refused = await scene.occ('restore', talk.key).then(
      () => undefined,
      (error: Error) => error.message,
    );
    await talk.tell('last question', say('last answer'));
    const [request] = scene.requestsOf('last question');
    const lines = hear(request);
    deepEqual(
      resultsIn(request).filter((text) => text.includes('missing tool result')),
      [],
    );
    equal(lines.filter((line) => line === 'person: after the edit').length, 1, 'said since the edit');
    if (refused === undefined) equal(lines.filter((line) => line.startsWith('call: ')).length, TURNS * 3);
    else match(refused, /branch/);
  },
};

/**
 * OpenClaw changes messages by saying the rest of the conversation again on a new branch: here, when the provider refuses
 * its earlier thinking, twice in one turn. What hung from the old branch is then out of the context.
 */
import { deepEqual, equal } from 'node:assert/strict';
import type { Scenario } from '../scene.ts';
import { call, exec, refuseThinking, say } from '../script.ts';
import { openThinking, tellThoughtfulTurns } from './thinking.ts';

const TURNS = 4;

export const restoreRebranched: Scenario = {
  name: 'restore of a session that OpenClaw branched anew since the edit: every call is heard with its result',
  provokes: /session-recovery/,
  async run(scene) {
    await scene.gateway.start();
    const talk = await openThinking(scene);
    // Its thinking stays, so the new branch begins before all turns that lose their calls.
    await talk.tell('opening', say('hello'));
    await tellThoughtfulTurns(talk, TURNS);
    await scene.occ('edit', talk.key, '--strip-tools', '--keep', '1', '--truncate', '0');
    await talk.tell(
      'after the edit',
      refuseThinking(),
      call(exec('echo since')),
      refuseThinking(),
      say('thinking was stripped'),
    );
    deepEqual(
      scene.requestsOf('after the edit').map(({ thoughts }) => (thoughts ?? []).length > 0),
      [true, false, true, false],
      'requests that showed thinking',
    );
    const { context } = await scene.occ('restore', talk.key);
    equal((context as { complete?: boolean }).complete, true, 'whether the model is given all of it');
    await talk.tell('last question', say('last answer'));
    scene.expectHeard('last question', [
      ...['person: opening', 'agent: hello'],
      ...Array.from({ length: TURNS }, (_, at) => hearThoughtfulTurn(at + 1)).flat(),
      ...['person: after the edit', 'call: exec', 'result: since', 'agent: thinking was stripped'],
      'person: last question',
    ]);
  },
};

function hearThoughtfulTurn(turn: number): string[] {
  return [
    `person: question ${turn}`,
    ...['agent: let me see', 'call: exec', 'result: 1'],
    ...['agent: and this', 'call: exec', 'call: exec', 'result: 301', `result: ${turn}`],
    `agent: answer ${turn}`,
  ];
}

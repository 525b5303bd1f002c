/** Somebody cleans from outside while the agent works. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { hear } from '../heard.ts';
import type { Scenario } from '../scene.ts';
import { call, exec, hold, read, say, usage } from '../script.ts';
import type { Stage } from '../stage.ts';
import { waitForCorrectedFigures } from './figures.ts';
import { LONG_NOTE } from './near-window.ts';
import { tellThreeTurns, WHOLE, WITHOUT_TOOLS } from './telling.ts';

export const activeRun: Scenario = {
  name: 'edit while a turn runs: the run goes on undisturbed, the next turn is clean',
  cannotRun: waitsForEnd,
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    const turn = talk.tell(
      'long work',
      call(read('small4.txt')),
      hold(talk.key),
      call(exec('echo after the edit')),
      say('work done'),
    );
    await scene.waitFor('the model is thinking', () => scene.model.isHeld(talk.key));
    const answer = await scene
      .occ('edit', talk.key, '--strip-tools=extreme')
      .finally(() => scene.model.release(talk.key));
    equal(answer.changed, true);
    equal((await turn).reply, 'work done');

    const work = ['person: long work', 'call: read', 'result: SMALL-4'];
    const more = ['call: exec', 'result: after the edit'];
    // No request twice: OpenClaw begins a turn anew when it cannot write down what it did, and tools run again.
    deepEqual(scene.requestsOf('long work').map(hear), [
      [...WHOLE, 'person: long work'],
      [...WHOLE, ...work],
      [...WHOLE, ...work, ...more],
    ]);
    await talk.tell('fifth question', say('fifth answer'));
    scene.expectHeard('fifth question', [
      ...WITHOUT_TOOLS,
      // The last exchange was unanswered at that time.
      ...work,
      ...more,
      'agent: work done',
      'person: fifth question',
    ]);
    await scene.expectNoCompaction();
  },
};

/** The run ends with the figures of what it has in memory; they must not outlive it. */
export function activeRunNearWindow(tokens: number): Scenario {
  return {
    name: `edit while a turn runs at ${tokens} of 128000: no compaction at the next turn`,
    cannotRun: waitsForEnd,
    async run(scene) {
      await scene.gateway.start();
      const talk = scene.open();
      await tellThreeTurns(talk.tell, 'large');
      const script = [usage(tokens), call(read('large4.txt')), hold(talk.key), say('work done')];
      const turn = talk.tell('long work', ...script);
      await scene.waitFor('the model is thinking', () => scene.model.isHeld(talk.key));
      await scene.occ('edit', talk.key, '--strip-tools=extreme').finally(() => scene.model.release(talk.key));
      await turn;
      await waitForCorrectedFigures(scene, talk.key, tokens);
      await talk.chat('fifth question', LONG_NOTE, say('fifth answer'));
      const work = ['person: long work', 'call: read', 'result: LARGE-4', 'agent: work done'];
      scene.expectHeard('fifth question', [...WITHOUT_TOOLS, ...work, 'person: fifth question']);
      await scene.expectNoCompaction();
    },
  };
}

export const activeRunRefused: Scenario = {
  name: 'edit while a turn runs: refused, and the run goes on undisturbed',
  cannotRun: ({ cleansAtOnce }) => (cleansAtOnce ? 'an edit is made during a run here' : undefined),
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await tellThreeTurns(talk.tell);
    const turn = talk.tell('long work', call(read('small4.txt')), hold(talk.key), say('work done'));
    await scene.waitFor('the model is thinking', () => scene.model.isHeld(talk.key));
    const edit = scene.occ('edit', talk.key, '--strip-tools=extreme');
    await rejects(edit, /SESSION_IN_USE/).finally(() => scene.model.release(talk.key));
    equal((await turn).reply, 'work done');
    await talk.tell('fifth question', say('fifth answer'));
    const work = ['person: long work', 'call: read', 'result: SMALL-4', 'agent: work done'];
    scene.expectHeard('fifth question', [...WHOLE, ...work, 'person: fifth question']);
    await scene.expectNoCompaction();
  },
};

function waitsForEnd({ cleansAtOnce }: Stage): string | undefined {
  return cleansAtOnce ? undefined : 'an edit waits for the end of a run whose model binds thinking';
}

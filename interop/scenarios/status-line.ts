import { deepEqual } from 'node:assert/strict';
import { resultsIn } from '../heard.ts';
import type { Scenario } from '../scene.ts';
import { call, exec, say } from '../script.ts';

export const statusLine: Scenario = {
  name: 'a failed command reads as failed when its output was shortened',
  async run(scene) {
    await scene.gateway.start();
    const talk = scene.open();
    await talk.tell('first question', call(exec('seq 1 300; exit 7')), say('first answer'));
    await talk.tell('second question', call(exec('seq 1 300')), say('second answer'));
    await scene.occ('edit', talk.key, '--keep', '2', '--truncate', '100');
    await talk.tell('third question', say('third answer'));
    const results = resultsIn(scene.requestsOf('third question')[0]);
    deepEqual(
      results.map((text) => ({ isShort: text.length < 300, isFailed: text.includes('exited with code 7') })),
      [
        { isShort: true, isFailed: true },
        { isShort: true, isFailed: false },
      ],
    );
    await scene.expectNoCompaction();
  },
};

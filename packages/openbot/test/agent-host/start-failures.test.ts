import { expect, test } from 'vitest';
import { programOf } from '../../../../test/setup/programs.ts';
import { runWithFewDescriptors } from '../../../../test/setup/without-descriptors.ts';
import { HostPlace } from './host-place.ts';

test('where descriptors have run out, nothing that starts a process ends this one, and the host is begun again', async () => {
  const { stateDir } = new HostPlace();
  const program = programOf(import.meta.dirname, 'start-without-descriptors.ts');
  const { code, output } = await runWithFewDescriptors(program, [stateDir]);
  const [without, after] = JSON.parse(output.trim().split('\n').at(-1)!);
  expect(without).toEqual([
    {
      at: 'down',
      reason: expect.stringMatching(/^it cannot be started: spawn .*EMFILE$/),
      retryAtMs: expect.any(Number),
    },
    expect.stringMatching(/^this could not be finished: its process cannot be started: spawn .*EMFILE$/),
    'spawn /bin/sh EMFILE',
    '5000 characters',
  ]);
  expect(after).toEqual([
    expect.objectContaining({ at: 'up' }),
    expect.stringMatching(/none\.jsonl/),
    { output: '', end: { by: 'exit', code: 7, left: false } },
    '5000 characters',
  ]);
  expect(code).toBe(0);
});

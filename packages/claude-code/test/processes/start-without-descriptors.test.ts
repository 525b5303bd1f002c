import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWithFewDescriptors } from '../../../../test/setup/without-descriptors.ts';

test('where descriptors have run out, git and Claude Code fail with a reason, and the process goes on', async () => {
  const { code, output } = await runWithFewDescriptors(
    join(import.meta.dirname, 'start-without-descriptors.ts'),
  );
  expect({ code, said: JSON.parse(output) }).toMatchObject({
    code: 0,
    said: [
      [
        { kind: 'failed', message: 'spawn /bin/sh EMFILE' },
        'Claude Code cannot be started: too many files are open',
      ],
      [{ kind: 'ended', code: 7 }, 7],
    ],
  });
});

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeOutcome, runCommand } from '../../src/project-status/run-command.ts';
import { makeEnvironment, makeFolder } from './git-repo.ts';

it('a folder that is gone is not taken for a program that is not installed', async () => {
  const command = { program: 'git', args: ['--version'], env: makeEnvironment(), timeoutMs: 60_000 };
  const gone = { ...command, cwd: join(makeFolder(), 'gone') };
  expect(describeOutcome(gone, await runCommand(gone))).toBe('git failed: the folder is gone');
  const missing = { ...command, cwd: makeFolder(), program: 'no-such-program' };
  expect(await runCommand(missing)).toEqual({ kind: 'not-installed' });
});

it('what a program answered counts, though something that it started goes on', async () => {
  const env = makeEnvironment({ gh: `"$NODE" -e 'setInterval(() => {}, 1000)' & printf '[]'` });
  const command = { program: 'gh', args: [], cwd: makeFolder(), env, timeoutMs: 5000 };
  const outcome = await runCommand(command);
  expect(outcome).toMatchObject({ kind: 'ended', code: 0, output: Buffer.from('[]') });
});

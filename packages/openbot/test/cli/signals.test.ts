/** Whoever is waited for, a signal ends the command. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lives, waitFor } from '../setup/command-bench.ts';
import { COMMAND } from '../setup/command-file.ts';
import { makeHome } from '../setup/run-openbot.ts';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s while git takes its time', async (signal) => {
  const home = makeHome();
  const repo = join(home.folder, 'repo');
  mkdirSync(join(repo, '.git'), { recursive: true });
  const programs = join(home.folder, 'programs');
  mkdirSync(programs);
  const pidFile = join(home.folder, 'git.pid');
  writeFileSync(join(programs, 'git'), `#!/bin/sh\necho $$ > '${pidFile}'\nexec sleep 60\n`);
  chmodSync(join(programs, 'git'), 0o755);
  const child = spawn(process.execPath, [...COMMAND, 'cc', 'status', '--repo', repo], {
    env: { ...home.env, PATH: `${programs}:${home.env.PATH}` } as NodeJS.ProcessEnv,
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const pid = await waitFor(
    () => 'git to start',
    () => {
      expect(child.exitCode, 'the command ended before git was started').toBe(null);
      return Number.parseInt(existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : '', 10) || undefined;
    },
  );
  child.kill(signal);
  expect(await ended).toEqual([null, signal]);
  await waitFor(
    () => 'an end of git',
    () => (lives(pid) ? undefined : true),
  );
});

import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { OpenBotError } from '@openbot/sessions';
import { startChild } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';

/**
 * Under load a young generation of less than 16 MB costs up to an eighth of the processor time: what a turn still needs is moved
 * on to the old one. A process that has nothing to do gives it back (idle-memory.ts).
 */
const FLAGS = ['--max-semi-space-size=16', '--disable-warning=ExperimentalWarning'];

/**
 * With a heap for each thread, what one of them frees is not used by the others: 20 MB after some thousand turns. And where no
 * threshold is set, glibc raises it with each large buffer that is freed, and gives nothing back below it: 10 MB.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '262144' };

/**
 * Starts a process of the gateway for a state folder, connected to this one, or rejects. Terminal signals do not reach it.
 */
export async function startProcess(
  command: 'agent-host' | 'gateway-worker',
  { stateDir, env, log }: { readonly stateDir: string; readonly env: Environment; log(line: string): void },
): Promise<ChildProcess> {
  const child = await startChild(process.execPath, [...FLAGS, findLauncher(), command, stateDir], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    cwd: '/',
    env: { ...ALLOCATOR, ...env },
    windowsHide: true,
  });
  createInterface({ input: child.stderr! }).on('line', (line) => log(`${command}: ${line}`));
  return child;
}

/** The file that starts openbot, of the same installation as this module: sources, build or bundle. */
function findLauncher(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const launcher = join(folder, 'bin', 'openbot.js');
    if (existsSync(join(folder, 'package.json')) && existsSync(launcher)) return launcher;
    if (folder === dirname(folder))
      throw new OpenBotError('NOT_BUILT', 'The openbot program was not found beside this module', {
        hint: 'Install openbot as a whole.',
      });
  }
}

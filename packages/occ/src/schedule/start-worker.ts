import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ownIdentity, type ProcessIdentity, readProcessStat, startChild } from '@openbot/sessions/disk';
import { type FiguresToCorrect, isPending, type ScheduledEdit } from '../backups/scheduled-edit.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { EditOperationError } from '../errors.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { changeRecord, recordProcess } from './record.ts';

interface ScheduleRequest {
  /** Of the transcript beside which the journal is. */
  readonly path: string;
  /** Where the session is in one. */
  readonly database?: ScheduledEdit['database'];
  readonly session: Pick<FoundSession, 'source' | 'storage'>;
  readonly toolRemoval: ResolvedToolRemovalOptions;
  readonly keepsOriginal?: boolean;
  /** The edit was made; figures are to be corrected after the run. */
  readonly figures?: FiguresToCorrect;
  readonly runner?: Partial<ProcessIdentity>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Records the task in the journal and starts a detached worker for it, which outlives this process and the run. If a
 * worker already waits for the same task, that worker keeps it; a worker that waits for another task is replaced.
 */
export async function scheduleEdit(request: ScheduleRequest): Promise<{ joined: boolean }> {
  const { path, session, database, toolRemoval, keepsOriginal, figures, runner } = request;
  const launcher = findLauncher();
  const id = randomUUID();
  let joined = false;
  await changeRecord(path, (current) => {
    joined = current !== undefined && isPending(current) && isSameTask(current, request);
    if (joined) return current;
    return {
      id,
      state: 'waiting',
      requestedAt: new Date().toISOString(),
      source: session.source,
      storage: session.storage,
      database,
      toolRemoval,
      keepsOriginal,
      // Until the worker runs: if this process dies first, the task counts as failed.
      process: ownIdentity(),
      runner,
      figures,
    };
  });
  if (joined) return { joined };
  try {
    const args = ['scheduled', path, id];
    const pid = await startDetached(launcher, args, request.env);
    await recordProcess(path, id, { ...ownIdentity(), pid, starttime: readProcessStat(pid)?.starttime });
  } catch (cause) {
    await changeRecord(path, (current) => (current?.id === id ? undefined : current));
    throw new EditOperationError(`Cannot schedule the edit: ${(cause as Error).message}`, {
      hint: 'Nothing was changed; run the edit when the session is idle.',
      cause,
    });
  }
  return { joined };
}

/** Each correction of figures belongs to an edit of its own. */
function isSameTask(current: ScheduledEdit, { toolRemoval, figures }: ScheduleRequest): boolean {
  if (current.figures !== undefined || figures !== undefined) return false;
  const { toolRemoval: other } = current;
  return (
    other.keepTurnsWithTools === toolRemoval.keepTurnsWithTools &&
    other.truncatePercent === toolRemoval.truncatePercent &&
    other.truncateOver === toolRemoval.truncateOver
  );
}

/** The file that starts occ, of the same installation as this module: sources, build or bundle. */
export function findLauncher(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const launcher = join(folder, 'bin', 'occ.js');
    if (existsSync(join(folder, 'package.json')) && existsSync(launcher)) return launcher;
    if (folder === dirname(folder)) break;
  }
  const installed = findInstalled(from);
  if (installed !== undefined) return installed;
  throw new EditOperationError('Cannot schedule the edit: the occ program was not found beside this module', {
    hint: 'Install oc-context-cleaner as a whole, or run the edit when the session is idle.',
  });
}

/** Of the package beside a program that has this module inside. */
function findInstalled(from: string): string | undefined {
  try {
    const entry = createRequire(join(from, 'x.js')).resolve('oc-context-cleaner');
    const launcher = join(dirname(dirname(entry)), 'bin', 'occ.js');
    return existsSync(launcher) ? launcher : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves to the pid of a process in a session of its own: signals to our terminal or process group do not reach it. */
async function startDetached(
  launcher: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const child = await startChild(process.execPath, [launcher, ...args], {
    detached: true,
    stdio: 'ignore',
    // A working folder could not be unmounted.
    cwd: '/',
    env: { ...env },
    windowsHide: true,
  });
  child.unref();
  return child.pid!;
}

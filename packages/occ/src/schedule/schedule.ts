import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { OpenBotError } from '@openbot/sessions';
import { ownIdentity, type ProcessIdentity, readProcessStat } from '@openbot/sessions/disk';
import { type FiguresToCorrect, isPending, type ScheduledEdit } from '../backups/scheduled-edit.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { findLauncher } from './launcher.ts';

/** Names the scheduled edit that a process was started to make. */
export const SCHEDULED_EDIT_VARIABLE = 'OCC_SCHEDULED_EDIT';

/** Begins that name where figures are to be corrected: a process that was replaced must not take itself for one that edits. */
export const FIGURES_PREFIX = 'figures-';

/** Where the scheduled edit of one session is kept. */
export interface ScheduleKeeper {
  read(): Promise<ScheduledEdit | undefined>;
  /** Nobody else changes it in between. */
  change(change: (current: ScheduledEdit | undefined) => ScheduledEdit | undefined): Promise<void>;
}

export interface ScheduleRequest {
  readonly keeper: ScheduleKeeper;
  readonly toolRemoval: ResolvedToolRemovalOptions;
  /** The edit was made; figures are to be corrected after the run. */
  readonly figures?: FiguresToCorrect;
  readonly runner?: Partial<ProcessIdentity>;
  /** The command line of occ that makes the edit at once, without the names of node and occ. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now?: () => Date;
  readonly launcher?: string;
}

/**
 * Starts a process of its own that waits for the end of the run and then edits; it outlives this one and the run. One
 * that waits to do the same is left to it; one that waits to do something else is replaced.
 */
export async function scheduleEdit(request: ScheduleRequest): Promise<{ joined: boolean }> {
  const { keeper, toolRemoval, figures, runner } = request;
  const launcher = request.launcher ?? findLauncher();
  const id = `${figures === undefined ? '' : FIGURES_PREFIX}${randomUUID()}`;
  let joined = false;
  await keeper.change((current) => {
    joined = current !== undefined && isPending(current) && isSameTask(current, request);
    if (joined) return current;
    return {
      id,
      state: 'waiting',
      requestedAt: (request.now?.() ?? new Date()).toISOString(),
      toolRemoval,
      // Until the other process is there: should this one die first, the edit is known to have failed.
      process: ownIdentity(),
      runner,
      figures,
    };
  });
  if (joined) return { joined };
  try {
    const pid = await startDetached(launcher, request.args, {
      ...request.env,
      [SCHEDULED_EDIT_VARIABLE]: id,
    });
    await keeper.change((current) => nameProcess(current, id, identify(pid)));
  } catch (cause) {
    await keeper.change((current) => (current?.id === id ? undefined : current));
    throw new OpenBotError('EDIT_FAILED', `Cannot schedule the edit: ${(cause as Error).message}`, {
      hint: 'Nothing was changed; run the edit when the session is idle.',
      cause,
    });
  }
  return { joined };
}

/** For the process that was started: its own name in the record, should its parent have died before writing it. */
export async function nameOwnProcess(keeper: ScheduleKeeper, id: string): Promise<void> {
  const current = await keeper.read();
  if (current?.id !== id || current.process.pid === process.pid) return;
  await keeper.change((latest) => nameProcess(latest, id, ownIdentity()));
}

function nameProcess(
  current: ScheduledEdit | undefined,
  id: string,
  identity: ProcessIdentity,
): ScheduledEdit | undefined {
  return current?.id === id && current.state === 'waiting' ? { ...current, process: identity } : current;
}

/** Figures of an edit are not those of an edit before it. */
function isSameTask(current: ScheduledEdit, { toolRemoval, figures }: ScheduleRequest): boolean {
  if (current.figures !== undefined || figures !== undefined) return false;
  return isSameRemoval(current.toolRemoval, toolRemoval);
}

function isSameRemoval(a: ResolvedToolRemovalOptions, b: ResolvedToolRemovalOptions): boolean {
  return (
    a.keepTurnsWithTools === b.keepTurnsWithTools &&
    a.truncatePercent === b.truncatePercent &&
    a.truncateOver === b.truncateOver
  );
}

/** Resolves to the pid of a process in a session of its own, which no signal to our terminal or group reaches. */
async function startDetached(
  launcher: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const child = spawn(process.execPath, [launcher, ...args], {
    detached: true,
    stdio: 'ignore',
    // A folder in use could not be unmounted.
    cwd: '/',
    env: { ...env },
    windowsHide: true,
  });
  await once(child, 'spawn');
  child.unref();
  return child.pid!;
}

function identify(pid: number): ProcessIdentity {
  return { ...ownIdentity(), pid, starttime: readProcessStat(pid)?.starttime };
}

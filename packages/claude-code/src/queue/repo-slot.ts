import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import { type HeldLock, inspectLock, isHolderAlive, withLock } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { readOwnMark } from '../processes/marked-processes.ts';
import { type RunNote, readRunNotes } from '../processes/run-note.ts';
import { findRepoKey } from '../repo/resolve-repo.ts';
import { type RepoLocks, tryLock } from './run-locks.ts';

/** The right to run in a repository. */
export interface RepoSlot {
  /** Aborts when the lock is lost. */
  readonly signal: AbortSignal;
  /** Whether another run waits for it. */
  isWanted(): boolean;
  release(): Promise<void>;
}

interface SlotOptions {
  readonly repoPath: string;
  readonly signal: AbortSignal;
  /** Called once with a description of the running process, if there is a wait. */
  readonly onQueued: (behind: string) => void;
}

type Entry = { readonly running: HeldLock } | { readonly queued: HeldLock } | undefined;
type Take = (path: string) => Promise<HeldLock | undefined>;

const LOOK_EVERY_MS = 100;
/** If no run starts in a free repository within this time, the queue is stuck. */
const HANDOVER_MS = 10_000;

/**
 * One run at a time among all processes, and one that waits for it.
 * @throws OpenBotError REPO_BUSY for a third
 */
export async function takeRepoSlot(locks: RepoLocks, options: SlotOptions): Promise<RepoSlot> {
  const entry = await enter(locks, options);
  if ('running' in entry) return makeSlot(entry.running, locks);
  options.onQueued(inspectLock(locks.running)?.description ?? 'a run that just ended');
  try {
    return makeSlot(await waitForEnd(entry.queued, locks, options.signal), locks);
  } finally {
    await entry.queued.release();
  }
}

function makeSlot(running: HeldLock, locks: RepoLocks): RepoSlot {
  return {
    signal: running.signal,
    isWanted: () => isHeld(locks.queued),
    release: () => running.release(),
  };
}

async function enter(locks: RepoLocks, { repoPath, signal }: SlotOptions): Promise<NonNullable<Entry>> {
  const until = performance.now() + HANDOVER_MS;
  for (;;) {
    const entry = await throughDoor(locks, signal, (take) => tryToEnter(locks, take));
    if (entry !== undefined) return entry;
    // Between the end of one run and the start of the next, the repository only seems to be full.
    if (isHeld(locks.running) || performance.now() > until) throw describeFull(locks, repoPath);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** Runs `body` under the door lock. If it fails, or the release of the door does, all locks that it took are released. */
async function throughDoor<T>(
  { door }: RepoLocks,
  signal: AbortSignal,
  body: (take: Take) => Promise<T>,
): Promise<T> {
  const taken: HeldLock[] = [];
  const take: Take = async (path) => {
    const lock = await tryLock(path);
    if (lock !== undefined) taken.push(lock);
    return lock;
  };
  try {
    return await withLock(door, { signal }, () => body(take));
  } catch (error) {
    await Promise.allSettled(taken.map((lock) => lock.release()));
    throw error;
  }
}

async function tryToEnter(locks: RepoLocks, take: Take): Promise<Entry> {
  // The waiting run comes first, even if the repository is free at the moment.
  if (isHeld(locks.queued)) return undefined;
  const running = await take(locks.running);
  if (running !== undefined) return { running };
  const queued = await take(locks.queued);
  return queued === undefined ? undefined : { queued };
}

async function waitForEnd(queued: HeldLock, locks: RepoLocks, signal: AbortSignal): Promise<HeldLock> {
  for (;;) {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    queued.signal.throwIfAborted();
    if (isHeld(locks.running)) continue;
    const running = await throughDoor(locks, signal, async (take) => {
      const lock = await take(locks.running);
      if (lock !== undefined) await queued.release();
      return lock;
    });
    if (running !== undefined) return running;
  }
}

function isHeld(path: string): boolean {
  return inspectLock(path)?.held === true;
}

function describeFull(locks: RepoLocks, repoPath: string): OpenBotError {
  const [running, queued] = [locks.running, locks.queued].map(
    (path) => inspectLock(path)?.description ?? 'just ended',
  );
  return new OpenBotError(
    'REPO_BUSY',
    `Two runs already use ${repoPath}: one is working (${running}), one is waiting (${queued})`,
    { hint: 'Try again when one of them has ended.' },
  );
}

/**
 * A run that waits for a run that it is a part of, directly or through other runs, would wait for itself.
 * @throws OpenBotError REPO_BUSY
 */
export function refuseNestedRun(repoPath: string, env: Environment): void {
  const mark = readOwnMark(env);
  if (mark === undefined) return;
  const repoKey = findRepoKey(repoPath);
  const outer = listOuterRuns(mark, readRunNotes(env)).find((note) => note.repoKey === repoKey);
  if (outer === undefined) return;
  throw new OpenBotError(
    'REPO_BUSY',
    `This run was started from within a run in ${repoPath} (session ${outer.sessionId}) and would wait for itself`,
    { hint: 'Do the work in that session, or leave it to a subagent of it.' },
  );
}

/** From the innermost outwards, up to the first whose process has ended. */
function listOuterRuns(mark: string, notes: readonly RunNote[]): RunNote[] {
  const byMark = new Map(notes.map((note) => [note.mark, note]));
  const outer: RunNote[] = [];
  for (let at = byMark.get(mark); at !== undefined; at = byMark.get(at.insideOf ?? '')) {
    if (isHolderAlive(at.runner) === 'dead') break;
    outer.push(at);
    byMark.delete(at.mark);
  }
  return outer;
}

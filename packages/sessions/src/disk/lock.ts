import { randomUUID } from 'node:crypto';
import { chmodSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '../errors.ts';
import { isProgressWanted, reportProgress } from '../progress.ts';
import { resolveFolderLinks } from './canonical-path.ts';
import { makeFolder } from './folders.ts';
import { type HeldLock, holdLock, WANTED } from './held-lock.ts';
import { describeHolder, lockTimeout } from './inspect-lock.ts';
import {
  claimStaleLock,
  createLockFile,
  DEFAULT_STALE_MS,
  formatLockRecord,
  isSameLock,
  judgeLock,
  type LockFile,
  type LockSnapshot,
  readLockSnapshot,
} from './lock-file.ts';
import { endStreak, isInsideLock, runLocked, shouldStepBack, takeTurn } from './lock-queue.ts';
import { sweepLeftovers, sweepLeftoversIfCheap } from './sweep-leftovers.ts';

/** Waits for the lock and takes it. Makes the folder if it is missing. Prefer `withLock`, which cannot forget to let go. */
export function acquireLock(lockPath: string, options: LockOptions = {}): Promise<HeldLock> {
  return acquire(resolveFolderLinks(lockPath), options);
}

async function acquire(path: string, options: LockOptions): Promise<HeldLock> {
  if (isInsideLock(path)) {
    throw new OpenBotError('INVALID_ARGUMENT', `The caller already holds the lock ${path}`, {
      hint: 'Use withLock, which may be nested; acquireLock would wait for itself.',
    });
  }
  const { signal } = options;
  const limits = readLockLimits(options);
  const started = performance.now();
  signal?.throwIfAborted();
  const giveUp = () => lockTimeout(path, limits.timeoutMs, readLockSnapshot(path));
  const endTurn = await takeTurn(path, limits.timeoutMs, signal, giveUp);
  try {
    const token = randomUUID();
    const file = await waitForFile(path, token, limits, started, signal);
    return holdLock(file, token, limits, endTurn);
  } catch (error) {
    endTurn();
    throw error;
  }
}

async function waitForFile(
  path: string,
  token: string,
  limits: LockLimits,
  started: number,
  signal: AbortSignal | undefined,
): Promise<LockFile> {
  const { timeoutMs, pollIntervalMs, staleMs, maxHoldMs } = limits;
  if (shouldStepBack(path)) await stepBack(path, pollIntervalMs);
  const isStale = staleJudge(staleMs, timeoutMs);
  const reportWait = waitReporter(path);
  let judgedAt = Number.NEGATIVE_INFINITY;
  let crashed = false;
  // Most locks are free, and making one says so.
  let isThere = false;
  const look = () => attempt(path, () => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
  for (; ; isThere = look()) {
    signal?.throwIfAborted();
    if (!isThere) {
      const file = await createInFolder(path, formatLockRecord(token, new Date(), maxHoldMs));
      if (file !== undefined) {
        reportWait(undefined, 0);
        if (crashed) sweepLeftovers(dirname(path), staleMs);
        else sweepLeftoversIfCheap(dirname(path), staleMs);
        return file;
      }
    }
    // Whether it is there is asked at every look; who holds it, and whether that process lives, costs more.
    if (performance.now() - judgedAt >= Math.min(pollIntervalMs, JUDGE_EVERY_MS)) {
      judgedAt = performance.now();
      endStreak(path);
      const seen = attempt(path, () => readLockSnapshot(path));
      if (seen === undefined) continue;
      if (!isStale(seen)) {
        askForTurn(seen, path);
        reportWait(seen, judgedAt - started);
      } else if (attempt(path, () => claimStaleLock(path, seen, staleMs))) {
        crashed = true;
        continue;
      }
    }
    const waited = performance.now() - started;
    if (waited >= timeoutMs) throw lockTimeout(path, timeoutMs, readLockSnapshot(path));
    await pause(Math.min(nextPoll(pollIntervalMs, waited), timeoutMs - waited), signal);
  }
}

/** Finding out who holds a lock costs more than looking whether it is there, so it is done once a second. */
function waitReporter(path: string): (lock: LockSnapshot | undefined, waitedMs: number) => void {
  let nextAt = REPORT_EVERY_MS;
  return (lock, waitedMs) => {
    if (lock === undefined) {
      if (nextAt > REPORT_EVERY_MS) reportProgress({ waitingFor: undefined });
    } else if (waitedMs >= nextAt && isProgressWanted()) {
      nextAt = waitedMs + REPORT_EVERY_MS;
      reportProgress({ waitingFor: `${describeHolder(lock)}, which holds the lock ${path}` });
    }
  };
}

const REPORT_EVERY_MS = 1000;

/** The clock may have jumped: an age counts only for a lock that also stays there while we look. */
function staleJudge(staleMs: number, timeoutMs: number): (lock: LockSnapshot) => boolean {
  let suspect: { lock: LockSnapshot; since: number } | undefined;
  return (lock) => {
    const verdict = judgeLock(lock, staleMs, Date.now());
    if (verdict !== 'aged') return verdict === 'dead';
    if (!suspect || !isSameLock(suspect.lock, lock)) suspect = { lock, since: performance.now() };
    return performance.now() - suspect.since >= Math.min(CONFIRM_MS, timeoutMs / 4);
  };
}

const CONFIRM_MS = 1000;
const JUDGE_EVERY_MS = 25;

async function createInFolder(path: string, record: string): Promise<LockFile | undefined> {
  try {
    return createLockFile(path, record);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw lockFailed(path, error);
  }
  await makeFolder(dirname(path)).catch((error) => {
    throw lockFailed(path, error);
  });
  return attempt(path, () => createLockFile(path, record));
}

function attempt<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw lockFailed(path, error);
  }
}

function lockFailed(path: string, cause: unknown): OpenBotError {
  return new OpenBotError('LOCK_FAILED', `Cannot create the lock ${path}: ${(cause as Error).message}`, {
    hint: 'Check that its folder exists and is writable, and that the disk is not full.',
    cause,
  });
}

// The longer a process waits, the more often it looks: none starves among many.
function nextPoll(pollIntervalMs: number, waitedMs: number): number {
  const share = waitedMs < 1000 ? 1 : waitedMs < 3000 ? 0.5 : 0.2;
  return Math.max(1, pollIntervalMs * share * (0.75 + Math.random() / 2));
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal ? { signal } : {});
  } catch {
    signal?.throwIfAborted();
  }
}

async function stepBack(path: string, pollIntervalMs: number): Promise<void> {
  const until = performance.now() + 1.25 * pollIntervalMs;
  while (performance.now() < until && lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    await sleep(1);
  }
}

function askForTurn(seen: LockSnapshot, path: string): void {
  if (seen.holder.token === undefined) return;
  try {
    chmodSync(path, 0o600 | WANTED);
  } catch {
    // Another user's lock, or gone by now.
  }
}

/**
 * Runs `body` while the lock is held. A nested call on the same lock in the same async flow runs inside the lock that is
 * already held, instead of waiting for itself; several nested calls at once run one after another.
 */
export function withLock<T>(
  lockPath: string,
  options: LockOptions,
  body: (lock: HeldLock) => T | Promise<T>,
): Promise<T> {
  return withResolvedLock(resolveFolderLinks(lockPath), options, body);
}

/** The same for a path that `resolveFolderLinks` gave. */
export function withResolvedLock<T>(
  path: string,
  options: LockOptions,
  body: (lock: HeldLock) => T | Promise<T>,
): Promise<T> {
  return runLocked(path, () => acquire(path, options), body);
}

export interface LockOptions {
  /** How long to wait before LOCK_TIMEOUT. 10 s. */
  timeoutMs?: number;
  /** How often to look while another process holds it; a caller that waited for seconds looks more often. 25 ms. */
  pollIntervalMs?: number;
  /** From this age a lock whose holder cannot be checked counts as left behind. 30 s. */
  staleMs?: number;
  /** After this time the lock is let go and `signal` aborts, finished or not. Unlimited. */
  maxHoldMs?: number;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

interface LockLimits {
  timeoutMs: number;
  pollIntervalMs: number;
  staleMs: number;
  maxHoldMs: number | undefined;
}

/** The times of a lock, the missing ones filled in. */
export function readLockLimits(options: LockOptions): LockLimits {
  const limits = {
    timeoutMs: options.timeoutMs ?? 10_000,
    pollIntervalMs: options.pollIntervalMs ?? 25,
    staleMs: options.staleMs ?? DEFAULT_STALE_MS,
    maxHoldMs: options.maxHoldMs,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined && !(value >= 0)) {
      throw new OpenBotError('INVALID_ARGUMENT', `${name} must be a number of milliseconds, got ${value}`);
    }
  }
  return limits;
}

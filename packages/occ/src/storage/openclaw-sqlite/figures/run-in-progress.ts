import { readFileSync, statSync } from 'node:fs';
import type { SessionEntry } from '@openbot/sessions';
import { type ProcessIdentity, readProcessStat } from '@openbot/sessions/disk';
import {
  readEntriesOfSession,
  readOpenclawDatabase,
  readTranscriptVersion,
} from '@openbot/sessions/openclaw-database';
import type { RunState } from '../../../backups/scheduled-edit.ts';
import { findRunner, identify } from '../../../in-use/ancestors.ts';
import { listOpenWriters } from '../../../in-use/open-writers.ts';
import { readCounters } from '../../../rewrite/counters.ts';
import type { FoundSession } from '../../contract/found-session.ts';
import type { OwnRun } from '../../contract/use.ts';

export interface SessionSnapshot {
  readonly generation: string | null;
  readonly lastSeq: number;
  /** Undefined if no key leads to the session: it was deleted, or its key was reset. */
  readonly run: RunState | undefined;
  readonly entries: readonly SessionEntry[];
}

export function readSnapshot(database: string, sessionId: string): SessionSnapshot {
  return readOpenclawDatabase(database, (open) => {
    const { generation, lastSeq } = readTranscriptVersion(open, sessionId);
    const entries = readEntriesOfSession(open, sessionId);
    return { generation, lastSeq, run: entries.length === 0 ? undefined : readRunState(entries), entries };
  });
}

/** Changes with every write to the database; undefined if the database is gone. */
export function glanceAt(database: string): string | undefined {
  const [main, wal] = [database, `${database}-wal`].map((path) =>
    statSync(path, { throwIfNoEntry: false, bigint: true }),
  );
  return main && `${main.mtimeNs} ${main.size} ${wal?.mtimeNs} ${wal?.size}`;
}

/** A run by the gateway sets the status; a run without the gateway only shows as the last writer. */
function readRunState(entries: readonly SessionEntry[]): RunState {
  const running = entries.find(({ status }) => status === 'running');
  const entry = running ?? entries[0]!;
  const { lifecycleRunId, activeWriterRunId } = entry as Readonly<Record<string, unknown>>;
  const runId = [lifecycleRunId, activeWriterRunId].find((id) => typeof id === 'string');
  return { isRunning: running !== undefined, runId, counters: JSON.stringify(readCounters(entry)) };
}

/** What happened to a run since `then`. `next`: it is over, and another run has begun. */
export function judgeRun(then: RunState, now: RunState): 'continues' | 'over' | 'next' {
  if (now.isRunning) return now.runId === then.runId ? 'continues' : 'next';
  if (then.isRunning) return 'over';
  if (now.runId !== then.runId) return 'next';
  // They are written at the end.
  return now.counters === then.counters ? 'continues' : 'over';
}

export interface RunInProgress {
  /** From the session's entry. */
  readonly run: RunState | undefined;
  /** The process whose end is the end of the run, if it is known. Otherwise only the entry shows the end. */
  readonly runner: Partial<ProcessIdentity> | undefined;
  readonly isInRun: boolean;
}

/**
 * Whether a run of the session is in progress. A gateway that died leaves an entry that says so: the entry does not
 * count if no process exists that could be at work.
 */
export function findRunInProgress({ path, sessionId }: FoundSession, ownRun: OwnRun): RunInProgress {
  const { run, entries } = readSnapshot(path, sessionId);
  const isOwn = ownRun !== 'no';
  if (!isOwn && !run?.isRunning) return { run, runner: undefined, isInRun: false };
  // The process above us may only run commands for the agent, so a process that has the database open comes first.
  const runner = findRunProcess(path, entries) ?? findRunner({ kind: 'unfinished', ageMs: 0, ownRun });
  return { run, runner, isInRun: isOwn || runner !== undefined || !canInspectWriters(path) };
}

/** Only called if something indicates a run, so it may take long. */
const SEARCH_MS = 2000;

/**
 * A process that may run the session: it has the database open for writing. A process that started after the run did
 * is not its process, such as a gateway that was restarted after a crash.
 */
export function findRunProcess(
  database: string,
  entries: readonly SessionEntry[],
): Partial<ProcessIdentity> | undefined {
  const since = readRunStart(entries);
  const writer = listOpenWriters(database, SEARCH_MS).find(({ pid }) => !startedAfter(pid, since));
  return writer && identify(writer.pid);
}

/** Processes of other users cannot be inspected: for those, finding no writer proves nothing. */
function canInspectWriters(database: string): boolean {
  if (process.platform !== 'linux') return false;
  const user = process.geteuid?.();
  return user === 0 || user === statSync(database, { throwIfNoEntry: false })?.uid;
}

/**
 * Undefined if not known. A gateway resumes a run that another gateway left unfinished, and the entry may then hold the
 * start of the first.
 */
function readRunStart(entries: readonly SessionEntry[]): number | undefined {
  const running = entries.filter(({ status }) => status === 'running');
  const starts = running.map((entry) => {
    const { startedAt, abortedLastRun, mainRestartRecovery } = entry as Readonly<Record<string, unknown>>;
    const isResumed = mainRestartRecovery !== undefined && abortedLastRun !== true;
    return isResumed || typeof startedAt !== 'number' ? Number.NaN : startedAt;
  });
  const latest = Math.max(...starts);
  return Number.isFinite(latest) ? latest : undefined;
}

/** The clock may have been set between the start of the run and now. */
const TOLERANCE_MS = 2000;
/** Of the times in /proc, on all that Node runs on. */
const TICKS_PER_SECOND = 100;

function startedAfter(pid: number, since: number | undefined): boolean {
  const started = since === undefined ? undefined : readStartOfProcess(pid);
  return started !== undefined && started > since! + TOLERANCE_MS;
}

/**
 * In ms. The uptime in /proc may be that of a container, and `timeOrigin` is a moment after our own start: both can
 * only be too late.
 */
function readStartOfProcess(pid: number): number | undefined {
  const [ticks, ownTicks] = [pid, process.pid].map((each) => readProcessStat(each)?.starttime);
  if (ticks === undefined || ownTicks === undefined) return undefined;
  const sinceOurs = performance.timeOrigin + toMs(ticks - ownTicks);
  return Math.min(sinceOurs, readSystemStart() + toMs(ticks));
}

function toMs(ticks: number): number {
  return (ticks / TICKS_PER_SECOND) * 1000;
}

function readSystemStart(): number {
  try {
    const seconds = Number.parseFloat(readFileSync('/proc/uptime', 'latin1'));
    return Number.isFinite(seconds) ? Date.now() - seconds * 1000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** A session of which only its place is known. */
export function sessionInDatabase(path: string, sessionId: string): FoundSession {
  return {
    sessionId,
    agentId: null,
    source: 'openclaw',
    path,
    storage: 'sqlite',
    cwd: null,
    updatedAt: 0,
    sizeBytes: 0,
  };
}

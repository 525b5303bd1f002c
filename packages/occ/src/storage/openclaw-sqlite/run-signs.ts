import type { SessionEntry } from '@openbot/sessions';
import {
  readEntriesOfSession,
  readOpenclawDatabase,
  readTranscriptVersion,
} from '@openbot/sessions/openclaw-database';
import type { RunSigns } from '../../backups/scheduled-edit.ts';
import { readCounters } from '../../rewrite/counters.ts';

/** A session in a database at one moment. */
export interface SeenSession {
  readonly generation: string | null;
  readonly lastSeq: number;
  /** Undefined where no key leads to the session: it was deleted, or reset to another one. */
  readonly run: RunSigns | undefined;
  /** All that is written of it beside its lines. */
  readonly entries: readonly SessionEntry[];
}

export function lookAtSession(database: string, sessionId: string): SeenSession {
  return readOpenclawDatabase(database, (open) => {
    const { generation, lastSeq } = readTranscriptVersion(open, sessionId);
    const entries = readEntriesOfSession(open, sessionId);
    return { generation, lastSeq, run: entries.length === 0 ? undefined : readRunSigns(entries), entries };
  });
}

/** A run that the gateway makes shows in the status; one without the gateway only as the last writer. */
export function readRunSigns(entries: readonly SessionEntry[]): RunSigns {
  const running = entries.find(({ status }) => status === 'running');
  const entry = running ?? entries[0]!;
  const { lifecycleRunId, activeWriterRunId } = entry as Readonly<Record<string, unknown>>;
  const runId = [lifecycleRunId, activeWriterRunId].find((id) => typeof id === 'string');
  return {
    isRunning: running !== undefined,
    ...(runId === undefined ? {} : { runId: runId as string }),
    counters: JSON.stringify(readCounters(entry)),
  };
}

/**
 * When the run began that the entries tell of; undefined where that is not known. A gateway takes up a run that one before
 * it left unfinished, and the entry may then have the time of that one.
 */
export function readRunStart(entries: readonly SessionEntry[]): number | undefined {
  const running = entries.filter(({ status }) => status === 'running');
  const starts = running.map((entry) => {
    const { startedAt, abortedLastRun, mainRestartRecovery } = entry as Readonly<Record<string, unknown>>;
    const isTakenUp = mainRestartRecovery !== undefined && abortedLastRun !== true;
    return isTakenUp || typeof startedAt !== 'number' ? Number.NaN : startedAt;
  });
  const latest = Math.max(...starts);
  return Number.isFinite(latest) ? latest : undefined;
}

/** What became of a run: `next`, it is over, and another one is at work. */
export function judgeRun(then: RunSigns, now: RunSigns): 'goes on' | 'over' | 'next' {
  if (now.isRunning) return now.runId === then.runId ? 'goes on' : 'next';
  if (then.isRunning) return 'over';
  if (now.runId !== then.runId) return 'next';
  // They are written at the end.
  return now.counters === then.counters ? 'goes on' : 'over';
}

import { statSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { fileFollowing } from 'oc-context-cleaner';
import { type IndexDatabase, openIndexDatabase } from '../index-db/index-database.ts';
import { resolveIndexPath } from '../index-db/index-path.ts';
import type { TranscriptRef, Transcripts } from '../transcripts/contract.ts';
import { locateTranscript } from '../transcripts/locate-transcript.ts';
import { indexSession, SMALL_BATCH_BYTES } from './index-session.ts';
import { channelOf } from './session-source.ts';
import { shareTransactions } from './share-transactions.ts';
import { findFile, type SessionAddressInIndex } from './write-session.ts';

export interface IndexFeedOptions {
  readonly stateDir: string;
  readonly env: Environment;
  readonly transcripts: Pick<Transcripts, 'onUpdate'>;
  storePathOf(agentId: string): string;
  /** Called once for each kind of trouble. */
  readonly report: (message: string, cause?: unknown) => void;
  /** Also reads what other processes wrote before: for one that stays. */
  readonly catchesUp: boolean;
}

export interface IndexFeed {
  /** Resolves when what was said is in the index, or cannot be. Never rejects. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The lines of one turn come together, and where many talk those of several: the longer it takes, the longer is the pause, so
 * that it stays a small part of what the process does. A search of this process may miss what is newer.
 */
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
const PAUSE_PER_WORK = 40;
/** Sessions whose lines share a transaction. */
const MOST_TOGETHER = 25;
/** A turn does not wait for it, but the end of a command does. */
const WAIT_MS = 1000;
/** So does the end of a bot: what is left is read by the next catch-up. */
const CLOSE_MS = 1000;
/** A process that soon ends leaves longer ones to the next search: reading them takes longer than its turn. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Writes what this process appends to transcripts into the index, soon after it. No failure reaches the caller: what is not
 * written now is read by the next catch-up.
 */
export function feedIndex(options: IndexFeedOptions): IndexFeed {
  const { stateDir, env, transcripts, storePathOf, catchesUp } = options;
  const waiting = new Map<string, TranscriptRef>();
  const reported = new Set<string>();
  let database: Promise<IndexDatabase> | undefined;
  let working: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = PAUSE_MS;
  let isBehind = catchesUp;
  const closing = new AbortController();
  const late = new AbortController();

  const report = (message: string, cause?: unknown) => {
    if (reported.has(message)) return;
    reported.add(message);
    options.report(message, cause);
  };
  const work = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    working = working.then(feed).catch((error: unknown) => {
      // Another process may hold it, or make it anew: the next one reads what is missing.
      isBehind = catchesUp;
      if (error instanceof OpenBotError && error.code === 'INDEX_REPLACED') return;
      const why = error instanceof Error ? error.message : String(error);
      report(`${why}. Search is behind until this is mended; conversations go on.`, error);
    });
    return working;
  };
  const feed = async () => {
    if (waiting.size === 0 && !isBehind) return;
    database ??= openIndexDatabase(resolveIndexPath(stateDir, env), {
      report: ({ message }) => report(message),
      waitMs: WAIT_MS,
      leaveAlone: ['locked'],
    });
    const opened = await database.catch((error: unknown) => {
      database = undefined;
      throw error;
    });
    const begunAt = performance.now();
    while (waiting.size > 0) {
      const some = [...waiting].slice(0, MOST_TOGETHER);
      for (const [path] of some) waiting.delete(path);
      await feedSessions(opened, some);
    }
    const workMs = performance.now() - begunAt;
    pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, PAUSE_PER_WORK * workMs));
    if (!isBehind) return;
    isBehind = false;
    const { catchUpState } = await import('./catch-up-state.ts');
    await catchUpState(opened, stateDir, env, closing.signal);
  };

  const feedSessions = async (opened: IndexDatabase, some: readonly [string, TranscriptRef][]) => {
    const shared = some.length === 1 ? opened : shareTransactions(opened);
    const batches = { batchBytes: SMALL_BATCH_BYTES / some.length, signal: late.signal };
    const fed = some.map(async ([path, ref]) => {
      const session = describe(stateDir, path, ref);
      if (!catchesUp && (await isLong(shared, session.session))) return;
      await indexSession(shared, session, fileFollowing, batches);
    });
    // All of them: the next ones must not overtake one that goes on.
    const failed = (await Promise.allSettled(fed)).find(({ status }) => status === 'rejected');
    if (failed?.status !== 'rejected') return;
    if (some.length === 1) throw failed.reason;
    // One that fails takes the others of its transaction along, so each gets its own.
    const faults: unknown[] = [];
    for (const one of some) await feedSessions(opened, [one]).catch((error) => faults.push(error));
    if (faults.length > 0) throw faults[0];
  };

  const end = transcripts.onUpdate((ref) => {
    const { agentId } = ref;
    waiting.set(locateTranscript({ stateDir, agentId, storePath: storePathOf(agentId) }, ref), ref);
    timer ??= setTimeout(work, pauseMs).unref();
  });
  if (catchesUp) timer = setTimeout(work, PAUSE_MS).unref();
  return {
    settled: work,
    close: async () => {
      end();
      isBehind = false;
      closing.abort();
      const deadline = setTimeout(() => late.abort(), CLOSE_MS);
      if (waiting.size > 0) await work();
      else await working;
      clearTimeout(deadline);
      clearTimeout(timer);
      (await database?.catch(() => undefined))?.close();
    },
  };
}

/** Whether much of a session is not in the index yet. */
async function isLong(database: IndexDatabase, session: SessionAddressInIndex): Promise<boolean> {
  const size = statSync(session.path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= MOST_BYTES) return false;
  const known = await database.read(() => findFile(database, session));
  return size - (known?.place.position ?? 0) > MOST_BYTES;
}

function describe(stateDir: string, path: string, { agentId, sessionId, sessionKey }: TranscriptRef) {
  const traits = { sessionId, agentId, sessionKey, channel: channelOf(sessionKey), label: null, title: null };
  return {
    session: { path, sessionId, source: 'openclaw' as const },
    traits,
    of: { source: 'openbot' as const, root: stateDir },
  };
}

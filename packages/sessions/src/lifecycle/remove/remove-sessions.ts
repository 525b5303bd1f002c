import type { LockOptions } from '../../disk/lock.ts';
import { OpenBotError } from '../../errors.ts';
import { isSessionId } from '../../layout/safe-id.ts';
import type { StoreDraft, StoredEntry, StoredSession } from '../../store/contract.ts';
import type { AgentSessions } from '../agent-sessions.ts';
import { listTranscripts, withTranscriptLocks } from '../archive/archive-transcript.ts';
import { type PendingArchive, readPendingArchives, withPendingArchives } from '../archive/pending-archive.ts';
import { archivePending, findTranscripts, settlePending } from '../archive/retire-session.ts';
import { TranscriptUses } from '../archive/transcript-uses.ts';
import type { EntrySource } from '../locate-entry.ts';

interface RemovedSession {
  sessionKey: string;
  sessionId: string;
  /** Archives that were made of its transcripts. */
  archived: string[];
  /** Why the session is still there: its transcript could not be archived. */
  error?: OpenBotError;
}

interface Removal {
  /** Names the sessions to remove. Asked once more, of the draft, when their transcripts are locked. */
  select: (source: EntrySource) => Promise<readonly StoredSession[]>;
  at: number;
  keepTranscript: boolean;
  lock?: LockOptions;
}

/** How many entries are marked at once, and their transcripts locked. */
const BATCH = 64;

/**
 * Removes sessions, each in four steps: locks its transcripts, marks its entry, archives the transcripts, and, when the
 * locks are let go, takes the entry out. One whose transcript is in use or cannot be archived stays as it was, and so does one that is no longer to be
 * removed, or got another transcript, once the locks are held. After a crash a marked entry counts as gone, and the next
 * call that meets it finishes.
 */
export async function removeSessions(agent: AgentSessions, removal: Removal): Promise<RemovedSession[]> {
  const due = await removal.select(agent.store);
  const removed: RemovedSession[] = [];
  for (let at = 0; at < due.length; at += BATCH) {
    const batch = due.slice(at, at + BATCH);
    const refused = new Map<string, OpenBotError>();
    const note = (path: string, error: OpenBotError) => void refused.set(path, error);
    const archiving = await withTranscriptsOf(agent, batch, removal, note, async (pathsOf) => {
      const free = batch.filter(({ key: sessionKey, entry: { sessionId } }) => {
        const busy = pathsOf.get(sessionKey)!.find((path) => refused.has(path));
        if (busy !== undefined) {
          removed.push({ sessionKey, sessionId, archived: [], error: refused.get(busy)! });
        }
        return busy === undefined;
      });
      const marked = await agent.store.updateMany(async (draft) => {
        const { locked } = await selectAgain(draft, free, removal);
        return markSessions(draft, locked, removal);
      });
      return archiveMarked(agent, marked, removal.lock);
    });
    removed.push(...(await settle(agent, archiving)));
  }
  return removed;
}

// Each attempt fails only because another process made progress.
const MOST_ATTEMPTS = 50;

/** As removeSessions, but all of them or, while a transcript is in use, none; it fails then. */
export async function removeTogether(agent: AgentSessions, removal: Removal): Promise<RemovedSession[]> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const due = await removal.select(agent.store);
    const archiving = await withTranscriptsOf(agent, due, removal, giveUp, async () => {
      const marked = await agent.store.updateMany(async (draft) => {
        const { locked, isAll } = await selectAgain(draft, due, removal);
        return isAll ? markSessions(draft, locked, removal) : undefined;
      });
      return marked && archiveMarked(agent, marked, removal.lock);
    });
    if (archiving !== undefined) return settle(agent, archiving);
  }
  throw new OpenBotError('STORE_CONFLICT', 'The session to remove was replaced repeatedly', {
    hint: 'Nothing was changed. Try again.',
  });
}

function giveUp(_path: string, error: OpenBotError): void {
  throw error;
}

async function withTranscriptsOf<T>(
  agent: AgentSessions,
  sessions: readonly StoredSession[],
  { keepTranscript, lock }: Removal,
  onRefused: (path: string, error: OpenBotError) => void,
  body: (pathsOf: ReadonlyMap<string, readonly string[]>) => Promise<T>,
): Promise<T> {
  const transcripts = await listTranscripts(agent.folder);
  const pathsOf = new Map<string, readonly string[]>();
  for (const { key, entry } of sessions) {
    const hasTranscript = !keepTranscript && isSessionId(entry.sessionId);
    pathsOf.set(key, hasTranscript ? findTranscripts(agent, entry, transcripts) : []);
  }
  const paths = [...new Set([...pathsOf.values()].flat())];
  return withTranscriptLocks(paths, lock, onRefused, () => body(pathsOf));
}

/** Which sessions are to be removed by now, of those whose transcripts are locked; whether that is all of them. */
async function selectAgain(
  draft: StoreDraft,
  before: readonly StoredSession[],
  { select }: Removal,
): Promise<{ locked: StoredSession[]; isAll: boolean }> {
  const due = await select(draft);
  const entries = new Map(before.map(({ key, entry }) => [key, entry]));
  const locked = due.filter(({ key, entry }) => {
    const then = entries.get(key);
    return then?.sessionId === entry.sessionId && then.sessionFile === entry.sessionFile;
  });
  return { locked, isAll: locked.length === due.length };
}

function markSessions(draft: StoreDraft, sessions: readonly StoredSession[], removal: Removal): Marked[] {
  const uses = new TranscriptUses(draft.list());
  return sessions.map((session) => {
    const { key, entry } = session;
    uses.drop(entry);
    const marks = planMarks(entry, removal.at, removal.keepTranscript || uses.has(entry));
    if (marks.length === 0) draft.delete(key);
    else draft.set(key, withPendingArchives(entry, marks));
    return { session, marks };
  });
}

interface Marked {
  session: StoredSession;
  marks: PendingArchive[];
}

/** The entry's own mark first. None where there is nothing to archive. */
function planMarks(entry: StoredEntry, at: number, keepTranscript: boolean): PendingArchive[] {
  const { sessionId, sessionFile } = entry;
  if (!isSessionId(sessionId)) return [];
  const earlier = readPendingArchives(entry);
  const begun = earlier.find((one) => one.reason === 'deleted' && one.sessionId === sessionId);
  if (begun !== undefined) return [begun, ...earlier.filter((one) => one !== begun)];
  if (keepTranscript && earlier.length === 0) return [];
  const own: PendingArchive = { sessionId, sessionFile, reason: 'deleted', at };
  return [keepTranscript ? { ...own, keepTranscript } : own, ...earlier];
}

interface Archived {
  removed: RemovedSession[];
  settled: ReadonlyMap<string, readonly PendingArchive[]>;
  spared: readonly StoredSession[];
}

/** Archives what the marks name, as far as it can be. */
async function archiveMarked(
  agent: AgentSessions,
  marked: readonly Marked[],
  lock: LockOptions | undefined,
): Promise<Archived> {
  const transcripts = await listTranscripts(agent.folder);
  const removed: RemovedSession[] = [];
  const settled = new Map<string, PendingArchive[]>();
  const spared: StoredSession[] = [];
  for (const { session, marks } of marked) {
    const { outcome, done } = await archiveMarks(agent, session, marks, transcripts, lock);
    removed.push(outcome);
    // What was begun is finished by a later call: half of a session must not come back.
    if (outcome.error !== undefined && outcome.archived.length === 0) spared.push(session);
    else if (marks.length > 0) settled.set(session.key, done);
  }
  return { removed, settled, spared };
}

/**
 * Takes the entries out, or the marks of those that could not be archived. The locks are let go before: of a process
 * that is killed with one, the mark is what leads the next call to it.
 */
async function settle(
  agent: AgentSessions,
  { removed, settled, spared }: Archived,
): Promise<RemovedSession[]> {
  if (settled.size > 0) await settlePending(agent, settled);
  if (spared.length > 0) await unmark(agent, spared);
  return removed;
}

async function archiveMarks(
  agent: AgentSessions,
  session: StoredSession,
  marks: readonly PendingArchive[],
  transcripts: ReadonlyMap<string, readonly string[]>,
  lock: LockOptions | undefined,
): Promise<{ outcome: RemovedSession; done: PendingArchive[] }> {
  const outcome: RemovedSession = {
    sessionKey: session.key,
    sessionId: session.entry.sessionId,
    archived: [],
  };
  const done: PendingArchive[] = [];
  for (const mark of marks) {
    const { archived, error } = await archivePending(agent, mark, transcripts, lock);
    outcome.archived.push(...archived);
    if (error === undefined) done.push(mark);
    // Older transcripts that are still in use are left to a later call; the session is gone without them.
    else if (mark === marks[0]) {
      outcome.error = error;
      break;
    }
  }
  return { outcome, done };
}

function unmark(agent: AgentSessions, spared: readonly StoredSession[]): Promise<void> {
  return agent.store.updateMany((draft) => {
    for (const { key, entry: before } of spared) {
      const entry = draft.get(key);
      if (entry === undefined || entry.sessionId !== before.sessionId) continue;
      const rest = readPendingArchives(entry).filter(
        (one) => one.reason !== 'deleted' || one.sessionId !== entry.sessionId,
      );
      draft.set(key, withPendingArchives(entry, rest));
    }
  });
}

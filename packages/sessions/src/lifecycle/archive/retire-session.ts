import type { LockOptions } from '../../disk/lock.ts';
import { OpenBotError } from '../../errors.ts';
import { isSessionId } from '../../layout/safe-id.ts';
import type { StoreDraft, StoredEntry, StoredSession } from '../../store/contract.ts';
import { type AgentSessions, locateTranscript } from '../agent-sessions.ts';
import { archiveTranscript, listTranscripts } from './archive-transcript.ts';
import {
  type EndReason,
  isBeingDeleted,
  isSamePending,
  type PendingArchive,
  readPendingArchives,
  withPendingArchives,
} from './pending-archive.ts';
import { TranscriptUses } from './transcript-uses.ts';

/**
 * What the key's next entry must carry so that the transcripts of this one are archived. Transcripts that another
 * entry uses stay where they are.
 */
export function planRetirement(
  draft: StoreDraft,
  session: StoredSession,
  at: number,
  reason: EndReason = 'reset',
): PendingArchive[] {
  const { sessionId, sessionFile } = session.entry;
  const pending = readPendingArchives(session.entry);
  const others = new TranscriptUses(draft.list().filter(({ key }) => key !== session.key));
  if (!isSessionId(sessionId) || others.has(session.entry)) return pending;
  if (pending.some((one) => one.sessionId === sessionId)) return pending;
  // Also where there is no transcript yet: another process may be about to make it.
  return [...pending, { sessionId, sessionFile, reason, at }];
}

interface Archiving {
  archived: string[];
  /** What kept the rest from being archived. */
  error?: OpenBotError;
}

/** `transcripts` are those of the folder, from listTranscripts. */
export async function archivePending(
  agent: AgentSessions,
  pending: PendingArchive,
  transcripts: ReadonlyMap<string, readonly string[]>,
  lock: LockOptions = {},
): Promise<Archiving> {
  const archived: string[] = [];
  try {
    const paths = pending.keepTranscript ? [] : findTranscripts(agent, pending, transcripts);
    for (const path of paths) {
      const archive = await archiveTranscript(path, pending.reason, pending.at, lock);
      if (archive !== undefined) archived.push(archive);
    }
    return { archived };
  } catch (error) {
    if (error instanceof OpenBotError) return { archived, error };
    throw error;
  }
}

/**
 * Takes marks that are done out of the entries that bear them. An entry that is to be deleted goes when nothing else is
 * left to do for it, and keeps its own mark until then.
 */
export function settlePending(
  agent: AgentSessions,
  settled: ReadonlyMap<string, readonly PendingArchive[]>,
): Promise<void> {
  return agent.store.updateMany((draft) => {
    for (const [key, done] of settled) {
      const entry = draft.get(key);
      if (entry === undefined) continue;
      const isDone = (one: PendingArchive) => done.some((two) => isSamePending(one, two));
      const pending = readPendingArchives(entry);
      const left = pending.filter((one) => !isDone(one));
      if (!isBeingDeleted(entry)) draft.set(key, withPendingArchives(entry, left));
      else if (left.length === 0) draft.delete(key);
      else {
        const still = pending.filter((one) => !isDone(one) || one.sessionId === entry.sessionId);
        draft.set(key, withPendingArchives(entry, still));
      }
    }
  });
}

/** Archives what the entry under `key` says is still to be archived. What fails stays marked for the next call. */
export function finishArchives(
  agent: AgentSessions,
  key: string,
  pending: readonly PendingArchive[],
  lock: LockOptions = {},
): Promise<Archiving> {
  return finishAllArchives(agent, new Map([[key, pending]]), lock);
}

/** As finishArchives, for any number of keys. */
export async function finishAllArchives(
  agent: AgentSessions,
  pending: ReadonlyMap<string, readonly PendingArchive[]>,
  lock: LockOptions = {},
): Promise<Archiving> {
  const outcome: Archiving = { archived: [] };
  if (pending.size === 0) return outcome;
  const settled = new Map<string, PendingArchive[]>();
  // Another process may have pointed an entry at one of them again since.
  const uses = new TranscriptUses(await agent.store.list());
  const transcripts = await listTranscripts(agent.folder);
  for (const [key, marks] of pending) {
    const done: PendingArchive[] = [];
    for (const mark of marks) {
      const { archived, error }: Archiving = uses.has(mark)
        ? { archived: [] }
        : await archivePending(agent, mark, transcripts, lock);
      outcome.archived.push(...archived);
      if (error === undefined) done.push(mark);
      else outcome.error = error;
    }
    if (done.length > 0) settled.set(key, done);
  }
  if (settled.size > 0) await settlePending(agent, settled);
  return outcome;
}

/** Those of a session that are ours to rename, the one it is written to first, which need not exist. */
export function findTranscripts(
  agent: AgentSessions,
  session: Pick<StoredEntry, 'sessionId' | 'sessionFile'> & { readonly reason?: PendingArchive['reason'] },
  transcripts: ReadonlyMap<string, readonly string[]>,
): string[] {
  const own = locateIfOurs(agent, session);
  // Those of its topics can be read.
  const listed = session.reason === 'damaged' ? [] : (transcripts.get(session.sessionId) ?? []);
  return [...new Set(own === undefined ? listed : [own, ...listed])];
}

/** A file outside our folder is not ours to rename. */
function locateIfOurs(
  agent: AgentSessions,
  session: Pick<StoredEntry, 'sessionId' | 'sessionFile'>,
): string | undefined {
  try {
    return locateTranscript(agent, session);
  } catch (error) {
    if (error instanceof OpenBotError && error.code === 'PATH_ESCAPES_FOLDER') return undefined;
    throw error;
  }
}

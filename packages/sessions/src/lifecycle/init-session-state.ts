import type { LockOptions } from '../disk/lock-file.ts';
import type { OpenSessionEntry, SessionEntry } from '../entry/session-entry.ts';
import type { OpenBotError } from '../errors.ts';
import type { StoreDraft, StoredSession } from '../store/contract.ts';
import { copyJson } from '../store/json-value.ts';
import { isTranscriptFile } from './archive-transcript.ts';
import { type InitRequest, type InitSessionStateParams, readInitRequest } from './init-request.ts';
import { describeInit, type InitOutcome, type SessionInitResult } from './init-result.ts';
import { isFresh } from './is-fresh.ts';
import { locateEntry } from './locate-entry.ts';
import { isBeingDeleted, readPendingArchives } from './pending-archive.ts';
import { finishArchives } from './retire-session.ts';
import { locateTranscript, type SessionPlace } from './session-place.ts';
import { nameSession, type SessionFileName, startSession } from './start-session.ts';
import { adoptFork, needsFork, prepareThreadFork, settleFork, type ThreadFork } from './thread-fork.ts';
import { touchEntry } from './touch-entry.ts';

/**
 * The session that a message goes to: the one that its key has, or a new one where there is none, where it is over, or
 * where the message asks for one. Decided and written in one change of the store, so that messages that arrive
 * together agree. The transcript of a session that ended is archived afterwards.
 */
export async function initSessionState(params: InitSessionStateParams): Promise<SessionInitResult> {
  const request = readInitRequest(params);
  const { place, sessionKey, resetTriggered } = request;
  // A large parent takes its time: the copy is made before the store is locked, and used or thrown away then.
  const fork = await prepareThreadFork(request);
  const outcome = await settleFork(fork, () =>
    place.store.updateMany(async (draft) => {
      const found = await locateEntry(draft, sessionKey);
      const goesOn = found !== undefined && !resetTriggered && isFresh(request, found);
      const entry = goesOn ? await resume(request, found) : await start(draft, request, found, fork);
      return keep(draft, request, found, entry, !goesOn);
    }),
  );
  await archiveEnded(place, outcome, params);
  return describeInit(request, outcome);
}

async function resume(request: InitRequest, { entry }: StoredSession): Promise<SessionEntry> {
  return { ...entry, sessionFile: await locateResumed(request, entry) };
}

async function start(
  draft: StoreDraft,
  { place, moment, topicId }: InitRequest,
  found: StoredSession | undefined,
  fork: ThreadFork | undefined,
): Promise<SessionEntry> {
  const isForked = fork !== undefined && needsFork(found);
  const file: SessionFileName = isForked ? await adoptFork(fork) : await nameSession(place, moment, topicId);
  const entry: SessionEntry = startSession(draft, found, file, moment.now);
  return isForked ? ({ ...entry, forkedFromParent: true } as SessionEntry) : entry;
}

/** An entry that names no file has `<sessionId>.jsonl`; one that never got a transcript may still get a topic's. */
async function locateResumed(
  { place, topicId }: InitRequest,
  entry: StoredSession['entry'],
): Promise<string> {
  const plain = locateTranscript(place, entry);
  if (entry.sessionFile !== undefined || topicId === undefined || (await isTranscriptFile(plain))) {
    return plain;
  }
  try {
    return locateTranscript(place, entry, topicId);
  } catch {
    return plain;
  }
}

function keep(
  draft: StoreDraft,
  request: InitRequest,
  found: StoredSession | undefined,
  entry: SessionEntry,
  isNewSession: boolean,
): InitOutcome {
  const sessionKey = found?.key ?? request.sessionKey;
  draft.set(sessionKey, touchEntry(request, entry));
  const sessionEntry = copyJson(draft.get(sessionKey)) as SessionEntry;
  const sessionStore: Record<string, SessionEntry> = Object.create(null);
  for (const { key, entry: other } of draft.list()) sessionStore[key] = other;
  sessionStore[sessionKey] = sessionEntry;
  const previous = isNewSession && found && !isBeingDeleted(found.entry) ? copyJson(found.entry) : undefined;
  return { sessionKey, isNewSession, sessionStore, sessionEntry, previous };
}

const ARCHIVE_WAIT_MS = 2000;

/**
 * A transcript that somebody still writes to must not keep the message waiting. Later messages try again without
 * waiting, and without saying each time that it is still in use.
 */
async function archiveEnded(
  place: SessionPlace,
  { sessionKey, sessionEntry, isNewSession }: InitOutcome,
  params: InitSessionStateParams,
): Promise<void> {
  const pending = readPendingArchives(sessionEntry);
  if (pending.length === 0) return;
  const lock: LockOptions = { timeoutMs: isNewSession ? ARCHIVE_WAIT_MS : 0, ...params.lock };
  const failure: unknown = await finishArchives(place, sessionKey, pending, lock).then(
    ({ error }) => error,
    (error) => error,
  );
  if (failure === undefined) delete (sessionEntry as OpenSessionEntry).pendingArchives;
  else if (isNewSession || (failure as OpenBotError).code !== 'LOCK_TIMEOUT') {
    (params.onArchiveFailure ?? warn)(failure as Error);
  }
}

function warn(error: Error): void {
  process.emitWarning(`A transcript was not archived yet: ${error.message}`, { code: 'OPENBOT_ARCHIVE' });
}

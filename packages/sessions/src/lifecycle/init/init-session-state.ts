import { join } from 'node:path';
import type { LockOptions } from '../../disk/lock.ts';
import { mergeSessionEntry } from '../../entry/read-session-entry.ts';
import type { OpenSessionEntry, SessionEntry } from '../../entry/session-entry.ts';
import type { OpenBotError } from '../../errors.ts';
import { isSessionId } from '../../layout/safe-id.ts';
import { evaluateSessionFreshness } from '../../policy/freshness.ts';
import type { StoreDraft, StoredSession } from '../../store/contract.ts';
import { copyJson } from '../../store/json-value.ts';
import { type AgentSessions, locateTranscript } from '../agent-sessions.ts';
import { isTranscriptFile } from '../archive/archive-transcript.ts';
import { readPendingArchives } from '../archive/pending-archive.ts';
import { finishArchives } from '../archive/retire-session.ts';
import {
  deliveryFields,
  mergeDelivery,
  normalizeDeliveryContext,
  readDelivery,
} from '../entry-updates/delivery-route.ts';
import { deriveSessionMeta, readMessageChannel } from '../entry-updates/inbound-meta.ts';
import { adoptFork, prepareThreadFork, settleFork, type ThreadFork } from '../fork/thread-fork.ts';
import { isLive, locateEntry } from '../locate-entry.ts';
import { type InitRequest, type InitSessionStateParams, readInitRequest } from './init-request.ts';
import { describeInit, type InitOutcome, type SessionInitResult } from './init-result.ts';
import { BEGUN, hasBegun } from './recorded-session.ts';
import { separateSenders } from './separate-senders.ts';
import { nameSession, nameTranscript, type SessionFileName, startSession } from './start-session.ts';

/**
 * The session that a message goes to: the one that its key has, or a new one where there is none, where it is over, or
 * where the message asks for one. Decided and written in one change of the store, so that messages that arrive
 * together agree. The transcript of a session that ended is archived afterwards.
 */
export async function initSessionState(params: InitSessionStateParams): Promise<SessionInitResult> {
  const request = readInitRequest(params);
  const { agent, sessionKey, resetTriggered } = request;
  // A large parent takes its time: the copy is made before the store is locked, and used or thrown away then.
  const fork = await prepareThreadFork(request, params.onForkFailure ?? warnOfFork);
  const early = Promise.withResolvers<InitOutcome>();
  const written = settleFork(agent, fork, () =>
    agent.store.updateMany(async (draft) => {
      await separateSenders(draft, request);
      const found = await locateEntry(draft, sessionKey, agent);
      const begun = (await hasBegun(agent, found)) ? found : undefined;
      if (begun === undefined) {
        return keep(draft, request, found?.key, await begin(draft, request, found, fork));
      }
      if (resetTriggered || !isFresh(request, begun)) {
        const file = await nameSession(agent, request.clock, request.topicId);
        const entry = startSession(draft, begun, file, request.clock.now);
        return { ...keep(draft, request, begun.key, entry), previous: copyJson(begun.entry) };
      }
      const kept = keep(draft, request, begun.key, await resume(request, begun));
      const resumed = { ...kept, isNewSession: false };
      if (params.onWriting && readPendingArchives(kept.sessionEntry).length === 0) early.resolve(resumed);
      return resumed;
    }),
  );
  const outcome = await Promise.race([early.promise, written]);
  params.onWriting?.(written);
  await archiveEnded(agent, outcome, params);
  return describeInit(request, outcome);
}

async function resume(request: InitRequest, { entry }: StoredSession): Promise<SessionEntry> {
  return { ...entry, ...BEGUN, sessionFile: await locateResumed(request, entry) };
}

/** The first session of a key. A recorded one keeps the id that was given out with it, unless it is forked. */
async function begin(
  draft: StoreDraft,
  { agent, clock, topicId }: InitRequest,
  found: StoredSession | undefined,
  fork: ThreadFork | undefined,
): Promise<SessionEntry> {
  if (fork !== undefined) {
    const entry = startSession(draft, found, await adoptFork(fork), clock.now);
    return { ...entry, forkedFromParent: true } as SessionEntry;
  }
  const recorded = isLive(found) && isSessionId(found.entry.sessionId) ? found.entry.sessionId : undefined;
  const newId = recorded === undefined ? clock.newId : () => recorded;
  const file: SessionFileName = await nameSession(agent, { ...clock, newId }, topicId);
  return startSession(draft, found, file, clock.now);
}

/** An entry that names no file has `<sessionId>.jsonl`; one that never got a transcript may still get a topic's. */
async function locateResumed(
  { agent, topicId }: InitRequest,
  entry: StoredSession['entry'],
): Promise<string> {
  const plain = locateTranscript(agent, entry);
  if (entry.sessionFile !== undefined || topicId === undefined || (await isTranscriptFile(plain))) {
    return plain;
  }
  const { sessionId } = entry;
  const sessionFile = join(agent.folder, nameTranscript(sessionId, topicId));
  return locateTranscript(agent, { sessionId, sessionFile });
}

/** Puts the entry of a new session into the store. */
function keep(
  draft: StoreDraft,
  request: InitRequest,
  foundKey: string | undefined,
  entry: SessionEntry,
): InitOutcome {
  const sessionKey = foundKey ?? request.sessionKey;
  draft.set(sessionKey, touchEntry(request, entry));
  const sessionEntry = copyJson(draft.get(sessionKey)) as SessionEntry;
  const listStore = () => {
    const sessionStore: Record<string, SessionEntry> = Object.create(null);
    for (const { key, entry: other } of draft.list()) sessionStore[key] = other;
    sessionStore[sessionKey] = sessionEntry;
    return sessionStore;
  };
  return { sessionKey, isNewSession: true, listStore, sessionEntry, previous: undefined };
}

const ARCHIVE_WAIT_MS = 2000;

/**
 * A transcript that another process still writes to must not delay the message. Later messages try again without
 * waiting, and without saying each time that it is still in use.
 */
async function archiveEnded(
  agent: AgentSessions,
  { sessionKey, sessionEntry, isNewSession }: InitOutcome,
  params: InitSessionStateParams,
): Promise<void> {
  const pending = readPendingArchives(sessionEntry);
  if (pending.length === 0) return;
  const lock: LockOptions = { timeoutMs: isNewSession ? ARCHIVE_WAIT_MS : 0, ...params.lock };
  const failure: unknown = await finishArchives(agent, sessionKey, pending, lock).then(
    ({ error }) => error,
    (error) => error,
  );
  if (failure === undefined) delete (sessionEntry as OpenSessionEntry).pendingArchives;
  else if (isNewSession || (failure as OpenBotError).code !== 'LOCK_TIMEOUT') {
    (params.onArchiveFailure ?? warnOfArchive)(failure as Error);
  }
}

function warnOfArchive(error: Error): void {
  process.emitWarning(`A transcript was not archived yet: ${error.message}`, { code: 'OPENBOT_ARCHIVE' });
}

function warnOfFork(error: Error): void {
  process.emitWarning(`A thread began without its parent: ${error.message}`, { code: 'OPENBOT_FORK' });
}

/** Whether a session that has begun goes on. For a system event every one does: only people's messages end them. */
function isFresh(request: InitRequest, { entry }: StoredSession): boolean {
  if (request.isSystemEvent) return true;
  const { policy, timeZone, clock } = request;
  return evaluateSessionFreshness({ updatedAt: entry.updatedAt, now: clock.now, policy, timeZone }).fresh;
}

/**
 * What every message leaves in its entry. A system event leaves the conversation as the person last used it. An entry
 * that is ahead of the clock comes back to it: the clock was wrong once, and the session would never be over.
 */
function touchEntry(request: InitRequest, entry: SessionEntry): SessionEntry {
  const { ctx, clock, groupResolution, isSystemEvent } = request;
  if (isSystemEvent) return entry;
  return mergeSessionEntry(
    { ...entry, updatedAt: Math.min(entry.updatedAt, clock.now) },
    {
      lastInteractionAt: clock.now,
      ...deriveSessionMeta(ctx, entry, groupResolution),
      ...deriveRoute(request, entry),
    },
    clock,
  );
}

function deriveRoute({ ctx, isThread }: InitRequest, entry: SessionEntry): Partial<SessionEntry> {
  const before = readDelivery(entry);
  const now = normalizeDeliveryContext({
    channel: readMessageChannel(ctx),
    to: ctx.OriginatingTo ?? ctx.To,
    accountId: ctx.AccountId,
    threadId: ctx.MessageThreadId ?? (isThread ? before?.threadId : undefined),
  });
  return deliveryFields(entry, mergeDelivery(now, before));
}

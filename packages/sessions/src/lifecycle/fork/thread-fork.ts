import { unlink } from 'node:fs/promises';
import { OpenBotError } from '../../errors.ts';
import type { SessionStore } from '../../store/contract.ts';
import type { AgentSessions } from '../agent-sessions.ts';
import type { InitRequest } from '../init/init-request.ts';
import { hasBegun } from '../init/recorded-session.ts';
import { locateOwn } from '../init/separate-senders.ts';
import { isLive } from '../locate-entry.ts';
import {
  discardFork,
  type ForkedSession,
  type PreparedFork,
  placeFork,
  prepareFork,
} from './fork-session.ts';

/** A copy of the parent's conversation, ready to become the transcript of a thread's first session. */
export interface ThreadFork extends PreparedFork {
  placed: boolean;
}

/** What can be wrong with a parent. The thread does without it then: it must not go unanswered for that. */
const PARENT_FAULTS: ReadonlySet<string> = new Set([
  'INVALID_SESSION_ID',
  'PATH_ESCAPES_FOLDER',
  'STORE_ENTRY_INVALID',
  'TRANSCRIPT_HEADER_INVALID',
  'TRANSCRIPT_NOT_FOUND',
  'TRANSCRIPT_UNREADABLE',
  'TRANSCRIPT_UNSUPPORTED',
]);

/**
 * Undefined where the thread needs none: it began before, however that was, or the person asked for an empty session.
 * Also where the parent has no conversation that can be copied; `onFailure` hears why.
 */
export async function prepareThreadFork(
  request: InitRequest,
  onFailure: (error: Error) => void,
): Promise<ThreadFork | undefined> {
  const { agent, parentSessionKey } = request;
  if (parentSessionKey === undefined || request.resetTriggered) return undefined;
  if (await hasBegun(agent, await locateOwn(agent.store, request))) return undefined;
  try {
    return await forkParent(request, parentSessionKey);
  } catch (error) {
    if (!(error instanceof OpenBotError) || !PARENT_FAULTS.has(error.code)) throw error;
    onFailure(error);
    return undefined;
  }
}

async function forkParent(request: InitRequest, parentSessionKey: string): Promise<ThreadFork | undefined> {
  const { agent, clock, topicId } = request;
  const parent = await locateOwn(agent.store, { ...request, sessionKey: parentSessionKey });
  if (!isLive(parent)) return undefined;
  const fork = await prepareFork(agent, parent.entry, clock, topicId);
  return fork === undefined ? undefined : { ...fork, placed: false };
}

export async function adoptFork(fork: ThreadFork): Promise<ForkedSession> {
  const session = await placeFork(fork);
  fork.placed = true;
  return session;
}

/** Runs the change that may adopt the fork; nothing of the fork stays behind unless an entry now names it. */
export async function settleFork<T>(
  { store }: AgentSessions,
  fork: ThreadFork | undefined,
  change: () => Promise<T>,
): Promise<T> {
  if (fork === undefined) return change();
  try {
    return await change();
  } catch (error) {
    // A change may fail and still be in place.
    if (fork.placed && !(await mayBeNamed(store, fork))) await unlink(fork.sessionFile).catch(() => {});
    throw error;
  } finally {
    await discardFork(fork);
  }
}

/** True where it is unknown: a fork too many does less harm than one that is missing. */
async function mayBeNamed(store: SessionStore, { sessionId }: ThreadFork): Promise<boolean> {
  const sessions = await store.list().catch(() => undefined);
  return sessions === undefined || sessions.some(({ entry }) => entry.sessionId === sessionId);
}

import { unlink } from 'node:fs/promises';
import type { OpenSessionEntry } from '../entry/session-entry.ts';
import type { StoredSession } from '../store/contract.ts';
import {
  discardFork,
  type ForkedSession,
  type PreparedFork,
  placeFork,
  prepareFork,
} from './fork-session.ts';
import type { InitRequest } from './init-request.ts';
import { isFresh } from './is-fresh.ts';
import { locateEntry } from './locate-entry.ts';
import { isBeingDeleted } from './pending-archive.ts';

/** A copy of the parent's conversation, ready to become the transcript of a thread's first session. */
export type ThreadFork = PreparedFork & { placed: boolean };

/** Undefined where the thread needs none: it goes on, was forked before, or the person asked for an empty session. */
export async function prepareThreadFork(request: InitRequest): Promise<ThreadFork | undefined> {
  const { place, sessionKey, parentSessionKey, moment, topicId } = request;
  if (parentSessionKey === undefined || request.resetTriggered) return undefined;
  const found = await locateEntry(place.store, sessionKey);
  if (!needsFork(found) || (found && isFresh(request, found))) return undefined;
  const parent = await locateEntry(place.store, parentSessionKey);
  if (parent === undefined || isBeingDeleted(parent.entry)) return undefined;
  const fork = await prepareFork(place, parent.entry, moment, topicId);
  return fork === undefined ? undefined : { ...fork, placed: false };
}

/** Once only: a thread that starts afresh later does not get the parent's past again. */
export function needsFork(found: StoredSession | undefined): boolean {
  return (found?.entry as OpenSessionEntry | undefined)?.forkedFromParent !== true;
}

export async function adoptFork(fork: ThreadFork): Promise<ForkedSession> {
  const session = await placeFork(fork);
  fork.placed = true;
  return session;
}

/** Runs the change that may adopt the fork; nothing of the fork stays behind unless an entry now names it. */
export async function settleFork<T>(fork: ThreadFork | undefined, change: () => Promise<T>): Promise<T> {
  if (fork === undefined) return change();
  try {
    return await change();
  } catch (error) {
    if (fork.placed) await unlink(fork.sessionFile).catch(() => {});
    throw error;
  } finally {
    await discardFork(fork);
  }
}

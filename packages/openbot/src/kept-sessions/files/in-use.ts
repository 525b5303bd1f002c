import { dirname } from 'node:path';
import { OpenBotError, type StoredSession } from '@openbot/sessions';
import { inspectLock } from '@openbot/sessions/disk';
import type { RunLock } from '../../run-lock/contract.ts';
import { openFileRunLock } from '../../run-lock/files/file-run-lock.ts';
import { addressOf, canonicalRef } from '../../session-address.ts';
import { type FileKeeperPlace, locateTranscript } from './place.ts';

/** Who runs a session, or writes to its transcript. */
export async function findUser(place: FileKeeperPlace, session: StoredSession): Promise<string | undefined> {
  const holder = place.holdsRun ? undefined : await findHolder(place, session.key);
  if (holder !== undefined) return `${holder.description} runs it`;
  const lock = inspectLock(`${locateTranscript(dirname(place.storePath), session).path}.lock`);
  return lock?.held ? `${lock.who} writes to its transcript` : undefined;
}

/**
 * Runs `body` while no process runs the session or writes to its transcript, and, where this program runs agents, so that
 * none begins to. Throws SESSION_IN_USE.
 */
export async function whileIdle<T>(
  place: FileKeeperPlace,
  session: StoredSession,
  body: () => Promise<T>,
): Promise<T> {
  const { key } = session;
  if (place.unsafe !== undefined) throw place.unsafe;
  const user = await findUser(place, session);
  if (user !== undefined) throw inUse(key, user);
  // A folder of OpenClaw gets no locks that OpenClaw does not know.
  const needsRun = place.isRunHere && !place.holdsRun;
  const run = needsRun
    ? await openFileRunLock(place.stateDir).acquire(addressIn(place, key), { waitMs: 0 })
    : undefined;
  if (needsRun && run === undefined) throw inUse(key, 'another process has just begun to run it');
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof OpenBotError) || error.code !== 'LOCK_TIMEOUT') throw error;
    throw inUse(key, `${error.message.replace(/^.*held by /, '')}, writes to its transcript`, error);
  } finally {
    await run?.release();
  }
}

/** No run has a key that is none: messages are not accepted under it. */
async function findHolder(place: FileKeeperPlace, key: string) {
  if (place.unsafe !== undefined) return undefined;
  try {
    return await openFileRunLock(place.stateDir).holder(addressIn(place, key));
  } catch (error) {
    if (error instanceof OpenBotError && error.code === 'INVALID_SESSION_KEY') return undefined;
    throw error;
  }
}

/** Holds the runs of sessions that no process runs, where this program runs agents, so that none begins one of them. */
export async function holdRuns(
  place: FileKeeperPlace,
  keys: Iterable<string>,
): Promise<{ readonly free: readonly string[]; release(): Promise<void> }> {
  if (place.unsafe !== undefined) throw place.unsafe;
  const runs = openFileRunLock(place.stateDir);
  const free: string[] = [];
  try {
    for (const key of keys) if (await holdRun(place, runs, key)) free.push(key);
  } catch (error) {
    await runs.close();
    throw error;
  }
  return { free, release: () => runs.close() };
}

async function holdRun(place: FileKeeperPlace, runs: RunLock, key: string): Promise<boolean> {
  if (!place.isRunHere) return (await findHolder(place, key)) === undefined;
  try {
    const address = addressIn(place, key);
    const run = await runs.acquire(address, { waitMs: 0 });
    // Two spellings of a key are one run.
    return run !== undefined || (await runs.holder(address))?.isOwn === true;
  } catch (error) {
    if (error instanceof OpenBotError && error.code === 'INVALID_SESSION_KEY') return true;
    throw error;
  }
}

function addressIn({ agentId, mainKey, scope }: FileKeeperPlace, sessionKey: string): string {
  return addressOf(canonicalRef({ mainKey, scope }, { agentId, sessionKey }));
}

function inUse(key: string, why: string, cause?: unknown): OpenBotError {
  return new OpenBotError('SESSION_IN_USE', `${key} is in use: ${why}. Nothing was changed`, {
    hint: 'Wait for the end of that run, or stop it, and try again',
    cause,
  });
}

import { resolveSession } from '../finding/resolve-session.ts';
import { findSessionAtPath } from '../finding/session-at-path.ts';
import { storageOf } from '../storage/all.ts';
import { executeRestore } from './execute-restore.ts';
import { defaultScope } from './session-ids.ts';

/** Copies a session to a new backup beside it and keeps the five newest. Resolves to its path. */
export async function createBackup(sessionPath: string): Promise<string> {
  const session = findSessionAtPath(await defaultScope(), sessionPath);
  return (await storageOf(session).rewriting()).backUp(session);
}

/** The path of a session's newest backup, or null. */
export async function findLatestBackup(sessionId: string): Promise<string | null> {
  const { session } = await resolveSession(await defaultScope(), sessionId);
  const { listBackups } = await storageOf(session).rewriting();
  return listBackups(session).at(-1)?.path ?? null;
}

/** Puts a session's newest backup back; what was said since follows it. */
export async function restoreFromBackup(sessionId: string): Promise<void> {
  await executeRestore({ scope: await defaultScope(), sessionId });
}

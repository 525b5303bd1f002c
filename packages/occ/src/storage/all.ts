import { claude } from './claude/storage.ts';
import type { FoundSession } from './contract/found-session.ts';
import type { SessionStorage } from './contract/storage.ts';
import { openclawFiles } from './openclaw-files/storage.ts';
import { openclawSqlite } from './openclaw-sqlite/storage.ts';
import { pi } from './pi/storage.ts';

/** A new storage is a folder beside these and a line here. */
export const STORAGES: readonly SessionStorage[] = [openclawSqlite, openclawFiles, pi, claude];

/** The storage that holds a session. */
export function storageOf({ source, storage }: Pick<FoundSession, 'source' | 'storage'>): SessionStorage {
  return STORAGES.find((one) => one.source === source && one.storage === storage)!;
}

import { isJsonObject } from '../entry/json-object.ts';
import type { StoredSession } from './contract.ts';
import { readObject } from './document.ts';
import { readStoreFile } from './read-store-file.ts';

/**
 * What a store file holds now, for a program that looks once and ends: no lock, no cache, and entries as they are
 * written, neither checked nor frozen. Undefined when there is no file. A file that does not parse is an error, as
 * everywhere; values that are no entries are left out.
 */
export function lookIntoSessionStore(storePath: string): StoredSession[] | undefined {
  const read = readStoreFile(storePath);
  if (read === undefined) return undefined;
  const sessions: StoredSession[] = [];
  const members = readObject(read.content, storePath);
  for (const key of Object.keys(members)) {
    const entry = members[key];
    if (isJsonObject(entry)) sessions.push({ key, entry: entry as StoredSession['entry'] });
  }
  return sessions;
}

import { isJsonObject } from '../entry/json-object.ts';
import type { OpenSessionEntry } from '../entry/session-entry.ts';
import { OpenBotError } from '../errors.ts';
import { parseAgentSessionKey } from '../key/parse.ts';
import type { OpenclawDatabase } from './open-database.ts';

/**
 * Refuses what OpenClaw would not read back. One row with a key that is not in its own spelling, or an entry without its
 * identity, and OpenClaw refuses the whole database. What stands there already is OpenClaw's own and is not judged.
 * @param before the entry that is replaced; undefined for a new key
 */
export function assertKeepable(
  database: OpenclawDatabase,
  key: string,
  entry: OpenSessionEntry,
  before: OpenSessionEntry | undefined,
): void {
  if (before === undefined && !isPlainKey(database, key)) {
    throw new OpenBotError(
      'INVALID_SESSION_KEY',
      `${JSON.stringify(key)} cannot be a new key in ${database.path}`,
      {
        hint: 'OpenClaw takes agent:<agentId>:<rest> in lower case, trimmed. Example: agent:main:telegram:group:42',
      },
    );
  }
  if (
    typeof entry.sessionId !== 'string' ||
    entry.sessionId.trim() === '' ||
    !entry.sessionId.isWellFormed()
  ) {
    throw invalid(key, 'it has no session id');
  }
  if (!Number.isSafeInteger(entry.updatedAt))
    throw invalid(key, 'its updatedAt is not in whole milliseconds');
  const known = before === undefined ? [] : listLineage(before);
  const strange = listLineage(entry).find((one) => !known.includes(one) && !isPlainKey(database, one));
  if (strange !== undefined) throw invalid(key, `${JSON.stringify(strange)} is no session key of OpenClaw`);
}

/** The keys of other sessions that an entry names as those it came from. */
function listLineage(entry: OpenSessionEntry): unknown[] {
  const source = isJsonObject(entry.forkSource) ? entry.forkSource.sessionKey : undefined;
  return [entry.parentSessionKey, entry.spawnedBy, source].filter((one) => one !== undefined && one !== null);
}

/** Whether OpenClaw spells the key so: keys whose case matters to a channel are left to OpenClaw to make. */
function isPlainKey({ db, schema }: OpenclawDatabase, key: unknown): boolean {
  if (key === 'global' || key === 'unknown') return true;
  if (typeof key !== 'string' || key !== key.trim().toLowerCase()) return false;
  const parsed = parseAgentSessionKey(key);
  if (parsed?.rest !== 'main' || !schema.has('session_key_contract', 'main_key')) return parsed !== null;
  const contract = db.prepare('SELECT main_key FROM session_key_contract').get();
  return (contract?.main_key ?? 'main') === 'main';
}

function invalid(key: string, why: string): OpenBotError {
  return new OpenBotError('STORE_ENTRY_INVALID', `The entry for ${key} cannot be kept: ${why}`, {
    hint: 'OpenClaw refuses a database with such an entry. Nothing was changed.',
  });
}

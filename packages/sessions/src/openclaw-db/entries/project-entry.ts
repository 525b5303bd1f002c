import { isJsonObject } from '../../entry/json-object.ts';
import type { OpenSessionEntry } from '../../entry/session-entry.ts';
import { OpenBotError } from '../../errors.ts';
import { parseAgentSessionKey } from '../../key/parse.ts';
import { isGroupType } from '../../message/chat-type.ts';
import type { OpenclawDatabase } from '../open-database.ts';

type Cell = string | number | null;

/** The columns of `session_nodes` that repeat a field of the entry, so that it can be asked for. */
export function projectNode(entry: OpenSessionEntry): Record<string, Cell> {
  const actor = objectOf(entry.createdActor);
  const source = objectOf(entry.forkSource);
  return {
    status: statusOf(entry.status),
    created_at: wholeOf(entry.createdAt),
    created_via: oneOf(CREATED_VIA, entry.createdVia),
    created_actor_type: oneOf(ACTORS, actor.type),
    created_actor_id: textOf(actor.id),
    project_id: textOf(entry.projectId),
    parent_session_key: textOf(entry.parentSessionKey) ?? textOf(entry.spawnedBy),
    spawned_by: textOf(entry.spawnedBy),
    fork_source_session_key: textOf(source.sessionKey),
    fork_source_session_id: textOf(source.sessionId),
    fork_source_entry_id: textOf(source.entryId),
    label: textOf(entry.label),
    display_name: textOf(entry.displayName),
    category: textOf(entry.category),
    icon: textOf(entry.icon),
    pinned_at: wholeOf(entry.pinnedAt),
    archived_at: wholeOf(entry.archivedAt),
    last_read_at: wholeOf(entry.lastReadAt),
    last_interaction_at: wholeOf(entry.lastInteractionAt),
    last_activity_at: wholeOf(entry.lastActivityAt),
  };
}

/** The same for the session that the entry points to, in `session_windows`. */
export function projectWindow(key: string, entry: OpenSessionEntry): Record<string, Cell> {
  const external = objectOf(entry.delivery).kind === 'external' ? objectOf(entry.delivery) : {};
  const context = objectOf(external.context);
  return {
    previous_session_id: textOf(entry.previousSessionId),
    session_scope: scopeOf(key, entry),
    started_at: wholeOf(entry.startedAt),
    ended_at: wholeOf(entry.endedAt),
    status: statusOf(entry.status),
    chat_type: oneOf(CHAT_TYPES, entry.chatType),
    channel: textOf(context.channel) ?? textOf(objectOf(external.origin).provider),
    account_id: textOf(context.accountId),
    model_provider: textOf(entry.modelProvider),
    model: textOf(entry.model),
    agent_harness_id: textOf(entry.agentHarnessId),
    parent_session_key: textOf(entry.parentSessionKey),
    spawned_by: textOf(entry.spawnedBy),
    display_name:
      textOf(entry.displayName) ?? textOf(entry.label) ?? textOf(entry.subject) ?? textOf(entry.groupId),
  };
}

/** What a new row of `session_windows` says beyond that, and what later writes leave as it is. */
export function projectNewWindow(entry: OpenSessionEntry): Record<string, Cell> {
  const hook = entry.hookExternalContentSource === 'email' ? 'webhook' : entry.hookExternalContentSource;
  const started = [entry.sessionStartedAt, entry.startedAt].find(
    (at) => Number.isSafeInteger(at) && (at as number) >= 0,
  );
  return {
    created_at: started ?? entry.updatedAt,
    session_entry_provenance: 1,
    acp_owned: entry.acp ? 1 : 0,
    plugin_owner_id: textOf(entry.pluginOwnerId),
    hook_external_content_source: oneOf(HOOK_SOURCES, hook),
  };
}

const CHAT_TYPES = ['direct', 'group', 'channel'];
const STATUSES = ['running', 'done', 'failed', 'killed', 'timeout'];
const CREATED_VIA = ['operator', 'spawn', 'channel', 'cron', 'talk', 'run', 'plugin', 'internal'];
const ACTORS = ['human', 'agent', 'system'];
const HOOK_SOURCES = ['gmail', 'webhook'];

function scopeOf(key: string, { chatType }: OpenSessionEntry): string {
  if (isGroupType(chatType)) return chatType;
  return chatType === 'direct' && /^(?:.*:)?main$/is.test(key.trim()) ? 'shared-main' : 'conversation';
}

function statusOf(value: unknown): string | null {
  return oneOf(STATUSES, value === 'interrupted' ? 'failed' : value);
}

function oneOf(values: readonly string[], value: unknown): string | null {
  return values.find((known) => known === value) ?? null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function wholeOf(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

function objectOf(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}

/**
 * Refuses what OpenClaw would not read back. One row with a key that is not in its own spelling, or an entry without its
 * identity, and OpenClaw refuses the whole database. What is stored already is OpenClaw's own and is not checked.
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
  return new OpenBotError('STORE_ENTRY_INVALID', `The entry for ${key} cannot be stored: ${why}`, {
    hint: 'OpenClaw refuses a database with such an entry. Nothing was changed.',
  });
}

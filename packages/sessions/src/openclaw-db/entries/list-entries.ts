import { isJsonObject } from '../../entry/json-object.ts';
import type { StoredSession } from '../../store/contract.ts';
import { statDatabase } from '../file-versions.ts';
import { type OpenclawDatabase, readSessionDatabase } from '../open-database.ts';
import { NO_ENTRY, parseEntry } from './entry-rows.ts';

/**
 * The entries of a database as OpenClaw lists them, by key, for a program that looks once and ends: without the skills and the prompt
 * report, which are most of their bytes; with `owner`, `participants` and `participantCount`, which are kept in places of
 * their own. Undefined when there is no database, or none in which sessions are kept.
 */
export function lookIntoDatabaseEntries(path: string): StoredSession[] | undefined {
  if (statDatabase(path) === undefined) return undefined;
  return readSessionDatabase(path, listEntries);
}

type EntryRow = { key: string; text: string } & OwnerRow;

function listEntries(database: OpenclawDatabase): StoredSession[] {
  const { db, schema } = database;
  const owner = OWNER_COLUMNS.every((column) => schema.has('session_nodes', column)) ? OWNER_COLUMNS : [];
  const rows = db.prepare(
    `SELECT ${['session_key AS key', `${LISTED_TEXT} AS text`, ...owner].join(', ')} FROM session_nodes
     WHERE entry_valid <> ${NO_ENTRY} ORDER BY session_key`,
  );
  const participants = listParticipants(database);
  const sessions: StoredSession[] = [];
  for (const each of rows.iterate()) {
    const row = each as EntryRow;
    const parsed = parseEntry(row.text);
    if (parsed === undefined || INTERNAL_KEY.test(row.key)) continue;
    const identities = participants.get(row.key);
    const entry = {
      ...parsed,
      ...(owner.length > 0 && readOwner(row)),
      ...(identities && { participants: identities, participantCount: identities.length }),
    };
    sessions.push({ key: row.key, entry });
  }
  return sessions;
}

/** What OpenClaw keeps for the effects of runs that are not shown to a person. */
const INTERNAL_KEY = /^agent:[^:]*:internal-session-effects:/;

const LISTED_TEXT = `CASE WHEN json_valid(entry_json)
  THEN json_remove(entry_json, '$.skillsSnapshot', '$.systemPromptReport') ELSE entry_json END`;

const OWNER_COLUMNS = [
  'owner_actor_type',
  'owner_actor_id',
  'owner_assigned_by_type',
  'owner_assigned_by_id',
  'owner_assigned_at',
] as const;

type OwnerRow = Partial<Record<(typeof OWNER_COLUMNS)[number], string | number | null>>;

function readOwner(row: OwnerRow) {
  const actor = readActor(row.owner_actor_type, row.owner_actor_id);
  if (actor === undefined) return undefined;
  const assignedBy = readActor(row.owner_assigned_by_type, row.owner_assigned_by_id);
  const assignedAt = row.owner_assigned_at ?? undefined;
  return { owner: { actor, ...(assignedBy && { assignedBy }), ...(assignedAt && { assignedAt }) } };
}

function readActor(type: unknown, id: unknown) {
  return typeof type === 'string' && typeof id === 'string' && id.trim() !== ''
    ? { type, id: id.trim() }
    : undefined;
}

/** Who took part in a session, by its key. The namespace is the identity without its id, as JSON. */
function listParticipants({ db, schema }: OpenclawDatabase): Map<string, { identity: object }[]> {
  const participants = new Map<string, { identity: object }[]>();
  if (!schema.has('session_participants', 'identity_namespace')) return participants;
  const rows = db.prepare(
    `SELECT session_key AS key, identity_namespace AS namespace, actor_id AS id FROM session_participants
     ORDER BY session_key, first_prompted_at, actor_id, identity_namespace`,
  );
  for (const each of rows.iterate()) {
    const { key, namespace, id } = each as { key: string; namespace: string; id: string };
    const parsed = parseEntry(namespace) as unknown;
    const one = { identity: { ...(isJsonObject(parsed) ? parsed : {}), id } };
    const known = participants.get(key);
    if (known === undefined) participants.set(key, [one]);
    else known.push(one);
  }
  return participants;
}

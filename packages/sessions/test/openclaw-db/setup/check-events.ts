import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import type { StoredEvent } from './reference-projection.ts';
import { isObject } from './reference-tree.ts';

export interface CheckedEvent extends StoredEvent {
  readonly event: unknown;
}

const LINKS = ['type', 'id', 'parentId', 'targetId', 'appendParentId', 'appendMode'];

const links = (value: unknown) =>
  isObject(value)
    ? Object.fromEntries(
        LINKS.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]),
      )
    : value;

/** The events of a session, decompressed and parsed, and what is wrong with the way they are stored. */
export function readStoredEvents(
  database: DatabaseSync,
  sessionId: string,
): { events: CheckedEvent[]; faults: string[] } {
  const faults: string[] = [];
  const events: CheckedEvent[] = [];
  const rows = database
    .prepare('SELECT * FROM transcript_events WHERE session_id = ? ORDER BY seq')
    .iterate(sessionId);
  for (const row of rows) {
    const seq = Number(row.seq);
    if ((row.event_json === null) === (row.event_zstd === null)) {
      faults.push(`event ${seq} is not stored in exactly one of event_json and event_zstd`);
      continue;
    }
    try {
      const bytes =
        row.event_json === null
          ? zstdDecompressSync(row.event_zstd as Uint8Array)
          : Buffer.from(String(row.event_json), 'utf8');
      const json = bytes.toString('utf8');
      const event: unknown = JSON.parse(json);
      if (bytes.byteLength !== row.event_utf8_bytes) {
        faults.push(
          `event ${seq} has ${bytes.byteLength} bytes, and event_utf8_bytes ${row.event_utf8_bytes}`,
        );
      }
      faults.push(
        ...findNavigationFaults(row.navigation_json, event).map((fault) => `event ${seq}: ${fault}`),
      );
      events.push({ seq, json, createdAt: Number(row.created_at), event });
    } catch (error) {
      faults.push(`event ${seq} cannot be read: ${(error as Error).message}`);
    }
  }
  return { events, faults };
}

/** OpenClaw takes the tree from `navigation_json` where there is one, so it must say what the event says. */
function findNavigationFaults(json: unknown, event: unknown): string[] {
  if (json === null) return [];
  const stored = JSON.parse(String(json));
  const differing = ['navigation', 'reset', 'model'].filter(
    (part) => !isDeepStrictEqual(links(stored[part]), links(event)),
  );
  return differing.map((part) => `navigation_json.${part} is not what the event says`);
}

interface Identity {
  readonly event_id: string;
  readonly event_type: string | null;
  readonly parent_id: string | null;
  readonly message_idempotency_key: string | null;
  readonly created_at: number;
}

const readText = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);

function expectIdentity({ event, createdAt }: CheckedEvent): Identity | undefined {
  const id = isObject(event) ? readText(event.id) : null;
  if (!isObject(event) || id === null) return undefined;
  return {
    event_id: id,
    event_type: typeof event.type === 'string' ? event.type : null,
    parent_id: typeof event.parentId === 'string' ? event.parentId : null,
    message_idempotency_key: isObject(event.message) ? readText(event.message.idempotencyKey) : null,
    created_at: createdAt,
  };
}

/** Identities that do not say what the events say. Gaps in the sequence numbers are no fault. */
export function findEventFaults(
  database: DatabaseSync,
  sessionId: string,
  events: readonly CheckedEvent[],
): string[] {
  const rows = database
    .prepare('SELECT * FROM transcript_event_identities WHERE session_id = ? ORDER BY seq')
    .all(sessionId);
  const stored = new Map(rows.map((row) => [Number(row.seq), row as unknown as Identity]));
  const faults: string[] = [];
  const owned = new Set<string>();
  const keys = new Set(rows.map((row) => row.message_idempotency_key));
  for (const checked of events) {
    const { seq } = checked;
    const expected = expectIdentity(checked);
    const found = stored.get(seq);
    stored.delete(seq);
    if (expected === undefined) {
      if (found !== undefined) faults.push(`event ${seq} has no id, and an identity`);
      continue;
    }
    if (found === undefined) {
      if (!owned.has(expected.event_id)) faults.push(`event ${seq} has no identity`);
      continue;
    }
    owned.add(expected.event_id);
    for (const name of ['event_id', 'event_type', 'parent_id', 'created_at'] as const) {
      if (found[name] !== expected[name]) {
        faults.push(`identity ${seq}: ${name} is ${found[name]}, and the event says ${expected[name]}`);
      }
    }
    const [key, said] = [found.message_idempotency_key, expected.message_idempotency_key];
    const isElsewhere = key === null && keys.has(said);
    if (key !== said && !isElsewhere) {
      faults.push(`identity ${seq}: message_idempotency_key is ${key}, and the event says ${said}`);
    }
  }
  for (const [seq, { event_id }] of stored)
    faults.push(`identity ${event_id} names event ${seq}, which is gone`);
  return faults;
}

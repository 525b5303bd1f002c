import type { OpenclawDatabase } from '../open-database.ts';

/**
 * Changes lines of one session. What hangs from a line by a foreign key goes with it; the active path must be written anew
 * afterwards. Lines are written plain, which is always legal.
 */
interface EventChanges {
  remove(seq: number): void;
  /**
   * Puts another text in the place of a line.
   * @param parentId what it names as its parent now; left out, the line tells
   */
  replace(seq: number, line: Buffer, parentId?: string | null): void;
  add(seq: number, line: Buffer): void;
}

type Event = Readonly<Record<string, unknown>>;

export function openEventChanges({ db }: Pick<OpenclawDatabase, 'db'>, sessionId: string): EventChanges {
  const remove = db.prepare('DELETE FROM transcript_events WHERE session_id = ? AND seq = ?');
  const replace = db.prepare(
    `UPDATE transcript_events SET event_json = CAST(? AS TEXT), event_zstd = NULL, navigation_json = NULL, event_utf8_bytes = ?
     WHERE session_id = ? AND seq = ?`,
  );
  const relink = db.prepare(
    'UPDATE transcript_event_identities SET parent_id = ? WHERE session_id = ? AND seq = ?',
  );
  const add = db.prepare(
    `INSERT INTO transcript_events (session_id, seq, event_json, event_utf8_bytes, created_at)
     VALUES (?, ?, CAST(? AS TEXT), ?, ?)`,
  );
  // Of two lines whose ids differ in blanks alone, the first owns the id.
  const identify = db.prepare(
    `INSERT INTO transcript_event_identities
       (session_id, event_id, seq, event_type, parent_id, message_idempotency_key, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session_id, event_id) DO NOTHING`,
  );
  const findKey = db.prepare(
    'SELECT 1 FROM transcript_event_identities WHERE session_id = ? AND message_idempotency_key = ?',
  );
  return {
    remove: (seq) => void remove.run(sessionId, seq),
    replace: (seq, line, parentId) => {
      replace.run(line, line.length, sessionId, seq);
      relink.run(parentId === undefined ? parentOf(parseEvent(line.toString())) : parentId, sessionId, seq);
    },
    add: (seq, line) => {
      const event = parseEvent(line.toString());
      const createdAt = wholeTimeOf(event.timestamp) ?? Date.now();
      add.run(sessionId, seq, line, line.length, createdAt);
      const id = readText(event.id);
      if (id === undefined) return;
      const key = readText((event.message as Event | undefined)?.idempotencyKey);
      // Only one line may own a key; an older one keeps it.
      const isFree = key !== undefined && findKey.get(sessionId, key) === undefined;
      const type = typeof event.type === 'string' ? event.type : null;
      identify.run(sessionId, id, seq, type, parentOf(event), isFree ? key : null, createdAt);
    },
  };
}

/** Makes messages findable, or no longer. Full text has no foreign key: it is updated here. */
interface SearchChanges {
  forget(messageId: string): void;
  forgetAll(): void;
  /** @param seq the line's number, whose time is taken where it has none of its own */
  learn(line: Buffer, seq: number): void;
}

export function openSearchChanges({ db }: Pick<OpenclawDatabase, 'db'>, sessionId: string): SearchChanges {
  const forget = db.prepare(
    'DELETE FROM session_transcript_fts_rows WHERE session_id = ? AND message_id = ?',
  );
  const readTime = db.prepare(
    `SELECT CAST(created_at AS REAL) AS createdAt FROM transcript_events WHERE session_id = ? AND seq = ?`,
  );
  const name = db.prepare('INSERT INTO session_transcript_fts_rows (session_id, message_id) VALUES (?, ?)');
  const fill = db.prepare(
    `INSERT INTO session_transcript_fts (rowid, text, session_id, message_id, role, timestamp)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return {
    forget: (messageId) => void forget.run(sessionId, messageId),
    forgetAll: () =>
      void db.prepare('DELETE FROM session_transcript_fts_rows WHERE session_id = ?').run(sessionId),
    learn: (line, seq) => {
      const time = readTime.get(sessionId, seq) as { createdAt: number };
      const found = searchTextOf(parseEvent(line.toString()), time.createdAt);
      if (found === undefined) return;
      // Two rows for one message would be found twice.
      forget.run(sessionId, found.messageId);
      const { lastInsertRowid } = name.run(sessionId, found.messageId);
      fill.run(lastInsertRowid, found.text, sessionId, found.messageId, found.role, found.timestamp);
    },
  };
}

/** The column takes whole numbers alone, and who reads it none that JavaScript cannot tell apart. */
function wholeTimeOf(timestamp: unknown): number | undefined {
  const time = Math.floor(timeOf(timestamp) ?? Number.NaN);
  return Number.isSafeInteger(time) ? time : undefined;
}

function parseEvent(text: string): Event {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Event) : {};
  } catch {
    return {};
  }
}

function parentOf({ parentId }: Event): string | null {
  return typeof parentId === 'string' ? parentId : null;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Copies lines of one session to another as they are kept, compressed ones too. */
export function openEventCopies(
  { db }: Pick<OpenclawDatabase, 'db'>,
  from: string,
  to: string,
): (seq: number, newSeq: number) => void {
  const copy = db.prepare(
    `INSERT INTO transcript_events
       (session_id, seq, event_json, event_zstd, event_utf8_bytes, navigation_json, created_at)
     SELECT ?, ?, event_json, event_zstd, event_utf8_bytes, navigation_json, created_at
     FROM transcript_events WHERE session_id = ? AND seq = ?`,
  );
  const identify = db.prepare(
    `INSERT INTO transcript_event_identities
       (session_id, event_id, seq, event_type, parent_id, message_idempotency_key, created_at)
     SELECT ?, event_id, ?, event_type, parent_id, message_idempotency_key, created_at
     FROM transcript_event_identities WHERE session_id = ? AND seq = ?`,
  );
  return (seq, newSeq) => {
    copy.run(to, newSeq, from, seq);
    identify.run(to, newSeq, from, seq);
  };
}

/** What OpenClaw's full-text search knows of one message. */
interface SearchText {
  readonly messageId: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly timestamp: number;
}

interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
}

/** The text of a person's or an assistant's message; undefined for every other line, and where there is none. */
export function searchTextOf(event: unknown, createdAt: number): SearchText | undefined {
  const { type, id, message, timestamp } = (event ?? {}) as Record<string, unknown>;
  if (type !== 'message' || typeof id !== 'string' || id.trim() === '') return undefined;
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined;
  const { role } = message as { role?: unknown };
  if (role !== 'user' && role !== 'assistant') return undefined;
  const text = textOf(message);
  if (text === undefined || text === '') return undefined;
  return { messageId: id.trim(), role, text, timestamp: timeOf(timestamp) ?? createdAt };
}

/** When an event says that it happened, in milliseconds. */
function timeOf(timestamp: unknown): number | undefined {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : timestamp;
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}

function textOf(message: { content?: unknown; text?: unknown }): string | undefined {
  const { content } = message;
  if (typeof content === 'string') return content.trim();
  if (typeof message.text === 'string') return message.text.trim();
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((block: Block | null) => {
    const isText = typeof block === 'object' && block !== null && TEXT_BLOCKS.has(block.type);
    return isText && typeof block.text === 'string' && block.text.trim() !== '' ? [block.text] : [];
  });
  return texts.length === 0 ? undefined : texts.join('\n');
}

const TEXT_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

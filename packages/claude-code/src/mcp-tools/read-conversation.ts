import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { activePath, OpenBotError, resolveSessionFilePath, type Transcript } from '@openbot/sessions';
import { parseThreadSessionSuffix } from '@openbot/sessions/key';
import type { OpenclawDatabase } from '@openbot/sessions/openclaw-database';
import { contextOf, extractSpokenText, FLAG, scanOpenTranscript } from '@openbot/sessions/transcript';
import { boundText, toIsoTime } from './answer.ts';
import { assertInside, type Conversation, isFile } from './find-conversation.ts';

const NOTHING: LastMessages = { messages: [], leftOut: 0 };

/** The last messages of a conversation, from the database if that has its lines, otherwise from its file. */
export async function readConversation(conversation: Conversation, limit: number): Promise<LastMessages> {
  const { databasePath, entry } = conversation;
  const inDatabase =
    databasePath === undefined ? undefined : await readFromDatabase(databasePath, entry.sessionId, limit);
  return inDatabase ?? readFromFile(conversation, limit);
}

/** Undefined if the database has no lines of the session. */
async function readFromDatabase(
  databasePath: string,
  sessionId: string,
  limit: number,
): Promise<LastMessages | undefined> {
  const sqlite = await import('@openbot/sessions/openclaw-database');
  const read = (database: OpenclawDatabase) => {
    const { transcript, readBytes } = sqlite.scanDatabaseTranscript(database, sessionId);
    if (transcript.length === 0)
      return sqlite.isColdSession(database, sessionId) ? ('cold' as const) : undefined;
    const picking = pickLastMessages(transcript, listSpoken(transcript), limit);
    let step = picking.next();
    while (!step.done) step = picking.next(readBytes(step.value));
    return step.value;
  };
  const found = sqlite.readOpenclawDatabase(databasePath, read);
  if (found === 'cold') {
    throw new OpenBotError(
      'TRANSCRIPT_UNREADABLE',
      `The lines of session ${sessionId} were moved out of the database`,
      { hint: 'OpenClaw moves them back when the conversation continues.' },
    );
  }
  return found;
}

async function readFromFile({ files, key, entry }: Conversation, limit: number): Promise<LastMessages> {
  const path = locateFile(files.storePath, key, entry);
  assertInside(files, path);
  if (!isFile(path)) return NOTHING;
  // One handle, in case the file is replaced meanwhile. O_NONBLOCK, in case it is a pipe.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const transcript = await scanOpenTranscript(handle, path);
    const picking = pickLastMessages(transcript, listSpoken(transcript), limit);
    let step = picking.next();
    while (!step.done) {
      const start = transcript.startOf(step.value);
      const bytes = Buffer.alloc(transcript.endOf(step.value) - start);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      step = picking.next(bytes.subarray(0, bytesRead));
    }
    return step.value;
  } finally {
    await handle.close();
  }
}

function locateFile(storePath: string, key: string, entry: Conversation['entry']): string {
  const sessionsDir = dirname(storePath);
  const { threadId } = parseThreadSessionSuffix(key);
  if (threadId !== undefined && entry.sessionFile === undefined) {
    const ofThread = resolveSessionFilePath(entry.sessionId, entry, { sessionsDir, topicId: threadId });
    if (isFile(ofThread)) return ofThread;
  }
  return resolveSessionFilePath(entry.sessionId, entry, { sessionsDir });
}

/** A message in the form that tools return. */
interface SpokenMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** ISO 8601; absent if the line has no time. */
  readonly at?: string;
  /** Whether the text was shortened. */
  readonly isCut: boolean;
}

interface LastMessages {
  /** Oldest first. */
  readonly messages: readonly SpokenMessage[];
  /** Number of earlier messages, and of those that are too long to be read. */
  readonly leftOut: number;
}

const MAX_MESSAGE_TEXT = 4000;
/** A longer line holds images rather than text. */
const MAX_LINE = 4 * 1024 * 1024;
/** Limit of bytes read in total; earlier messages are left out. */
const MAX_READ = 64 * 1024 * 1024;
const UNSPOKEN = FLAG.meta | FLAG.compactSummary | FLAG.failed | FLAG.sidechain;

/** Indices of the messages of people and of the assistant on the active path, oldest first. */
function listSpoken(transcript: Transcript): number[] {
  const path = activePath(transcript).entries;
  const { takenOut, edits } = contextOf(transcript, path);
  const hidden = new Set([...takenOut, ...edits.keys()]);
  // A reset starts a new conversation; a compaction only shortens the context of the model.
  const start = path.findLastIndex((index) => transcript.kindOf(index) === 'reset') + 1;
  return path.slice(start).filter((index) => {
    const role = transcript.roleOf(index);
    if (transcript.kindOf(index) !== 'message' || (role !== 'user' && role !== 'assistant')) return false;
    return (
      (transcript.flagsOf(index) & UNSPOKEN) === 0 && transcript.textSizeOf(index) > 0 && !hidden.has(index)
    );
  });
}

/**
 * Collects the last messages backwards. It yields the index of each line that it needs and receives the bytes, because
 * files are read asynchronously and rows synchronously. It holds one line at a time.
 * @param indices from `listSpoken`
 */
function* pickLastMessages(
  transcript: Transcript,
  indices: readonly number[],
  limit: number,
): Generator<number, LastMessages, Buffer> {
  const messages: SpokenMessage[] = [];
  let at = indices.length;
  let tooLong = 0;
  let read = 0;
  while (at > 0 && messages.length < limit && read < MAX_READ) {
    const index = indices[--at]!;
    const size = transcript.endOf(index) - transcript.startOf(index);
    if (size > MAX_LINE) {
      tooLong++;
      continue;
    }
    read += size;
    const message = readMessage(yield index);
    if (message !== undefined) messages.unshift(message);
  }
  return { messages, leftOut: at + tooLong };
}

function readMessage(bytes: Buffer): SpokenMessage | undefined {
  let line: unknown;
  try {
    line = JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
  const spoken = extractSpokenText(line);
  if (spoken === undefined) return undefined;
  const text = boundText(spoken.text, MAX_MESSAGE_TEXT);
  const at = readTime(line as { timestamp?: unknown; message?: { timestamp?: unknown } });
  const isCut = [...spoken.text.slice(0, 2 * MAX_MESSAGE_TEXT + 2)].length > MAX_MESSAGE_TEXT;
  return { role: spoken.role, text, at, isCut };
}

function readTime(line: { timestamp?: unknown; message?: { timestamp?: unknown } }): string | undefined {
  return toIsoTime(line.timestamp) ?? toIsoTime(line.message?.timestamp);
}

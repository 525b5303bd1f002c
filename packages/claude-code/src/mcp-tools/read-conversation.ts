import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OpenBotError, resolveSessionFilePath } from '@openbot/sessions';
import { parseThreadSessionSuffix } from '@openbot/sessions/key';
import type { OpenclawDatabase } from '@openbot/sessions/openclaw-database';
import { scanOpenTranscript } from '@openbot/sessions/transcript';
import { assertInside, isFile } from './agent-place.ts';
import type { Conversation } from './find-conversation.ts';
import { type LastMessages, listSpoken, pickLastMessages } from './last-messages.ts';

const NOTHING: LastMessages = { messages: [], leftOut: 0 };

/** The last that was said in a conversation: from the database where its lines are there, else from its file. */
export async function readConversation(conversation: Conversation, limit: number): Promise<LastMessages> {
  const inDatabase =
    conversation.storage === 'sqlite' ? await readFromDatabase(conversation, limit) : undefined;
  return inDatabase ?? readFromFile(conversation, limit);
}

/** Undefined where the database has no lines of the session. */
async function readFromDatabase(
  { place, entry: { sessionId } }: Conversation,
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
  const found = sqlite.readOpenclawDatabase(place.databasePath!, read);
  if (found === 'cold') {
    throw new OpenBotError(
      'TRANSCRIPT_UNREADABLE',
      `The lines of session ${sessionId} were moved out of the database`,
      { hint: 'OpenClaw brings them back when the conversation goes on.' },
    );
  }
  return found;
}

async function readFromFile({ place, key, entry }: Conversation, limit: number): Promise<LastMessages> {
  const path = locateFile(place.storePath, key, entry);
  assertInside(place, path);
  if (!isFile(path)) return NOTHING;
  // One file from beginning to end, also when it is replaced meanwhile; and no wait for a pipe.
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

import { OpenBotError } from '@openbot/sessions';
import {
  iterateEventsBackwards,
  type OpenclawDatabase,
  readOpenclawDatabase,
} from '@openbot/sessions/openclaw-database';
import { readFileLinesBackwards } from '@openbot/sessions/transcript';
import type { FoundSession } from '../storage/contract/found-session.ts';

/** No run asks for more calls at once, or writes more beside them. */
const MOST_LINES = 500;

/** Where the transcript of a session is. */
export type SessionPlace = Pick<FoundSession, 'sessionId' | 'path'> & {
  readonly storage?: FoundSession['storage'];
};

/**
 * Of each session the arguments of the calls in its last message that have no result yet; none where the last message
 * is something else. Reads backwards from the end, no further than that message, and opens a database once.
 */
export async function readOpenCalls<Session extends SessionPlace>(
  sessions: readonly Session[],
): Promise<Map<Session, unknown[]>> {
  const calls = new Map<Session, unknown[]>();
  const inDatabases = Map.groupBy(
    sessions.filter(({ storage }) => storage === 'sqlite'),
    ({ path }) => path,
  );
  for (const [path, own] of inDatabases) readInDatabase(path, own, calls);
  for (const session of sessions) {
    if (session.storage === undefined) calls.set(session, await readInFile(session.path));
  }
  return calls;
}

async function readInFile(path: string): Promise<unknown[]> {
  try {
    const look = lookBackwards();
    for await (const { bytes } of readFileLinesBackwards(path)) {
      const found = look(bytes);
      if (found !== undefined) return found;
    }
  } catch {
    // A transcript that cannot be read is not the one that is running.
  }
  return [];
}

function readInDatabase<Session extends SessionPlace>(
  path: string,
  sessions: readonly Session[],
  calls: Map<Session, unknown[]>,
): void {
  try {
    readOpenclawDatabase(path, (database) => {
      for (const session of sessions) calls.set(session, readInEvents(database, session.sessionId));
    });
  } catch {
    // What was found before the fault may be of another moment.
    for (const session of sessions) calls.delete(session);
  }
}

function readInEvents(database: OpenclawDatabase, sessionId: string): unknown[] {
  try {
    const look = lookBackwards();
    for (const bytes of iterateEventsBackwards(database, sessionId)) {
      const found = look(bytes);
      if (found !== undefined) return found;
    }
  } catch (error) {
    // A damaged line is of this session alone; what SQLite says concerns all.
    if (!(error instanceof OpenBotError)) throw error;
  }
  return [];
}

/** Takes one line after the other from the end on, and gives the open calls as soon as they are known. */
function lookBackwards(): (bytes: Buffer | undefined) => unknown[] | undefined {
  const answered = new Set<unknown>();
  let lines = 0;
  return (bytes) => {
    if (++lines > MOST_LINES || bytes === undefined) return [];
    const message = readMessage(bytes);
    if (message?.role === 'assistant') return openCallsOf(message.content, answered);
    if (message?.role === 'user') return [];
    if (message?.role === 'toolResult') answered.add(message.toolCallId);
    return undefined;
  };
}

interface Message {
  readonly role?: unknown;
  readonly toolCallId?: unknown;
  readonly content?: unknown;
}

function readMessage(bytes: Buffer): Message | undefined {
  try {
    const line = JSON.parse(bytes.toString('utf8')) as { message?: Message | null } | null;
    return line?.message ?? undefined;
  } catch {
    return undefined;
  }
}

function openCallsOf(content: unknown, answered: ReadonlySet<unknown>): unknown[] {
  if (!Array.isArray(content)) return [];
  return content.filter((block) => isCall(block) && !answered.has(block.id)).map((block) => block.arguments);
}

interface Call {
  readonly type: string;
  readonly id?: unknown;
  readonly arguments?: unknown;
}

function isCall(block: unknown): block is Call {
  const type = (block as Partial<Call> | null)?.type;
  return type === 'toolCall' || type === 'toolUse' || type === 'functionCall';
}

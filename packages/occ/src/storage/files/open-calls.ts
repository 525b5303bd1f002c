import { readFileLinesBackwards } from '@openbot/sessions/transcript';
import type { SessionAddress } from '../contract/finding.ts';

/** No run makes more calls at once, or writes more lines beside them. */
const MOST_LINES = 500;

/** The open calls of sessions in files. Each file is read backwards from its end, no further than the last message. */
export async function readOpenCallsOfFiles<Session extends SessionAddress>(
  sessions: readonly Session[],
): Promise<Map<Session, unknown[]>> {
  const calls = new Map<Session, unknown[]>();
  for (const session of sessions) calls.set(session, await readInFile(session.path));
  return calls;
}

async function readInFile(path: string): Promise<unknown[]> {
  try {
    const look = searchBackwards();
    for await (const { bytes } of readFileLinesBackwards(path)) {
      const found = look(bytes);
      if (found !== undefined) return found;
    }
  } catch {
    // A transcript that cannot be read is not the one that is running.
  }
  return [];
}

/** Takes the lines one by one from the end, and returns the open calls as soon as they are known. */
export function searchBackwards(): (bytes: Buffer | undefined) => unknown[] | undefined {
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

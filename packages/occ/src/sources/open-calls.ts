import { readFileLinesBackwards } from '@openbot/sessions';

/** No run asks for more calls at once, or writes more beside them. */
const MOST_LINES = 500;

/**
 * The arguments of the calls in the last message that have no result yet; none where the last message is something else.
 * Reads backwards from the end, and no further than that message.
 */
export async function readOpenCalls(path: string): Promise<unknown[]> {
  try {
    const answered = new Set<unknown>();
    let lines = 0;
    for await (const { bytes } of readFileLinesBackwards(path)) {
      if (++lines > MOST_LINES || bytes === undefined) break;
      const message = readMessage(bytes);
      if (message?.role === 'toolResult') answered.add(message.toolCallId);
      else if (message?.role === 'assistant') return openCallsOf(message.content, answered);
      else if (message?.role === 'user') break;
    }
  } catch {
    // A transcript that cannot be read is not the one that is running.
  }
  return [];
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

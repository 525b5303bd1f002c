import { readFileLinesBackwards, readFileStart } from '@openbot/sessions/transcript';
import { TURN_MARK } from '../transcripts/contract.ts';

/** What a transcript says about its session. */
export interface TranscriptOwner {
  readonly sessionId: string;
  /** Of the header: when the session began, or was cloned. ms */
  readonly startedAt: number;
  /** Of the last turn. Undefined where no turn of the session names a conversation. */
  readonly turn?: { readonly sessionKey: string; readonly at: number };
}

const HEADER_BYTES = 64 * 1024;
const MARK = Buffer.from(`"${TURN_MARK}"`);

/**
 * The header, and the key in the mark of the last turn. A fork or a clone begins with marks of another session, which are
 * older than its header and say nothing about it. Undefined where there is no header.
 */
export async function readOwner(path: string): Promise<TranscriptOwner | undefined> {
  const header = readHeader(path);
  if (header === undefined) return undefined;
  for await (const { bytes } of readFileLinesBackwards(path)) {
    if (bytes === undefined || !bytes.includes(MARK)) continue;
    const { customType, timestamp, data } = parse(bytes.toString('utf8'));
    const sessionKey = (data as { sessionKey?: unknown } | undefined)?.sessionKey;
    if (customType !== TURN_MARK || typeof sessionKey !== 'string') continue;
    const at = timeOf(timestamp);
    return at < header.startedAt ? header : { ...header, turn: { sessionKey, at } };
  }
  return header;
}

function readHeader(path: string): TranscriptOwner | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const text = bytes.toString('utf8', 0, readFileStart(path, bytes));
  for (const line of text.split('\n')) {
    const { type, id, timestamp, clonedAt } = parse(line);
    if (type !== 'session' || typeof id !== 'string') continue;
    return { sessionId: id, startedAt: Math.max(timeOf(timestamp), timeOf(clonedAt)) };
  }
  return undefined;
}

function timeOf(timestamp: unknown): number {
  return (typeof timestamp === 'string' && Date.parse(timestamp)) || 0;
}

function parse(line: string): { readonly [field: string]: unknown } {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}

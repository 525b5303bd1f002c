import { readFileLinesBackwards, readFileStart } from '@openbot/sessions/transcript';
import { TURN_MARK, type TurnMark } from '../transcripts/contract.ts';

/** What a transcript says about its session. */
export interface TranscriptOwner {
  readonly sessionId: string;
  /** When the session began, or was cloned. ms */
  readonly startedAt: number;
  /** The last one. Undefined where no turn of the session names a conversation. */
  readonly turn?: { readonly sessionKey: string; readonly turnId: string; readonly at: number };
  /** The header is lost, or was put in front of the turns later: it does not say whether the session is a copy. */
  readonly isHeaderLost?: true;
}

const HEADER_BYTES = 64 * 1024;
const MARK = Buffer.from(`"${TURN_MARK}"`);

/**
 * The header, and the mark of the last turn. A fork or a clone begins with marks of another session, which are older than its
 * header and say nothing about it. Where a session that its header does not call a copy has older marks, the first of them
 * says when it began.
 * @param sessionId of its file name, where there is no header
 */
export async function readOwner(path: string, sessionId: string): Promise<TranscriptOwner> {
  const header = readHeader(path);
  let owner: TranscriptOwner = header?.owner ?? { sessionId, startedAt: 0 };
  for await (const { bytes } of readFileLinesBackwards(path)) {
    const turn = bytes?.includes(MARK) ? readTurn(bytes) : undefined;
    if (turn === undefined) continue;
    if (owner.turn === undefined) {
      if (header !== undefined && turn.at >= owner.startedAt) return { ...owner, turn };
      if (header?.isCopy) return owner;
    }
    owner = { turn, ...owner, startedAt: turn.at, isHeaderLost: true };
  }
  return owner;
}

/** Whether a transcript has the mark of a turn. */
export async function hasTurn(path: string, turnId: string): Promise<boolean> {
  for await (const { bytes } of readFileLinesBackwards(path))
    if (bytes?.includes(MARK) && readTurn(bytes)?.turnId === turnId) return true;
  return false;
}

function readTurn(line: Buffer): TranscriptOwner['turn'] {
  const { customType, timestamp, data } = parse(line.toString('utf8'));
  const { sessionKey, turnId } = Object(data) as Partial<TurnMark>;
  if (customType !== TURN_MARK || typeof sessionKey !== 'string') return undefined;
  return { sessionKey, turnId: String(turnId), at: timeOf(timestamp) };
}

function readHeader(path: string): { readonly owner: TranscriptOwner; readonly isCopy: boolean } | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const text = bytes.toString('utf8', 0, readFileStart(path, bytes));
  for (const line of text.split('\n')) {
    const { type, id, timestamp, clonedAt, parentSession } = parse(line);
    if (type !== 'session' || typeof id !== 'string') continue;
    const startedAt = Math.max(timeOf(timestamp), timeOf(clonedAt));
    const isCopy = clonedAt !== undefined || parentSession !== undefined;
    return { owner: { sessionId: id, startedAt }, isCopy };
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

import { FLAG } from '../transcript/entry.ts';
import { ABSENT } from '../transcript/formats/dialect.ts';
import { isCanonicalEntry } from '../transcript/tree/openclaw-tree.ts';
import { DANGLING, type Transcript } from '../transcript/transcript.ts';
import { activePath } from '../transcript/tree/tree.ts';
import type { DatabaseTranscript } from './scan-transcript.ts';

/** A row of the active path, as OpenClaw keeps it. */
export interface ActiveRow {
  readonly seq: number;
  readonly messagePosition: number | null;
  readonly contextEligible: 0 | 1;
}

/** What OpenClaw keeps beside the lines so that it need not read them all. */
export interface Projection {
  /** By active position. */
  readonly rows: readonly ActiveRow[];
  /** What the next entry will hang from. */
  readonly leafEventId: string | null;
  readonly indexedSeq: number;
  readonly messageCount: number;
}

/** Computes the active path of a session from its lines alone, by OpenClaw's rules. */
export function projectTranscript(scanned: DatabaseTranscript): Projection {
  const { transcript, seqs } = scanned;
  const rows: ActiveRow[] = [];
  let messageCount = 0;
  for (const index of findPath(transcript)) {
    const isMessage = transcript.has(index, FLAG.hasMessage);
    rows.push({
      seq: seqs[index]!,
      messagePosition: isMessage ? messageCount++ : null,
      contextEligible: isExcluded(scanned, index) ? 0 : 1,
    });
  }
  return {
    rows,
    leafEventId: transcript.appendParentId,
    indexedSeq: seqs.at(-1) ?? -1,
    messageCount,
  };
}

/** Where no entry is the end of a path, all lines that say something are it, unless a line moved the end there. */
function findPath(transcript: Transcript): readonly number[] {
  const { entries, brokenAt } = activePath(transcript);
  const isRing = brokenAt !== undefined && transcript.parentOf(brokenAt) !== DANGLING;
  if (transcript.tree !== undefined && entries.length > 0 && !isRing) return entries;
  return transcript.tree?.hasLeafControl ? [] : listInOrder(transcript);
}

function listInOrder(transcript: Transcript): number[] {
  const listed: number[] = [];
  for (let i = 0; i < transcript.length; i++) {
    const isPlaced = transcript.idNumberOf(i) >= 0 && transcript.parentNumberOf(i) !== ABSENT;
    const isLinked = isPlaced && (transcript.kindOf(i) !== 'leaf' || transcript.controls.has(i));
    if (isLinked || isCanonicalEntry(transcript, i) || transcript.has(i, FLAG.hasMessage)) listed.push(i);
  }
  return listed;
}

/** What was read of a line does not always tell: the flag may stand beside the message, or in one that is not read. */
function isExcluded({ transcript, readBytes }: DatabaseTranscript, index: number): boolean {
  if (!transcript.has(index, FLAG.hasMessage)) return false;
  if (transcript.kindOf(index) === 'message' && !transcript.has(index, FLAG.outOfContext)) return false;
  const event = JSON.parse(readBytes(index).toString()) as {
    message: { excludeFromContext?: unknown } | null;
  };
  return event.message?.excludeFromContext === true;
}

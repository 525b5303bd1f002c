import type { Transcript } from '@openbot/sessions';
import { LineSplitter, TranscriptBuilder } from '@openbot/sessions/transcript';
import type { CleanPlan } from '../../src/clean/plan.ts';
import { planClean } from '../../src/clean/plan-clean.ts';
import { rewriteLine } from '../../src/clean/rewrite-line.ts';
import type { ResolvedToolRemovalOptions } from '../../src/clean/tool-removal.ts';

export function readTranscript(bytes: Buffer): Transcript {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(bytes);
  splitter.finish();
  return builder.finish(splitter.offset);
}

/** A line that was there before the clean. */
export interface CleanedLine {
  /** One byte a character, without the line end. */
  readonly before: string;
  /** What became of it; undefined when it went. */
  readonly after: string | undefined;
}

export interface Cleaned {
  readonly transcript: Transcript;
  readonly plan: CleanPlan;
  readonly lines: readonly CleanedLine[];
  /** All that the plan says, done. */
  readonly planned: Buffer;
  /** What a caller would write: a clean that does not shrink the transcript is none. */
  readonly bytes: Buffer;
}

/** Plans a clean and does it in memory. */
export function cleanBytes(bytes: Buffer, options: ResolvedToolRemovalOptions): Cleaned {
  const transcript = readTranscript(bytes);
  const read = (index: number) =>
    bytes.toString('latin1', transcript.startOf(index), transcript.endOf(index));
  const plan = planClean(transcript, options, read);
  const lines: CleanedLine[] = [];
  let text = transcript.length === 0 ? '' : bytes.toString('latin1', 0, transcript.startOf(0));
  for (let i = 0; i < transcript.length; i++) {
    const before = read(i);
    const edit = plan.isRemoved(i) ? undefined : plan.editOf(i);
    const kept = edit === undefined ? before : rewriteLine(before, edit, transcript.dialect!);
    const after = plan.isRemoved(i) ? undefined : kept;
    lines.push({ before, after });
    const next = i + 1 < transcript.length ? transcript.startOf(i + 1) : bytes.length;
    if (after !== undefined) text += after + bytes.toString('latin1', transcript.endOf(i), next);
  }
  const planned = Buffer.from(text, 'latin1');
  const isSmaller = plan.changes && planned.length < bytes.length;
  return { transcript, plan, lines, planned, bytes: isSmaller ? planned : bytes };
}

import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Transcript } from '@openbot/sessions';
import { type LineCopier, SourceChanged } from '@openbot/sessions/rewrite';
import type { LineChanges, LineReader } from '../clean/plan.ts';
import { rewriteLine } from '../clean/rewrite-line.ts';

/** Writes a transcript as the plan wants it. Lines that need not change are copied byte for byte, neighbours together. */
export async function applyPlan(
  target: Pick<LineCopier, 'copy' | 'readText' | 'putByteText'>,
  transcript: Transcript,
  plan: LineChanges,
): Promise<void> {
  const dialect = transcript.dialect ?? 'openclaw';
  // A byte order mark belongs to no line.
  if (transcript.length > 0) await target.copy(0, transcript.startOf(0));
  let from = -1;
  // Blank lines stay.
  for (let i = 0, length = transcript.length; i < length; i++) {
    const next = transcript.behindBlanks(i);
    if (next > i) {
      if (from < 0) from = i;
      i = next - 1;
      continue;
    }
    const edit = plan.isRemoved(i) ? undefined : plan.editOf(i);
    const isAsItIs = edit === undefined && !plan.isRemoved(i);
    if (isAsItIs) {
      if (from < 0) from = i;
      continue;
    }
    const copying = from < 0 ? undefined : target.copy(transcript.startOf(from), transcript.startOf(i));
    if (copying !== undefined) await copying;
    from = -1;
    if (edit === undefined) continue;
    const read = edit.begun ?? target.readText(transcript.startOf(i), transcript.endOf(i));
    const line = typeof read === 'string' ? read : await read;
    const pending = target.putByteText(rewriteLine(line, edit, dialect) + lineEndOf(transcript, i));
    if (pending !== undefined) await pending;
  }
  if (from >= 0) await target.copy(transcript.startOf(from), transcript.byteLength);
}

/** By their length. */
const LINE_ENDS = ['', '\n', '\r\n'];

/** The line end; empty where the last line has none. */
function lineEndOf(transcript: Transcript, index: number): string {
  const end = index + 1 < transcript.length ? transcript.startOf(index + 1) : transcript.byteLength;
  return LINE_ENDS[end - transcript.endOf(index)]!;
}

/** Reads lines of an open transcript. What it gives is good until the next call. */
export function makeLineReader(source: FileHandle, transcript: Transcript): LineReader {
  let buffer = Buffer.allocUnsafe(64 * 1024);
  return (index) => {
    const start = transcript.startOf(index);
    const length = transcript.endOf(index) - start;
    if (buffer.length < length) buffer = Buffer.allocUnsafe(length * 2);
    for (let filled = 0; filled < length; ) {
      const count = readSync(source.fd, buffer, filled, length - filled, start + filled);
      if (count === 0) throw new SourceChanged();
      filled += count;
    }
    return buffer.toString('latin1', 0, length);
  };
}

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { FLAG, LineSplitter, TranscriptBuilder } from '@openbot/sessions/transcript';
import type { SessionLines } from 'oc-context-cleaner';
import type { ChosenEntries } from './choose-entries.ts';

/** A file as it was when it was last read. */
interface KnownFile {
  readonly ino: bigint;
  /** Where the next line begins. */
  readonly offset: number;
  readonly dialect: string | undefined;
  readonly turns: number;
}

export interface AppendedLines {
  readonly lines: SessionLines;
  readonly chosen: ChosenEntries;
  readonly ids: readonly string[];
  readonly offset: number;
}

/** So much at once: the rest is read by the next call. */
const MOST = 64 * 1024 * 1024;

/** The whole lines behind a place in a file. Undefined where the file is another one, or became shorter. */
export async function readAppended(path: string, known: KnownFile): Promise<AppendedLines | undefined> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { ino, size } = await file.stat({ bigint: true });
    if (ino !== known.ino || size < known.offset) return undefined;
    const bytes = Buffer.alloc(Math.min(MOST, Number(size) - known.offset));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, known.offset);
    const end = bytes.lastIndexOf(0x0a, bytesRead - 1) + 1;
    // A line that is longer than that is left to a reading of the whole file.
    if (end === 0 && bytesRead === MOST) return undefined;
    return describeLines(bytes.subarray(0, end), known);
  } finally {
    await file.close();
  }
}

function describeLines(bytes: Buffer, { offset, dialect, turns }: KnownFile): AppendedLines {
  const builder = new TranscriptBuilder(dialect === 'openclaw' ? 'openclaw' : undefined);
  const splitter = new LineSplitter(builder);
  splitter.push(bytes);
  splitter.finish();
  const transcript = builder.finish(bytes.length);
  const entries: number[] = [];
  const ids: string[] = [];
  const turnOf = new Int32Array(transcript.length);
  let turn = turns;
  for (let index = 0; index < transcript.length; index++) {
    const id = transcript.idOf(index);
    if (id !== undefined) ids.push(id);
    if (transcript.has(index, FLAG.sidechain)) continue;
    if (transcript.has(index, FLAG.startsTurn)) turn++;
    else if (turn === 0 && transcript.kindOf(index) === 'message') turn = 1;
    turnOf[index] = turn;
    entries.push(index);
  }
  return {
    lines: {
      transcript,
      readLine: (index) => bytes.toString('latin1', transcript.startOf(index), transcript.endOf(index)),
    },
    chosen: { entries, turnOf, turns: turn, offPath: 0, isOffPath: () => false },
    ids,
    offset: offset + bytes.length,
  };
}

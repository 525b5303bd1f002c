import { closeSync, openSync, readSync } from 'node:fs';
import type { Transcript } from '@openbot/sessions';
import { type LineCopier, SourceChanged } from '@openbot/sessions/rewrite';
import { LineSplitter, TranscriptBuilder } from '@openbot/sessions/transcript';
import type { LineChanges } from '../../clean/plan.ts';
import { applyPlan } from '../../rewrite/apply-plan.ts';
import type { OriginOf, SessionLines } from '../contract/rewriting.ts';
import { originOfLines, type Piece, writePieces } from './write-restored.ts';

/** Reads pieces of files as the one file that they would make. */
export async function readPieces(
  pieces: readonly Piece[],
  origins: ReadonlyMap<string, Transcript>,
): Promise<SessionLines> {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  await writePieces(
    {
      put: (bytes) => {
        splitter.push(bytes);
        return undefined;
      },
    },
    pieces,
  );
  splitter.finish();
  identifyOversize(builder, pieces, origins);
  const transcript = builder.finish(splitter.offset);
  const readLine = (index: number) =>
    readRange(pieces, transcript.startOf(index), transcript.endOf(index)).toString('latin1');
  return { transcript, readLine };
}

/** A line that is too long to be read has the place in the tree that it had where it was taken from. */
function identifyOversize(
  builder: TranscriptBuilder,
  pieces: readonly Piece[],
  origins: ReadonlyMap<string, Transcript>,
): void {
  const [type, id, parentId] = builder.placeFields as [string, string, string];
  for (const { line, start } of builder.oversizeLines) {
    const origin = originOfLines({ startOf: () => start }, pieces, origins)(0);
    const own = origin?.transcript.idOf(origin.index);
    if (origin === undefined || own === undefined) continue;
    const parent = origin.transcript.parentIdOf(origin.index);
    builder.identify(line, {
      [type]: origin.transcript.typeOf(origin.index),
      [id]: own,
      ...(typeof parent === 'string' && { [parentId]: parent }),
    });
  }
}

/** Writes pieces as a plan over the file that they make wants it. */
export function writeChanged(
  copier: LineCopier,
  pieces: readonly Piece[],
  joined: Transcript,
  plan: LineChanges,
): Promise<void> {
  const target = {
    copy: async (start: number, end: number) => {
      for (let at = start; at < end; at += CHUNK)
        await copier.put(readRange(pieces, at, Math.min(end, at + CHUNK)));
    },
    readText: (start: number, end: number) => readRange(pieces, start, end).toString('latin1'),
    putByteText: (text: string) => copier.putByteText(text),
  };
  return applyPlan(target, joined, plan);
}

const CHUNK = 1024 * 1024;

/** The lines of a written state, each where it was before lines went. */
export function originOfChanged(joined: Transcript, plan: LineChanges, originOf: OriginOf): OriginOf {
  const stayed: number[] = [];
  for (let index = 0; index < joined.length; index++) if (!plan.isRemoved(index)) stayed.push(index);
  return (index) => originOf(stayed[index]!);
}

function readRange(pieces: readonly Piece[], start: number, end: number): Buffer {
  const parts: Buffer[] = [];
  for (const piece of pieces) {
    const length = piece.line?.length ?? piece.end - piece.start;
    if (piece.isApart && start < piece.at && end >= piece.at) parts.push(Buffer.from('\n'));
    const from = Math.max(start, piece.at);
    const to = Math.min(end, piece.at + length);
    if (from >= to) continue;
    if (piece.line !== undefined) parts.push(piece.line.subarray(from - piece.at, to - piece.at));
    else parts.push(readBytes(piece.path, piece.start + from - piece.at, to - from));
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

function readBytes(path: string, start: number, length: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length; ) {
      const count = readSync(file, bytes, filled, length - filled, start + filled);
      if (count === 0) throw new SourceChanged(`${path} became shorter while it was read`);
      filled += count;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

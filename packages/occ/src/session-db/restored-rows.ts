import type { RowChanges } from './apply-changes.ts';
import type { ReadSession } from './readable-session.ts';
import { type KeptState, type RestoredLine, readKeptLine } from './restored-lines.ts';

/**
 * What must be done to the rows so that they are these lines. Rows that are as they were stay untouched. An edit leaves
 * the numbers of what it removes free, and lines that come back take them again; where there is no room between two
 * rows, as after somebody else numbered them anew, all are written anew.
 */
export function listRestoringChanges(
  lines: readonly RestoredLine[],
  states: readonly KeptState[],
  session: ReadSession,
): RowChanges {
  const seqs = findSeqs(lines, session);
  if (seqs === undefined) return writeAnew(lines, states, session);
  const isIn = new Set(lines.map(({ row }) => row));
  return {
    removed: session.seqs.filter((_, row) => !isIn.has(row)),
    replaced: replace(),
    added: add(),
  };

  function* replace(): Generator<readonly [number, Buffer]> {
    for (const { row, kept } of lines) {
      if (row === undefined || kept === undefined) continue;
      const text = readText(states, kept);
      if (!text.equals(session.readBytes(row))) yield [session.seqs[row]!, text];
    }
  }

  function* add(): Generator<readonly [number, Buffer]> {
    for (const [at, { row, kept }] of lines.entries()) {
      if (row === undefined && kept !== undefined) yield [seqs![at]!, readText(states, kept)];
    }
  }
}

/** The number of each line's row; undefined where they would not be in order. */
function findSeqs(lines: readonly RestoredLine[], { seqs }: ReadSession): number[] | undefined {
  const found: number[] = [];
  let last = -1;
  for (const { row } of lines) {
    const seq = row === undefined ? last + 1 : seqs[row]!;
    if (seq <= last) return undefined;
    found.push(seq);
    last = seq;
  }
  return found;
}

function writeAnew(
  lines: readonly RestoredLine[],
  states: readonly KeptState[],
  session: ReadSession,
): RowChanges {
  // Their rows are gone by the time that they are written.
  const said = lines.map(({ row, kept }) => (kept === undefined ? session.readBytes(row!) : undefined));
  return {
    removed: session.seqs,
    replaced: [],
    added: (function* () {
      for (const [at, { kept }] of lines.entries()) {
        yield [at, said[at] ?? readText(states, kept!)] as const;
      }
    })(),
  };
}

function readText(states: readonly KeptState[], { state, index }: { state: number; index: number }): Buffer {
  return readKeptLine(states[state]!, index);
}

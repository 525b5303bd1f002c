import {
  asciiJson,
  findMember,
  fromByteText,
  isObjectAt,
  listMembers,
  replaceTopLevelFields,
  Splice,
  skipSpace,
  toByteText,
} from '@openbot/sessions/rewrite';
import { messageOf, rewriteLine } from '../../clean/rewrite-line.ts';
import type { ReadSession } from './readable-session.ts';
import type { RowChanges } from './replace-rows.ts';
import { type OpenKeptState, type RestoredLine, readKeptLine } from './restored-lines.ts';

/**
 * What must be done to the rows so that they are these lines. Rows that are as they were stay untouched. An edit leaves
 * the numbers of what it removes free, and lines that come back take them again; where there is no room between two
 * rows, as after OpenClaw numbered them anew, all are written anew.
 */
export function listRestoringChanges(
  lines: readonly RestoredLine[],
  states: readonly OpenKeptState[],
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
    for (const line of lines) {
      const { row, kept } = line;
      if (row === undefined || (kept === undefined && !isChanged(line))) continue;
      const text = readRestoredText(line, states, session);
      if (!text.equals(session.readBytes(row))) yield [session.seqs[row]!, text];
    }
  }

  function* add(): Generator<readonly [number, Buffer]> {
    for (const [at, line] of lines.entries()) {
      if (line.row === undefined) yield [seqs![at]!, readRestoredText(line, states, session)];
    }
  }
}

/** The header is no part of the conversation: it stays as the database has it, also where a backup is of a file. */
export function keepOwnHeader(lines: readonly RestoredLine[], { transcript }: ReadSession): RestoredLine[] {
  return lines.map((line) =>
    line.row !== undefined && transcript.kindOf(line.row) === 'header'
      ? { row: line.row, kept: undefined }
      : line,
  );
}

/** The number of each line's row; undefined where they would not be in order. */
function findSeqs(lines: readonly RestoredLine[], { seqs }: ReadSession): number[] | undefined {
  const found: number[] = [];
  // OpenClaw counts from 0; what counted from below may go on from there.
  let last = Math.min(0, ...seqs.slice(0, 1)) - 1;
  for (const { row } of lines) {
    const seq = row === undefined ? last + 1 : seqs[row]!;
    if (seq <= last || !Number.isSafeInteger(seq)) return undefined;
    found.push(seq);
    last = seq;
  }
  return found;
}

function writeAnew(
  lines: readonly RestoredLine[],
  states: readonly OpenKeptState[],
  session: ReadSession,
): RowChanges {
  // Their rows are gone by the time that they are written.
  const said = lines.map((line) =>
    line.kept === undefined ? readRestoredText(line, states, session) : undefined,
  );
  return {
    removed: session.seqs,
    replaced: [],
    added: (function* () {
      for (const [at, line] of lines.entries()) {
        yield [at, said[at] ?? readRestoredText(line, states, session)] as const;
      }
    })(),
  };
}

/** The bytes of a line as it is to be again. */
export function readRestoredText(
  { row, kept, usage, parentId, edit }: RestoredLine,
  states: readonly OpenKeptState[],
  session: ReadSession,
): Buffer {
  const text = kept === undefined ? session.readBytes(row!) : readKeptLine(states[kept.state]!, kept.index);
  const counted = usage === undefined ? text : putUsage(text, usage);
  if (parentId === undefined && edit === undefined) return counted;
  const links = parentId === undefined ? undefined : new Map([['parentId', asciiJson(parentId)]]);
  const line = counted.toString('latin1');
  const linked = links === undefined ? line : replaceTopLevelFields(line, links);
  return Buffer.from(edit === undefined ? linked : rewriteLine(linked, edit, 'openclaw'), 'latin1');
}

/** Whether a line comes in another form than in its text. */
export function isChanged({ usage, parentId, edit }: RestoredLine): boolean {
  return usage !== undefined || parentId !== undefined || edit !== undefined;
}

/** The JSON of a message's usage, as its line has it. */
export function readUsage(line: Buffer): string | undefined {
  const text = line.toString('latin1');
  const place = findUsage(text);
  return place && fromByteText(text.slice(place.start, place.end));
}

/** The line with another usage, otherwise byte for byte as it was. */
function putUsage(line: Buffer, usage: string): Buffer {
  const text = line.toString('latin1');
  const place = findUsage(text);
  if (place === undefined) return line;
  const splice = new Splice(text);
  splice.replace(place.start, place.end, toByteText(usage));
  return Buffer.from(splice.toString(), 'latin1');
}

function findUsage(text: string): { readonly start: number; readonly end: number } | undefined {
  const start = skipSpace(text, 0);
  return isObjectAt(text, start) ? findMember(messageOf(text, listMembers(text, start)), 'usage') : undefined;
}

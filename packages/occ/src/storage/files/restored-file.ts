import { scanTranscriptFile, type Transcript } from '@openbot/sessions';
import { asciiJson, replaceTopLevelFields } from '@openbot/sessions/rewrite';
import type { Journal } from '../../backups/journal.ts';
import { RestoreError } from '../../errors.ts';
import type { Backup, KeptState } from '../contract/kept-state.ts';
import type { JoinedState, Relink, RestorableState, SessionLines } from '../contract/rewriting.ts';
import { originOfChanged, readPieces, writeChanged } from './joined-file.ts';
import { findLaterBytes, type SessionFile, type Stretch } from './later-bytes.ts';
import { findLaterLines, readLineOf } from './later-lines.ts';
import { type OpenFile, readFileJournal, replaceFile } from './replace-file.ts';
import {
  type ChangedLine,
  isLaterLine,
  layOutRestored,
  originOfLines,
  type Piece,
  writePieces,
} from './write-restored.ts';

/**
 * A kept state and what was said since, as stretches of bytes: a line that was begun before a rewrite and finished after it
 * is whole again.
 */
export async function findRestoredFile(
  open: OpenFile,
  kept: KeptState,
  backups: readonly Backup[],
): Promise<RestorableState> {
  const { path, transcript: now } = open;
  const journal = readFileJournal(path);
  const session = { path, bytes: now.byteLength };
  const said =
    kept.packedPath === undefined
      ? await findLater(kept, backups, journal, session)
      : await findLaterThanOriginal(kept, { journal, backups }, session);
  const whole: Stretch = { path: kept.path, start: 0, end: kept.record?.backupBytes ?? kept.sizeBytes };
  const origins = await openOrigins(path, now, [whole, ...said]);
  return {
    earlier: readLinesOf(whole.path, origins.get(whole.path)!),
    hasNewLines: said.length > 0,
    join: async (relink) => {
      const pieces = await layOutRestored(whole, said, findLine(relink, said, origins));
      return joinPieces(open, whole, pieces, origins);
    },
  };
}

function joinPieces(
  open: OpenFile,
  whole: Stretch,
  pieces: readonly Piece[],
  origins: ReadonlyMap<string, Transcript>,
): JoinedState {
  const isRelinked = pieces.some(({ line }) => line !== undefined);
  const isNew = (written: Transcript) => (index: number) => isLaterLine(written, index, pieces, whole);
  return {
    isRelinked,
    readJoined: async () => {
      const lines = await readPieces(pieces, origins);
      return { ...lines, isNew: isNew(lines.transcript) };
    },
    change: ({ transcript: joined }, plan) => ({
      isRelinked,
      replace: (steps) => replaceFile(open, (copier) => writeChanged(copier, pieces, joined, plan), steps),
      countNewLines: () => countLines(joined, (index) => !plan.isRemoved(index) && isNew(joined)(index)),
      originsOf: () => originOfChanged(joined, plan, originOfLines(joined, pieces, origins)),
    }),
    replace: (steps) => replaceFile(open, (copier) => writePieces(copier, pieces), steps),
    countNewLines: (after) => countLines(after, isNew(after)),
    originsOf: (after) => originOfLines(after, pieces, origins),
  };
}

function countLines(transcript: Transcript, isCounted: (index: number) => boolean): number {
  let lines = 0;
  for (let index = 0; index < transcript.length; index++) {
    if (transcript.kindOf(index) !== 'blank' && isCounted(index)) lines++;
  }
  return lines;
}

/** As far as the backups that are left tell it; before the first of them, as that one has it. */
async function findLaterThanOriginal(
  original: KeptState,
  { journal, backups }: { journal: Journal; backups: readonly Backup[] },
  session: SessionFile,
): Promise<Stretch[]> {
  if (original.wasBackup !== undefined) {
    const state = { ...original, number: original.wasBackup };
    const said = findLaterBytes(state, [state, ...backups], journal, session);
    if (said !== undefined) return said;
  }
  const [first] = backups;
  if (first === undefined) return findLater(original, backups, journal, session);
  const record = journal.rewrites.findLast(({ backup }) => backup === first.number);
  const then = { path: first.path, bytes: record?.backupBytes ?? first.sizeBytes };
  return [
    ...(await findLater(original, backups, journal, then)),
    // Places in a later state are none in the original.
    ...(await findLater(first, backups, journal, session)).map(({ before: _, ...stretch }) => stretch),
  ];
}

async function findLater(
  chosen: Backup,
  backups: readonly Backup[],
  journal: Journal,
  session: SessionFile,
): Promise<Stretch[]> {
  const said =
    findLaterBytes(chosen, backups, journal, session) ?? (await findLaterLines(chosen, backups, session));
  if (said !== undefined) return said;
  throw new RestoreError(`${session.path} has no line in common with the backup ${chosen.path}`, {
    hint: 'Nothing was changed, since it is not known what was said in between. The backup is a complete session: occ clone with its path makes a new session from it.',
  });
}

/** The line that must hang from another one; undefined where there is none, or it names no parent that could be changed. */
function findLine(
  relink: Relink | undefined,
  said: readonly Stretch[],
  origins: ReadonlyMap<string, Transcript>,
): ChangedLine | undefined {
  for (const stretch of relink === undefined ? [] : said) {
    const transcript = origins.get(stretch.path)!;
    const index = transcript.indexOf(relink!.id);
    if (index === undefined) continue;
    const [start, end] = [transcript.startOf(index), transcript.endOf(index)];
    if (start < stretch.start || end > stretch.end) continue;
    if (relink!.isDone(transcript, index)) return undefined;
    const field = transcript.dialect === 'claude-code' ? 'parentUuid' : 'parentId';
    const text = readLineOf(stretch.path, transcript)(index).toString('latin1');
    const line = replaceTopLevelFields(text, new Map([[field, asciiJson(relink!.parentId)]]));
    return { stretch, start, end, line: Buffer.from(line, 'latin1') };
  }
  return undefined;
}

function readLinesOf(path: string, transcript: Transcript): SessionLines {
  const read = readLineOf(path, transcript);
  return { transcript, readLine: (index) => read(index).toString('latin1') };
}

/** The states that stretches are of, by path. */
async function openOrigins(
  path: string,
  now: Transcript,
  stretches: readonly Stretch[],
): Promise<ReadonlyMap<string, Transcript>> {
  const origins = new Map([[path, now]]);
  for (const stretch of stretches) {
    if (!origins.has(stretch.path)) origins.set(stretch.path, await scanTranscriptFile(stretch.path));
  }
  return origins;
}

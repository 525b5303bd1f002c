import { OpenBotError, scanTranscriptFile, type Transcript } from '@openbot/sessions';
import { asciiJson, type LineCopier, replaceTopLevelFields } from '@openbot/sessions/rewrite';
import type { Journal } from '../../backups/journal.ts';
import type { Backup, KeptState } from '../contract/kept-state.ts';
import type { Relink, RestorableState, RestoredState, SessionLines } from '../contract/rewriting.ts';
import { findLaterBytes, type SessionFile, type Stretch } from './later-bytes.ts';
import { findLaterLines, readLineOf } from './later-lines.ts';
import { type OpenFile, readFileJournal, replaceFile } from './replace-file.ts';
import {
  type ChangedLine,
  countLaterLines,
  originOfLines,
  type Piece,
  writeRestored,
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
    join: (relink) => joinStretches(open, whole, said, origins, relink),
  };
}

function joinStretches(
  open: OpenFile,
  whole: Stretch,
  said: readonly Stretch[],
  origins: ReadonlyMap<string, Transcript>,
  relink: Relink | undefined,
): RestoredState {
  const changed = findLine(relink, said, origins);
  let pieces: readonly Piece[] = [];
  const write = async (copier: LineCopier) => {
    pieces = await writeRestored(copier, whole, said, changed);
  };
  return {
    isRelinked: changed !== undefined,
    replace: (steps) => replaceFile(open, write, steps),
    countNewLines: (after) => countLaterLines(after, pieces, whole),
    originsOf: (after) => originOfLines(after, pieces, origins),
  };
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
  throw new OpenBotError(
    'RESTORE_FAILED',
    `${session.path} has no line in common with the backup ${chosen.path}`,
    {
      hint: 'Nothing was changed, since it is not known what was said in between. The backup is a complete session: occ clone with its path makes a new session from it.',
    },
  );
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

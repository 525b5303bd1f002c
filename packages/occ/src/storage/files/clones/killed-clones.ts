import { type BigIntStats, lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lookIntoSessionStore } from '@openbot/sessions';
import { isHolderAlive, type ProcessIdentity } from '@openbot/sessions/disk';

/**
 * A note beside a clone in the making from before it gets its name until its entry is written. One of a process
 * that is gone says what that left.
 */
export interface CloneNote {
  readonly maker: ProcessIdentity;
  readonly sessionId: string;
  readonly transcript: { readonly path: string } & FileMark;
  /** The index that must name it. Absent: its name alone makes it a session. */
  readonly indexPath?: string;
  /** Saved files of a Claude Code session, which get their names before the transcript. */
  readonly history?: SavedFiles;
}

export interface SavedFiles {
  readonly folder: string;
  readonly files: readonly { readonly name: string; readonly ino: string }[];
}

/** Tells whether a file is still the one that was written, and untouched since. */
interface FileMark {
  readonly ino: string;
  readonly size: string;
  readonly mtimeNs: string;
}

export function markOf({ ino, size, mtimeNs }: BigIntStats): FileMark {
  return { ino: String(ino), size: String(size), mtimeNs: String(mtimeNs) };
}

const NOTE_ENDING = '.cloning';

/** @param folder a folder of sessions */
export function notePathOf(folder: string, clonePath: string): string {
  return join(folder, basename(clonePath, '.jsonl') + NOTE_ENDING);
}

/** What a clone left whose process is gone. Only what is certainly its own: what was written to since is not among it. */
interface KilledClone {
  readonly notePath: string;
  /** A transcript that no entry names. */
  readonly transcript?: string;
  /** Saved files without a transcript. */
  readonly history?: SavedFiles;
}

/** @param names what is in the folder */
export function findKilledClones(folder: string, names: readonly string[]): KilledClone[] {
  return names
    .filter((name) => name.endsWith(NOTE_ENDING))
    .flatMap((name) => readKilledClone(join(folder, name)) ?? []);
}

/** The names without transcripts that a killed clone left: they are no sessions. */
export function withoutKilledClones(folder: string, names: string[]): string[] {
  const left = new Set(findKilledClones(folder, names).map(({ transcript }) => transcript));
  return left.size === 0 ? names : names.filter((name) => !left.has(join(folder, name)));
}

export function isLeftByKilledClone(path: string): boolean {
  return readKilledClone(notePathOf(dirname(path), path))?.transcript === path;
}

/** Undefined for the note of a clone that is still being made, for no note, and where that is unknown. */
function readKilledClone(notePath: string): KilledClone | undefined {
  try {
    const note = JSON.parse(readFileSync(notePath, 'utf8')) as CloneNote;
    if (!isMakerGone(note, notePath)) return undefined;
    const { path } = note.transcript;
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return { notePath, history: note.history };
    const isLeft = dirname(path) === dirname(notePath) && isUnfinished(note, found);
    return { notePath, transcript: isLeft ? path : undefined };
  } catch {
    return undefined;
  }
}

/** Where that is unknown, such as of a process in another container, no clone takes that long to get its names. */
const ABANDONED_MS = 3_600_000;

function isMakerGone({ maker }: CloneNote, notePath: string): boolean {
  const liveness = isHolderAlive(maker);
  if (liveness !== 'unknown') return liveness === 'dead';
  return Date.now() - lstatSync(notePath).mtimeMs > ABANDONED_MS;
}

/** Throws where the index cannot be read. */
function isUnfinished({ sessionId, transcript, indexPath }: CloneNote, found: BigIntStats): boolean {
  if (indexPath === undefined) return false;
  const { ino, size, mtimeNs } = markOf(found);
  const isUntouched = ino === transcript.ino && size === transcript.size && mtimeNs === transcript.mtimeNs;
  return isUntouched && !isNamed(indexPath, sessionId, basename(transcript.path));
}

/** By its id or by its file. */
function isNamed(indexPath: string, id: string, fileName: string): boolean {
  return (lookIntoSessionStore(indexPath) ?? []).some(
    ({ entry: { sessionId, sessionFile } }) =>
      sessionId === id || (typeof sessionFile === 'string' && basename(sessionFile) === fileName),
  );
}

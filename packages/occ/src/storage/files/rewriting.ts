import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { reportProgress, scanTranscriptFile } from '@openbot/sessions';
import { syncFolder } from '@openbot/sessions/disk';
import { scanOpenTranscript, withTranscriptLock } from '@openbot/sessions/transcript';
import { backupPathsOf } from '../../backups/backup-paths.ts';
import { listBackupFiles } from '../../backups/backups.ts';
import { readJournal } from '../../backups/journal.ts';
import { makeBackup } from '../../backups/make-backup.ts';
import { rotateBackups } from '../../backups/rotate-backups.ts';
import { RestoreError } from '../../errors.ts';
import { applyPlan, makeLineReader } from '../../rewrite/apply-plan.ts';
import { assertReadable, openSession } from '../../rewrite/open-session.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type {
  HeldSession,
  OpenLines,
  RewritingStorage,
  SessionLines,
  SessionState,
} from '../contract/rewriting.ts';
import { prepareFileClone } from './clones/clone-file.ts';
import type { CloneTraits } from './clones/clone-traits.ts';
import { type HeldFile, type IndexEntry, isFileRecord, type OpenFile, replaceFile } from './replace-file.ts';
import { findRestoredFile } from './restored-file.ts';
import { tidyUp } from './tidy-up.ts';

/** In what the storages in files differ. */
interface FileTraits {
  /** The entry of a session in an index; undefined where there is none. */
  entryOf?(session: FoundSession): IndexEntry | undefined;
  readonly clones: CloneTraits;
}

/** Others hold the lock for the time of one write; a run that holds it for longer was found before. */
const LOCK_WAIT_MS = 5000;

export function makeFilesRewriting({ entryOf, clones }: FileTraits): RewritingStorage {
  return {
    read: (session, use) => readFrom(openToRead(session.path), session, use),
    openLines: ({ path }) => openFileLines(path),
    readToRewrite: (session, _, use) => readFrom(openSession(session.path), session, use),
    hold: (session, _, use) => {
      const { path } = session;
      return withTranscriptLock(
        path,
        async (lock) => {
          await tidyUp(path, lock);
          return use({
            ...makeHeld(path),
            open: () => openFileState({ path, lock, entry: entryOf?.(session) }),
          });
        },
        { timeoutMs: LOCK_WAIT_MS },
      );
    },
    prepareClone: (request) => prepareFileClone(request, clones),
    backUp,
    listBackups: ({ path }) => listBackupFiles(backupPathsOf(path), path),
  };
}

function makeHeld(path: string): Omit<HeldSession, 'open'> {
  return {
    keepWritersOut: (rewrite) => rewrite(),
    isOwn: isFileRecord,
    // They have the header of the session in the database, and what was said there.
    refuseOthers: (what) =>
      new RestoreError(`${what} was made from OpenClaw's database, not from ${path}`, {
        hint: 'Nothing was changed. To restore it, name the session in the database by its id. The backup is a complete session: occ clone with its path makes a new session from it.',
      }),
  };
}

async function readFrom<T>(
  opening: Promise<FileHandle>,
  { path }: FoundSession,
  use: (lines: SessionLines) => T,
): Promise<T> {
  const lines = await openFrom(await opening, path);
  try {
    return use(lines);
  } finally {
    await lines.close();
  }
}

/** The lines of a file, also of one that is no session's own: a backup, an archive. */
export async function openFileLines(path: string): Promise<OpenLines> {
  return openFrom(await openToRead(path), path);
}

async function openFrom(file: FileHandle, path: string): Promise<OpenLines> {
  try {
    reportProgress({ step: 'scan', text: 'Reading the session' });
    const transcript = await scanOpenTranscript(file, path);
    assertReadable(transcript, path);
    return { transcript, readLine: makeLineReader(file, transcript), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openToRead(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    // Says in words what is wrong with the file.
    await scanTranscriptFile(path);
    throw error;
  }
}

async function backUp({ path }: FoundSession): Promise<string> {
  const paths = backupPathsOf(path);
  return withTranscriptLock(path, async () => {
    const file = await openSession(path);
    try {
      const { byteLength } = await scanOpenTranscript(file, path);
      const source = { path, file, bytes: byteLength, isReplaced: false };
      const backup = await makeBackup(source, paths, readJournal(path));
      await rotateBackups(path);
      await syncFolder(paths.folder);
      return backup.path;
    } finally {
      await file.close();
    }
  });
}

async function openFileState(held: HeldFile): Promise<SessionState> {
  const { path, entry } = held;
  const file = await openSession(path);
  try {
    reportProgress({ step: 'scan', text: 'Reading the session' });
    const transcript = await scanOpenTranscript(file, path);
    const readLine = makeLineReader(file, transcript);
    const open: OpenFile = { ...held, file, transcript };
    return {
      transcript,
      readLine,
      clean: (plan) => ({
        replace: (steps) => replaceFile(open, (copier) => applyPlan(copier, transcript, plan), steps),
      }),
      findRestored: (kept, backups) => findRestoredFile(open, kept, backups),
      catchUpEntry: async (change) => entry?.change(change),
      faultHint: `${path} was rewritten by another program at the same time, or the disk is failing.`,
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

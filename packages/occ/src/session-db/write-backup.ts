import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  iterateEventLines,
  makeFolder,
  makeLeftoverName,
  type OpenclawDatabase,
  readOpenclawDatabase,
  syncFolder,
  withTranscriptLock,
} from '@openbot/sessions';
import { rotateBackups } from '../session-file/backups.ts';
import { readJournal } from '../session-file/journal.ts';
import { nextBackupNumber } from '../session-file/make-backup.ts';
import { backupPathOf, keepingPlaceOf, transcriptPathOf } from '../session-file/place.ts';
import type { FoundSession } from '../sources/found-session.ts';
import { readSession } from './readable-session.ts';

const CHUNK = 1024 * 1024;

/** A file that is written and synced, and has yet to get its name. */
export interface UnnamedFile {
  name(): void;
  /** Does nothing once it has its name. */
  drop(): void;
}

/** Writes lines, each with its end, to a new file, synced but for its folder. */
export function writeLinesToFile(path: string, lines: Iterable<Buffer>): void {
  const file = writeUnnamed(path, lines);
  try {
    file.name();
  } catch (error) {
    file.drop();
    throw error;
  }
}

/** All at once and without a pause, so that the lines are those of one moment. */
function writeUnnamed(path: string, lines: Iterable<Buffer>): UnnamedFile {
  const temp = join(dirname(path), makeLeftoverName(basename(path), 'tmp'));
  const file = openSync(temp, 'wx', 0o600);
  try {
    try {
      const writer = new ChunkWriter(file);
      for (const line of lines) writer.put(line);
      writer.flush();
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    drop();
    throw error;
  }
  return { name: () => renameSync(temp, path), drop };

  function drop(): void {
    try {
      unlinkSync(temp);
    } catch {
      // It is not there any more, or what failed before it is what counts.
    }
  }
}

export function writeBackupOf(database: OpenclawDatabase, sessionId: string, path: string): void {
  writeLinesToFile(path, iterateEventLines(database, sessionId));
}

/** The same, but for its name. */
export function writeUnnamedBackupOf(
  database: OpenclawDatabase,
  sessionId: string,
  path: string,
): UnnamedFile {
  return writeUnnamed(path, iterateEventLines(database, sessionId));
}

/** A backup of a session that stays as it is. */
export async function backUpDatabaseSession(session: FoundSession): Promise<string> {
  const transcriptPath = transcriptPathOf(session);
  const place = keepingPlaceOf(transcriptPath, session.source);
  await makeFolder(place.folder);
  return withTranscriptLock(transcriptPath, async () => {
    const journal = readJournal(transcriptPath, session.source);
    const path = backupPathOf(place, nextBackupNumber(transcriptPath, place, journal));
    readOpenclawDatabase(session.path, (database) => {
      readSession(database, session.sessionId);
      writeBackupOf(database, session.sessionId, path);
    });
    await rotateBackups(place, transcriptPath);
    await syncFolder(place.folder);
    return path;
  });
}

class ChunkWriter {
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafe(CHUNK);
  #filled = 0;

  constructor(file: number) {
    this.#file = file;
  }

  put(line: Buffer): void {
    if (this.#filled + line.length > CHUNK) this.flush();
    if (line.length > CHUNK) {
      this.#write(line, line.length);
      return;
    }
    line.copy(this.#buffer, this.#filled);
    this.#filled += line.length;
  }

  flush(): void {
    this.#write(this.#buffer, this.#filled);
    this.#filled = 0;
  }

  #write(bytes: Buffer, length: number): void {
    for (let done = 0; done < length; ) done += writeSync(this.#file, bytes, done, length - done);
  }
}

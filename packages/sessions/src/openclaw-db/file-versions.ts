import { type BigIntStats, statSync } from 'node:fs';
import { type FileSignature, isSameVersion, signatureOf } from '../store/read-store-file.ts';
import { unreadable } from './database-faults.ts';

/** A database file and what SQLite keeps beside it, as they were at one moment. */
export interface FileVersions {
  readonly main: FileSignature;
  readonly wal: FileSignature | undefined;
  readonly shm: FileSignature | undefined;
  readonly journal: FileSignature | undefined;
}

/** Undefined when there is no database. It never opens a file: closing one would end SQLite's locks in this process. */
export function statDatabase(path: string): FileVersions | undefined {
  const main = statFile(path, path);
  if (main === undefined) return undefined;
  const beside = (suffix: string) => statFile(path, `${path}${suffix}`);
  return { main, wal: beside('-wal'), shm: beside('-shm'), journal: beside('-journal') };
}

/** Whether no process wrote, or began to write, since `before`. */
export function isUntouched(before: FileVersions, now: FileVersions | undefined): boolean {
  return (
    now !== undefined &&
    isSameVersion(before.main, now.main) &&
    isSame(before.wal, now.wal) &&
    isSame(before.journal, now.journal)
  );
}

function isSame(a: FileSignature | undefined, b: FileSignature | undefined): boolean {
  return a === undefined || b === undefined ? a === b : isSameVersion(a, b);
}

function statFile(database: string, path: string): FileSignature | undefined {
  let stat: BigIntStats | undefined;
  try {
    stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw unreadable(database, (error as Error).message, undefined, error);
  }
  if (stat === undefined) return undefined;
  if (!stat.isFile()) {
    const what = stat.isDirectory() ? 'a folder' : 'not a regular file';
    throw unreadable(database, path === database ? `it is ${what}` : `${path} is ${what}`);
  }
  return signatureOf(stat);
}

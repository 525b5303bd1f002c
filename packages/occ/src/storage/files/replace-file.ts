import type { FileHandle } from 'node:fs/promises';
import { reportProgress, scanTranscriptFile, type Transcript } from '@openbot/sessions';
import type { HeldLock } from '@openbot/sessions/disk';
import { type LineCopier, replaceTranscript } from '@openbot/sessions/rewrite';
import { backupPathsOf } from '../../backups/backup-paths.ts';
import { changeRecord, type Journal, readJournal } from '../../backups/journal.ts';
import { type MadeBackup, makeBackup } from '../../backups/make-backup.ts';
import { hashTail } from '../../backups/tail-hash.ts';
import type { Counters } from '../../rewrite/counters.ts';
import type { RewriteRecord } from '../contract/kept-state.ts';
import type { EntryChange, ReplacedState, RewriteSteps } from '../contract/rewriting.ts';

/** A session that moved into a database keeps the journal of its file: one journal has the records of both. */
export function isFileRecord({ generations }: RewriteRecord): boolean {
  return generations === undefined;
}

/** The journal with the rewrites of the file alone. */
export function readFileJournal(path: string): Journal {
  const journal = readJournal(path);
  return { ...journal, rewrites: journal.rewrites.filter(isFileRecord) };
}

/** The entry of a session in an index beside its file. */
export interface IndexEntry {
  /** Undefined where the index no longer names the session. */
  readCounters(): Promise<Counters | undefined>;
  change(change: EntryChange): Promise<void>;
}

/** A session in a file whose lock is held. */
export interface HeldFile {
  readonly path: string;
  readonly lock: HeldLock;
  readonly entry?: IndexEntry;
}

export interface OpenFile extends HeldFile {
  readonly file: FileHandle;
  readonly transcript: Transcript;
}

/**
 * Writes the new session beside the old one, verifies it from disk, keeps the old file as the backup, and swaps. Lines that
 * come in meanwhile are carried over, so that a state never has to be read again.
 */
export async function replaceFile(
  { path, file, transcript, lock, entry }: OpenFile,
  write: (copier: LineCopier) => Promise<void>,
  steps: RewriteSteps,
): Promise<ReplacedState> {
  const backupBytes = transcript.byteLength;
  let backup: MadeBackup | undefined;
  let fault: Error | undefined;
  let resultBytes = 0;
  reportProgress({ step: 'write', text: 'Writing the session' });
  const carriedTo = await replaceTranscript(path, file, {
    readTo: backupBytes,
    lock,
    doing: 'the session was changed',
    keepsTime: true,
    write,
    verify: async (temp) => {
      reportProgress({ step: 'verify', text: 'Verifying the session' });
      const after = await scanTranscriptFile(temp, undefined, transcript);
      resultBytes = after.byteLength;
      steps.accept(resultBytes);
      steps.verify(after);
    },
    beforeSwap: async (temp) => {
      reportProgress({ step: 'swap', text: 'Replacing the session' });
      const counters = await entry?.readCounters();
      const resultHash = hashTail(temp, resultBytes) ?? '';
      const source = { path, file, bytes: backupBytes, isReplaced: true };
      backup = await makeBackup(source, backupPathsOf(path), readJournal(path));
      await steps.record({ backup: backup.number, backupBytes, resultBytes, resultHash, counters });
    },
    undo: () => steps.undo(),
    afterSwap: async () => {
      if (backup?.isLinked) await file.chmod(0o600).catch(() => {});
      if (steps.changeEntry === undefined) return;
      await entry?.change(steps.changeEntry).catch((error: Error) => {
        fault = error;
      });
    },
  });
  const { number, path: backupPath } = backup!;
  if (carriedTo > backupBytes) {
    // It spares the next command a look at lines that it would know again.
    await changeRecord(path, number, (record) => ({ ...record, carriedTo })).catch(() => {});
  }
  return { backupPath, fault };
}

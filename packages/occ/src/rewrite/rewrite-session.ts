import type { FileHandle } from 'node:fs/promises';
import { unlink } from 'node:fs/promises';
import { scanTranscriptFile, type Transcript } from '@openbot/sessions';
import type { HeldLock } from '@openbot/sessions/disk';
import { type LineCopier, replaceTranscript } from '@openbot/sessions/rewrite';
import { backupPathsOf } from '../backups/backup-paths.ts';
import { type RewriteRecord, readJournal, updateJournal } from '../backups/journal.ts';
import { type MadeBackup, makeBackup } from '../backups/make-backup.ts';
import { type Rotation, rotateBackups } from '../backups/rotate-backups.ts';
import { hashTail } from '../backups/tail-hash.ts';
import type { IndexEntry } from './index-entry.ts';

/** A rewrite of a whole session, whatever for. */
export interface SessionRewrite {
  readonly kind: RewriteRecord['kind'];
  readonly path: string;
  /** The session, open for reading. */
  readonly session: FileHandle;
  /** What it holds, as the rewrite takes it. What comes in behind it is carried over. */
  readonly transcript: Transcript;
  readonly lock: HeldLock;
  readonly entry?: IndexEntry;
  readonly now: () => Date;
  /** A backup that must stay, with all that came after it, when old ones go. */
  readonly sparedBackup?: number;
  readonly keepsOriginal?: boolean;
  write(copier: LineCopier): Promise<void>;
  /** Looks at the result as it is on disk; throwing leaves everything as it was. */
  verify(after: Transcript): void | Promise<void>;
  /** The session is changed by then: a failure is told, and changes nothing about that. */
  afterSwap(): Promise<void>;
}

export interface RewrittenSession {
  readonly backup: MadeBackup;
  readonly rotation: Rotation;
  /** What went wrong after the swap. */
  readonly fault?: Error;
}

/**
 * Writes the new session beside the old one, verifies it from disk, keeps the old one as a backup, writes down what is
 * about to happen, and swaps. Killed at any moment, the session is the old one or the new one.
 */
export async function rewriteSession(rewrite: SessionRewrite): Promise<RewrittenSession> {
  const { path, session, transcript } = rewrite;
  const paths = backupPathsOf(path);
  let backup: MadeBackup | undefined;
  let rotation: Rotation = { removed: [] };
  let fault: Error | undefined;
  let resultBytes = 0;
  const carriedTo = await replaceTranscript(path, session, {
    readTo: transcript.byteLength,
    lock: rewrite.lock,
    doing: 'the session was changed',
    keepsTime: true,
    write: (copier) => rewrite.write(copier),
    verify: async (temp) => {
      const after = await scanTranscriptFile(temp);
      resultBytes = after.byteLength;
      await rewrite.verify(after);
    },
    beforeSwap: async (temp) => {
      const counters = await rewrite.entry?.readCounters();
      const resultHash = hashTail(temp, resultBytes) ?? '';
      backup = await makeBackup(path, session, paths, transcript.byteLength, readJournal(path));
      const record: RewriteRecord = {
        kind: rewrite.kind,
        backup: backup.number,
        at: rewrite.now().toISOString(),
        backupBytes: transcript.byteLength,
        resultBytes,
        resultHash,
        counters,
      };
      await updateJournal(path, (journal) => ({
        ...journal,
        rewrites: [...journal.rewrites, record],
      }));
    },
    undo: async () => {
      if (backup === undefined) return;
      const { number, path: name } = backup;
      await unlink(name).catch(() => {});
      // A record of what never was would hide what was said before it.
      await updateJournal(path, (journal) => ({
        ...journal,
        rewrites: journal.rewrites.filter((record) => record.backup !== number),
      })).catch(() => {});
    },
    afterSwap: async () => {
      if (backup?.isLinked) await session.chmod(0o600).catch(() => {});
      const { sparedBackup: spared, keepsOriginal } = rewrite;
      rotation = await rotateBackups(path, { spared, keepsOriginal });
      await rewrite.afterSwap().catch((error: Error) => {
        fault = error;
      });
    },
  });
  const { number } = backup!;
  if (carriedTo > transcript.byteLength) {
    const note = updateJournal(path, (journal) => ({
      ...journal,
      rewrites: journal.rewrites.map((record) =>
        record.backup === number ? { ...record, carriedTo } : record,
      ),
    }));
    // It spares the next command a look at lines that it would know again.
    await note.catch(() => {});
  }
  return { backup: backup!, rotation, fault };
}

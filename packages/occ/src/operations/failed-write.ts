import { realpathSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import { SourceChanged } from '@openbot/sessions/rewrite';
import { CloneOperationError, EditOperationError, RestoreError } from '../errors.ts';
import { storageOf } from '../storage/all.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import type { FileFault } from '../storage/contract/storage.ts';

const FAILED = { edit: EditOperationError, clone: CloneOperationError, restore: RestoreError } as const;

type Operation = keyof typeof FAILED;

/**
 * What could not be read, written or kept becomes the failure of the operation, with the finer code as its reason. A
 * refusal, such as of a session in use, keeps its name.
 * @param target the file or the session that could not be written
 */
export function describeFailedWrite(error: unknown, target: string | FoundSession, doing: Operation): Error {
  if (isFailureOf(error, doing)) {
    return new FAILED[doing](error.message, { hint: error.hint, cause: error });
  }
  // A mistake in the program is not the disk's.
  if (error instanceof TypeError || error instanceof ReferenceError) return error;
  if (error instanceof OpenBotError && !WRITE_FAULTS.has(error.code)) return withFlags(error, doing);
  const { code, message } = error as NodeJS.ErrnoException;
  const path =
    typeof target === 'string' ? target : storageOf(target).failedPathOf(target, error as FileFault);
  const isLink = code === 'ELOOP';
  return new FAILED[doing](`Failed to write ${path}: ${isLink ? 'it is a symbolic link' : message}`, {
    hint: isLink
      ? `Nothing was changed. ${adviseOnLink(path)}`
      : 'Check disk space and permissions; the original is unchanged',
    cause: error,
  });
}

/** Clones do not wait for others. */
function withFlags(error: OpenBotError, doing: Operation): OpenBotError {
  if (error.code !== 'DATABASE_BUSY' || doing === 'clone') return error;
  const hint = `${error.hint} --wait <seconds> waits longer for it.`;
  return new OpenBotError(error.code, error.message, { hint, cause: error });
}

function adviseOnLink(path: string): string {
  try {
    return `Name the file that it leads to: ${realpathSync(path)}`;
  } catch {
    return 'It leads to a file that does not exist: name another file.';
  }
}

function isFailureOf(error: unknown, doing: Operation): error is OpenBotError {
  if (!(error instanceof OpenBotError)) return false;
  const fails = error.details?.fails as readonly Operation[] | undefined;
  if (fails !== undefined) return fails.includes(doing);
  return error instanceof SourceChanged || (doing !== 'restore' && FAILURES.has(error.code));
}

/**
 * Of edits and clones: what the design calls errors of parsing, writing and keeping. TRANSCRIPT_NOT_SYNCED is not one of
 * them: there the session was changed.
 */
const FAILURES = new Set([
  'TRANSCRIPT_NOT_FOUND',
  'TRANSCRIPT_UNREADABLE',
  'TRANSCRIPT_HEADER_INVALID',
  'TRANSCRIPT_UNSUPPORTED',
  'DATABASE_UNREADABLE',
  'DATABASE_WRITE_FAILED',
  'STORE_UNREADABLE',
  'STORE_WRITE_FAILED',
]);

const WRITE_FAULTS = new Set(['TRANSCRIPT_WRITE_FAILED', 'LOCK_FAILED', 'LOCK_NOT_RELEASED']);

/** What to say of a session that was rewritten: what went wrong after that, or what was known before. */
export function noteAfterRewrite(fault: Error | undefined, note: string | undefined): string | undefined {
  if (fault === undefined) return note;
  if (fault instanceof OpenBotError && fault.code === 'LOCK_NOT_RELEASED')
    return `The session is as reported. ${fault.message}. ${fault.hint}`;
  return `The session was changed, but its index entry could not be updated: ${fault.message}`;
}

import { realpathSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import { CloneOperationError, EditOperationError, OccError, RestoreError } from '../errors.ts';

const ERRORS = { edit: EditOperationError, clone: CloneOperationError, restore: RestoreError } as const;

/** A failure with a name of its own stays; one of the disk becomes the operation's. */
export function describeFailedWrite(error: unknown, path: string, doing: keyof typeof ERRORS): Error {
  if (error instanceof OccError) return error;
  // A mistake in the program is not the disk's.
  if (error instanceof TypeError || error instanceof ReferenceError) return error;
  if (error instanceof OpenBotError && !WRITE_FAULTS.has(error.code)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const isLink = code === 'ELOOP';
  return new ERRORS[doing](`Failed to write ${path}: ${isLink ? 'it is a symbolic link' : message}`, {
    hint: isLink
      ? `Nothing was changed. Name the file that it leads to: ${followLink(path)}`
      : 'Check disk space and permissions; the original is unchanged',
    cause: error,
  });
}

function followLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return 'it leads nowhere';
  }
}

const WRITE_FAULTS = new Set(['TRANSCRIPT_WRITE_FAILED', 'LOCK_FAILED']);

/** What to say of a session that was changed: that its index entry was not, or what was known before. */
export function noteAfterRewrite(fault: Error | undefined, note: string | undefined): string | undefined {
  if (fault === undefined) return note;
  return `The session was changed, but its entry in the index could not be: ${fault.message}`;
}

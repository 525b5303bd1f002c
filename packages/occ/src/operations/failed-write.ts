import { OpenBotError } from '@openbot/sessions';
import { CloneOperationError, EditOperationError, OccError, RestoreError } from '../errors.ts';

const ERRORS = { edit: EditOperationError, clone: CloneOperationError, restore: RestoreError } as const;

/** A failure with a name of its own stays; one of the disk becomes the operation's. */
export function describeFailedWrite(error: unknown, path: string, doing: keyof typeof ERRORS): Error {
  if (error instanceof OccError) return error;
  if (error instanceof OpenBotError && !WRITE_FAULTS.has(error.code)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === 'ELOOP' ? 'it is a symbolic link; name the file that it leads to' : message;
  return new ERRORS[doing](`Failed to write ${path}: ${reason}`, {
    hint: 'Check disk space and permissions; the original is unchanged',
    cause: error,
  });
}

const WRITE_FAULTS = new Set(['TRANSCRIPT_WRITE_FAILED', 'LOCK_FAILED']);

import { OpenBotError } from '../errors.ts';

/** What went wrong with a transcript file, as an error with a code; one that has a code already stays as it is. */
export function describeFileFault(path: string, cause: unknown, doing: 'read' | 'write'): OpenBotError {
  if (cause instanceof OpenBotError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') {
    return new OpenBotError('TRANSCRIPT_NOT_FOUND', `There is no transcript at ${path}`, {
      hint: 'Create it first, or check the session id.',
      cause,
    });
  }
  if (code === 'EISDIR') return notAFile(path, cause);
  const failed = doing === 'read' ? 'TRANSCRIPT_UNREADABLE' : 'TRANSCRIPT_WRITE_FAILED';
  return new OpenBotError(failed, `Cannot ${doing} the transcript ${path}: ${message}`, {
    hint: HINTS[code ?? ''] ?? 'Check the disk and the rights of the file and its folder.',
    cause,
  });
}

export function notAFile(path: string, cause?: unknown): OpenBotError {
  return new OpenBotError('TRANSCRIPT_UNREADABLE', `${path} is not a regular file`, {
    hint: 'A transcript is a file; move away what is in its place.',
    cause,
  });
}

const HINTS: Record<string, string> = {
  ENOSPC: 'The disk is full: make room and try again.',
  EDQUOT: 'The disk quota is used up: make room and try again.',
  EFBIG: 'The file may not grow any further: raise the limit, or start a new session.',
  EROFS: 'The disk is read-only.',
  EACCES: 'Check the rights of the file and its folder.',
  ENOTDIR: 'A part of the path is a file where a folder should be.',
};

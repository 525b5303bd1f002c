import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { OpenBotError, type Transcript } from '@openbot/sessions';

/** Opens a session's own file, never what a link in its place leads to. */
export function openSession(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
}

/** Not a line of it is of any dialect: it is no session, or nothing of one is left. */
export function assertReadable(transcript: Transcript, path: string): void {
  if (transcript.dialect !== undefined || isBlank(transcript)) return;
  throw unreadable(path, 'none of its lines can be read');
}

/** A copy under a new id must be able to say so: what agents read begins with a header, or names the id in every line. */
export function assertCloneable(transcript: Transcript, path: string): void {
  assertReadable(transcript, path);
  if (transcript.dialect === 'claude-code') return;
  for (let i = 0; i < transcript.length; i++) if (transcript.kindOf(i) === 'header') return;
  throw unreadable(path, 'it has no session header');
}

function isBlank(transcript: Transcript): boolean {
  for (let i = 0; i < transcript.length; i++) if (transcript.kindOf(i) !== 'blank') return false;
  return true;
}

/** The file is in its place, and what it holds is no session. */
function unreadable(path: string, why: string): OpenBotError {
  return new OpenBotError('SESSION_UNSUPPORTED', `Failed to parse session file ${path}: ${why}`, {
    hint: 'Session file may be corrupted; nothing was changed',
    details: { fails: ['edit', 'clone'] },
  });
}

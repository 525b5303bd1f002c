import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { isSessionId, transcriptFileName } from '@openbot/sessions/layout';
import { shortenText } from '../../errors.ts';
import { OWN_FOLDER_ENDING, readDatabasePath } from '../../layout/state-folder.ts';
import type { FoundSession } from '../contract/found-session.ts';

/** The path that the transcript of a session in a database would have as a file; its backups are beside that. */
export function transcriptPathOf({ path, sessionId }: Pick<FoundSession, 'path' | 'sessionId'>): string {
  if (!isSessionId(sessionId)) throw unnameable(sessionId);
  return join(sessionsFolderBeside(path), transcriptFileName(sessionId));
}

/** Databases that stand in no state folder may stand side by side, as copies of one: each has a folder of its own. */
function sessionsFolderBeside(database: string): string {
  const path = readDatabasePath(database) === undefined ? resolveLinks(database) : database;
  return readDatabasePath(path) === undefined
    ? path + OWN_FOLDER_ENDING
    : join(dirname(dirname(path)), 'sessions');
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function unnameable(sessionId: string): OpenBotError {
  return new OpenBotError(
    'SESSION_UNSUPPORTED',
    `Session '${shortenText(sessionId)}' cannot be changed: its id cannot be a file name, so no backup can be made`,
    { hint: 'Nothing was changed. occ clone makes a copy with another id, which can be changed' },
  );
}

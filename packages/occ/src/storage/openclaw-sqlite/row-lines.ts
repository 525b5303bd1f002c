import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undoAtEnding } from '@openbot/sessions/disk';
import type { OpenLines } from '../contract/rewriting.ts';
import { readSession } from './readable-session.ts';
import { stageFromDatabase } from './staged-file.ts';

/**
 * The lines of a session in a temp file: a database that is held open for as long as a person reads could not
 * be tidied up by its own program.
 */
export function openRowLines(path: string, sessionId: string): OpenLines {
  const { file, result: transcript } = stageFromDatabase(
    path,
    join(tmpdir(), 'openbot-lines'),
    (database, staged) => readSession(database, sessionId, staged).transcript,
  );
  const forget = undoAtEnding('files', () => file.drop());
  return {
    transcript,
    readLine: (index) => file.read(transcript.startOf(index), transcript.endOf(index)).toString('latin1'),
    close: async () => {
      file.drop();
      forget();
    },
  };
}

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { undoAtEnding } from '@openbot/sessions/disk';
import type { LineKeeper } from '@openbot/sessions/openclaw-database';
import type { OpenLines } from '../contract/rewriting.ts';
import { readSession } from './readable-session.ts';
import { type StagedFile, stageFromDatabase } from './staged-file.ts';

/**
 * The lines of a session in a temp file: a database that is held open for as long as a person reads could not
 * be tidied up by its own program.
 */
export function openRowLines(path: string, sessionId: string): OpenLines {
  const { file, result } = stageFromDatabase(path, join(tmpdir(), 'openbot-lines'), (database, staged) => {
    const keeper = new KeptLines(staged);
    const { transcript } = readSession(database, sessionId, keeper);
    return { transcript, keeper };
  });
  const { transcript, keeper } = result;
  const forget = undoAtEnding('files', () => file.drop());
  const places: number[] = [];
  for (let index = 0, kept = 0; index < transcript.length; index++) {
    places.push(transcript.kindOf(index) === 'oversize' ? -1 : kept++);
  }
  return {
    transcript,
    readLine(index) {
      if (places[index]! < 0) throw tooLong(index);
      return keeper.readKept(places[index]!).toString('latin1');
    },
    close: async () => {
      file.drop();
      forget();
    },
  };
}

/** Lines that are too long to be read are not handed over, so that offsets in the file are not those in the transcript. */
class KeptLines implements LineKeeper {
  readonly #file: StagedFile;
  readonly #ends: number[] = [];

  constructor(file: StagedFile) {
    this.#file = file;
  }

  keep(line: Buffer): void {
    this.#file.keep(line);
    this.#ends.push(this.#file.byteLength - 1);
  }

  readKept(place: number): Buffer {
    return this.read(place === 0 ? 0 : this.#ends[place - 1]! + 1, this.#ends[place]!);
  }

  read(start: number, end: number): Buffer {
    return this.#file.read(start, end);
  }
}

function tooLong(index: number): OpenBotError {
  return new OpenBotError('SESSION_UNSUPPORTED', `Line ${index + 1} of the session is too long to be read`, {
    hint: 'Nothing was changed',
  });
}

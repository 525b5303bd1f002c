import { closeSync, openSync, readSync } from 'node:fs';
import { type OpenBotError, scanTranscriptFile, type Transcript } from '@openbot/sessions';
import { SourceChanged } from '@openbot/sessions/rewrite';
import type { LineEdit } from '../../clean/line-edit.ts';
import { RestoreError } from '../../errors.ts';
import { identifyLine } from '../../rewrite/line-identity.ts';
import type { Backup } from '../contract/kept-state.ts';
import type { ReadSession } from './readable-session.ts';

/** A line of the session as it is to be again. */
export interface RestoredLine {
  /** The line of the session now that it is, or was made of; undefined where there is none any more. */
  readonly row: number | undefined;
  /** Its text, where a backup has it. */
  readonly kept: { readonly state: number; readonly index: number } | undefined;
  /** The usage that it is to have, where that is another one than in its text. */
  readonly usage?: string;
  /** The parent that it is to name, where that is another one than in its text. */
  readonly parentId?: string;
  /** What else changes in its text. */
  readonly edit?: LineEdit;
}

/** A backup that is open for reading. */
export interface OpenKeptState {
  readonly path: string;
  readonly file: number;
  readonly transcript: Transcript;
}

/**
 * The kept states that a restore reads. They are opened once for all attempts: the last one holds the database, and reading
 * large backups would keep OpenClaw from writing.
 */
export class KeptStates {
  readonly #states: OpenKeptState[] = [];
  #isRead = false;

  /** The chosen backup and those that were made after it, in their order. */
  async open(chosen: Backup, backups: readonly Backup[]): Promise<readonly OpenKeptState[]> {
    if (this.#isRead) return this.#states;
    for (const { number, path } of backups) {
      if (number < chosen.number) continue;
      const transcript = await scanTranscriptFile(path, 'openclaw');
      this.#states.push({ path, file: openSync(path, 'r'), transcript });
      const [broken] = transcript.problems;
      if (broken !== undefined)
        throw damaged(path, `line ${broken.line} cannot be read`, number !== chosen.number);
    }
    this.#isRead = true;
    return this.#states;
  }

  close(): void {
    for (const { file } of this.#states) closeSync(file);
  }
}

/** @param isLater it is not the one that was chosen, but holds what was said since */
export function damaged(path: string, why: string, isLater: boolean): OpenBotError {
  return new RestoreError(`The backup ${path} is damaged: ${why}`, {
    hint: isLater
      ? 'Nothing was changed. It holds what was said after the chosen backup was made. If you move it away, only what the session still has of that is kept.'
      : 'Nothing was changed. --list shows the other backups.',
  });
}

/**
 * The lines of the chosen backup, and behind them what was said since. Every rewrite since then left a backup of what it
 * found, so that what was said in between is there as it was said; what was said after the last of them is in the session.
 * What was said since follows the last line that was there before: older ones that are not in the chosen backup are
 * what a clean had removed by then.
 */
export function listRestoredLines(states: readonly OpenKeptState[], session: ReadSession): RestoredLine[] {
  const now = identifyLines(session.transcript, session.readBytes);
  const seen = new Set<string>();
  const lines: RestoredLine[] = [];
  for (const [number, state] of states.entries()) {
    const isForeign = state.transcript.header?.id !== session.transcript.header?.id;
    if (isForeign && number > 0) continue;
    const then = identifyLines(state.transcript, (index) => readKeptLine(state, index));
    const from = number === 0 ? 0 : findLaterStart(then, state.transcript, seen);
    for (let index = from; index < state.transcript.length; index++) {
      if (state.transcript.kindOf(index) === 'blank') continue;
      const identity = then.identityOf(index);
      seen.add(identity);
      lines.push({ row: now.indexOf(identity), kept: { state: number, index } });
    }
  }
  const { length } = session.transcript;
  for (let row = findLaterStart(now, session.transcript, seen); row < length; row++) {
    lines.push({ row, kept: undefined });
  }
  return lines;
}

/** Where the lines begin that stand behind the last one that was seen before. The header is there in every state. */
function findLaterStart(lines: IdentifiedLines, { length }: Transcript, seen: ReadonlySet<string>): number {
  let last = length - 1;
  while (last >= 0 && !isSeen(lines.identityOf(last), seen)) last--;
  return last < 0 ? length : last + 1;
}

function isSeen(identity: string, seen: ReadonlySet<string>): boolean {
  return identity !== HEADER && seen.has(identity);
}

export function readKeptLine({ path, file, transcript }: OpenKeptState, index: number): Buffer {
  const start = transcript.startOf(index);
  const line = Buffer.allocUnsafe(transcript.endOf(index) - start);
  for (let filled = 0; filled < line.length; ) {
    const count = readSync(file, line, filled, line.length - filled, start + filled);
    if (count === 0) throw new SourceChanged(`${path} became shorter while it was read`);
    filled += count;
  }
  return line;
}

/** Stands for the header, which every state of a session has. */
export const HEADER = 'header';

/** The lines of a transcript by what no rewrite changes. */
interface IdentifiedLines {
  identityOf(index: number): string;
  indexOf(identity: string): number | undefined;
}

/** A line is known by its id, and one without by what it is and when it was said. */
function identifyLines(transcript: Transcript, readBytes: (index: number) => Buffer): IdentifiedLines {
  const identities = new Map<number, string>();
  const indices = new Map<string, number>();
  for (let index = 0; index < transcript.length; index++) {
    const isHeader = transcript.kindOf(index) === 'header';
    if (!isHeader && transcript.idOf(index) !== undefined) continue;
    // A session that was put together from others has theirs too.
    const isOwnHeader = isHeader && !indices.has(HEADER);
    const identity = isOwnHeader ? HEADER : countUp(indices, identifyLine(readBytes(index)).text);
    identities.set(index, identity);
    if (!indices.has(identity)) indices.set(identity, index);
  }
  return {
    identityOf: (index) => identities.get(index) ?? `${WITH_ID}${transcript.idOf(index)}`,
    indexOf: (identity) =>
      identity.startsWith(WITH_ID)
        ? transcript.indexOf(identity.slice(WITH_ID.length))
        : indices.get(identity),
  };
}

const WITH_ID = 'id ';

/** The second and later lines that look alike are distinguished by their order. */
function countUp(taken: ReadonlyMap<string, number>, looks: string): string {
  let identity = `line ${looks}`;
  for (let count = 2; taken.has(identity); count++) identity = `line ${count} ${looks}`;
  return identity;
}

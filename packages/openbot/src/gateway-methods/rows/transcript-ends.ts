import { statSync } from 'node:fs';
import { shortenWords } from '@openbot/sessions/lines';
import { extractSpokenText, readFileEnds } from '@openbot/sessions/transcript';
import { plainWords } from '../../turn/words/plain-words.ts';

/** What the beginning and the end of a transcript say. */
export interface TranscriptEnds {
  /** What the person said first. */
  readonly firstWords?: string;
  /** What was said last, by the person or the model. */
  readonly lastWords?: string;
}

interface Remembered extends TranscriptEnds {
  readonly size: number;
  readonly mtimeMs: number;
}

const START_BYTES = 16 * 1024;
const END_BYTES = 32 * 1024;
const MOST = 5000;
const NONE: TranscriptEnds = {};

/** Reads no more than the two ends of a file, and those once for each size and time of it. */
export class TranscriptEndsReader {
  readonly #known = new Map<string, Remembered>();
  readonly #start = Buffer.allocUnsafe(START_BYTES);
  readonly #end = Buffer.allocUnsafe(END_BYTES);

  forget(): void {
    this.#known.clear();
  }

  read(path: string): TranscriptEnds {
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats === undefined || !stats.isFile()) return NONE;
      const { size, mtimeMs } = stats;
      const known = this.#known.get(path);
      if (known?.size === size && known.mtimeMs === mtimeMs) return known;
      const ends = { size, mtimeMs, ...this.#readEnds(path) };
      this.#known.delete(path);
      this.#known.set(path, ends);
      if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value!);
      return ends;
    } catch {
      // A list is not the place to say that a file cannot be read.
      return NONE;
    }
  }

  #readEnds(path: string): TranscriptEnds {
    const { started, ended } = readFileEnds(path, this.#start, this.#end);
    const first = parseLines(this.#start.subarray(0, started));
    const last = ended === 0 ? [...first] : parseLines(this.#end.subarray(0, ended));
    return { firstWords: findWords(first, 'user'), lastWords: findWords(last.reverse()) };
  }
}

/** A line that an image makes too long: its words are in front of it. */
const CUT_WORDS =
  /"message":\{"role":"user","content":\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\},\{"type":"image"/;

function readCutLine(line: string): unknown {
  const [, text] = CUT_WORDS.exec(line) ?? [];
  if (text === undefined) return undefined;
  return { type: 'message', message: { role: 'user', content: [{ type: 'text', text: JSON.parse(text) }] } };
}

/** Lines that were cut off by the edge of what was read are no JSON. */
function parseLines(bytes: Buffer): unknown[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .map((line) => {
      try {
        return line === '' ? undefined : JSON.parse(line);
      } catch {
        return readCutLine(line);
      }
    });
}

function findWords(lines: readonly unknown[], role?: 'user'): string | undefined {
  for (const line of lines) {
    const words = readWords(line, role);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** What a person or the model says in a line, short and without secrets; of one role where it is given. */
export function readWords(line: unknown, role?: 'user'): string | undefined {
  const spoken = extractSpokenText(line);
  if (spoken === undefined || (role !== undefined && spoken.role !== role)) return undefined;
  const words = shortenWords(spoken.role === 'user' ? plainWords(spoken.text) : spoken.text);
  return words === '' ? undefined : words;
}

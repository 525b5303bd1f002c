import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import {
  type ClaudeLineDetails,
  type ClaudeLineFacts,
  claudeDetailsShape,
  claudeLineShape,
  clearClaudeLine,
  emptyClaudeLine,
  MessageIds,
  readClaudeDetails,
  readClaudeLine,
} from '../transcript/formats/claude-code-line.ts';
import { isBlank, type LineSink, LineSplitter, MAX_LINE_BYTES } from '../transcript/lines.ts';
import { SkimmedLine } from '../transcript/skim/shape.ts';
import { Skimmer } from '../transcript/skim/skimmer.ts';
import { describeFileFault, notAFile } from './file-faults.ts';
import { readAhead } from './read-ahead.ts';

const CHUNK = 512 * 1024;
/** The kernel holds short strings that it met; with more of them than this it is dropped before the next file. */
const MAX_STRINGS = 20_000;

/** One line, while it is looked at. The same object serves for all lines. */
export interface ClaudeLine extends Readonly<ClaudeLineFacts> {
  /** Where it begins in the file. */
  readonly start: number;
  /** False for a last line without a line end: it may be half-written. */
  readonly terminated: boolean;
  /** What costs a second look at the line. */
  details(): ClaudeLineDetails;
}

export interface ClaudeLineVisitor {
  line(line: ClaudeLine): void;
  /** The bytes as they come, before their lines. The memory is used again afterwards. */
  bytes?(chunk: Buffer, offset: number): void;
}

export interface LineRange {
  /** The beginning of a line. 0. */
  readonly from?: number;
  /** Where to stop although there is more. */
  readonly to?: number;
}

/** Runs `body` with a transcript open for reading; what goes wrong with the file is an error with a code. */
export async function withOpenTranscript<T>(
  path: string,
  body: (handle: FileHandle, stats: BigIntStats) => Promise<T>,
): Promise<T> {
  try {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) throw notAFile(path);
      return await body(handle, stats);
    } finally {
      await handle.close();
    }
  } catch (error) {
    // What the body has to say for itself is no fault of the file.
    if (typeof (error as NodeJS.ErrnoException).errno !== 'number') throw error;
    throw describeFileFault(path, error, 'read');
  }
}

/**
 * Goes through the lines of Claude Code's transcripts, one file after another, in memory that does not depend on how
 * long they are. Broken lines are lines too.
 */
export class ClaudeLineReader {
  readonly #chunks = [Buffer.allocUnsafeSlow(CHUNK), Buffer.allocUnsafeSlow(CHUNK)] as const;
  #lines: SkimmedLines | undefined;

  /** Where to go on when there is more: behind the last line end that was seen. */
  async read(handle: FileHandle, visitor: ClaudeLineVisitor, range: LineRange = {}): Promise<number> {
    const { from = 0, to = Number.POSITIVE_INFINITY } = range;
    if (this.#lines === undefined || this.#lines.stringCount > MAX_STRINGS) this.#lines = new SkimmedLines();
    const lines = this.#lines;
    lines.visitor = visitor;
    lines.resumeAt = from;
    const splitter = new LineSplitter(lines, MAX_LINE_BYTES, from);
    try {
      await readAhead(handle, this.#chunks, from, to, (chunk, count, offset) => {
        visitor.bytes?.(chunk.subarray(0, count), offset);
        splitter.push(chunk, count);
      });
      lines.resumeAt = splitter.offset;
      splitter.finish();
      return lines.resumeAt;
    } finally {
      lines.visitor = undefined;
    }
  }
}

class SkimmedLines implements LineSink {
  visitor: ClaudeLineVisitor | undefined;
  resumeAt = 0;
  readonly #skimmed = new SkimmedLine(claudeLineShape);
  readonly #skimmer = new Skimmer(claudeLineShape, this.#skimmed);
  readonly #ids = new MessageIds();
  #details: DetailsSkimmer | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  readonly #line = {
    ...emptyClaudeLine(),
    start: 0,
    terminated: true,
    details: () => this.#readDetails(),
  };

  get stringCount(): number {
    return this.#skimmed.strings.size;
  }

  line(bytes: Buffer, start: number, end: number, offset: number, terminated: boolean): void {
    const line = this.#begin(offset, terminated);
    this.#bytes = bytes;
    this.#from = start;
    this.#to = end;
    if (isBlank(bytes, start, end)) line.kind = 'blank';
    else if (this.#skimmer.skim(bytes, start, end)) readClaudeLine(this.#skimmed, line, this.#ids);
    else line.kind = 'broken';
    this.visitor?.line(line);
  }

  oversize(offset: number, _endOffset: number, terminated: boolean): void {
    const line = this.#begin(offset, terminated);
    line.kind = 'oversize';
    this.#to = this.#from;
    this.visitor?.line(line);
  }

  #begin(offset: number, terminated: boolean) {
    const line = this.#line;
    clearClaudeLine(line);
    line.start = offset;
    line.terminated = terminated;
    if (!terminated) this.resumeAt = offset;
    return line;
  }

  #readDetails(): ClaudeLineDetails {
    this.#details ??= new DetailsSkimmer();
    return this.#details.read(this.#bytes, this.#from, this.#to);
  }
}

class DetailsSkimmer {
  #skimmed = new SkimmedLine(claudeDetailsShape);
  #skimmer = new Skimmer(claudeDetailsShape, this.#skimmed);

  read(bytes: Buffer, start: number, end: number): ClaudeLineDetails {
    // Uuids do not repeat: what the kernel keeps of them is of no use.
    if (this.#skimmed.strings.size > MAX_STRINGS) {
      this.#skimmed = new SkimmedLine(claudeDetailsShape);
      this.#skimmer = new Skimmer(claudeDetailsShape, this.#skimmed);
    }
    if (!this.#skimmer.skim(bytes, start, end)) return { uuid: undefined, typedText: '' };
    return readClaudeDetails(this.#skimmed);
  }
}

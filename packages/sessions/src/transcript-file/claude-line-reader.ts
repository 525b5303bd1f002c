import { type BigIntStats, constants, readFileSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ClaudeLineFacts,
  claudeLineShape,
  claudeTextShape,
  claudeUuidShape,
  clearClaudeLine,
  emptyClaudeLine,
  MessageIds,
  readClaudeLine,
  readTypedText,
  readUuid,
} from '../transcript/formats/claude-code-line.ts';
import { isBlank, type LineSink, LineSplitter, MAX_LINE_BYTES } from '../transcript/lines.ts';
import { type Shape, SkimmedLine } from '../transcript/skim/shape.ts';
import { Skimmer } from '../transcript/skim/skimmer.ts';
import { describeFileFault, notAFile } from './file-faults.ts';
import { readAhead } from './file-parts.ts';

const CHUNK = 512 * 1024;
/** The kernel holds short strings that it met; with more of them than this it is dropped. */
const MAX_STRINGS = 20_000;

/** One line, while it is looked at. The same object serves for all lines. */
export interface ClaudeLine extends Readonly<ClaudeLineFacts> {
  /** Where it begins in the file. */
  readonly start: number;
  /** False for a last line without a line end: it may be half-written. */
  readonly terminated: boolean;
  /** A second look at the line, as the next one is. */
  readUuid(): string | undefined;
  /** The first text in it that a person typed; empty where there is none. */
  readTypedText(): string;
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
  /** Asked now and then, once a line was read: true ends the reading, behind the last line end that was seen. */
  readonly isEnough?: () => boolean;
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
 * long they are, nor on how long strings in a line are. Broken lines are lines too.
 */
export class ClaudeLineReader {
  readonly #chunks = [Buffer.allocUnsafeSlow(CHUNK), Buffer.allocUnsafeSlow(CHUNK)] as const;
  readonly #uuid = new SecondLook(claudeUuidShape);
  readonly #text = new SecondLook(claudeTextShape);
  readonly #lines = new SkimmedLines(this.#uuid, this.#text);

  /** Where to go on when there is more: behind the last line end that was seen. */
  async read(handle: FileHandle, visitor: ClaudeLineVisitor, range: LineRange = {}): Promise<number> {
    const { from = 0, to = Number.POSITIVE_INFINITY } = range;
    const lines = this.#lines;
    lines.visitor = visitor;
    const splitter = new LineSplitter(lines, MAX_LINE_BYTES, from, true);
    const take = (chunk: Buffer, count: number, offset: number) => {
      lines.forgetStrings();
      visitor.bytes?.(chunk.subarray(0, count), offset);
      splitter.push(chunk, count);
    };
    let isEnded = false;
    const isEnough = () => {
      isEnded = splitter.lineStart > from && range.isEnough?.() === true;
      return isEnded;
    };
    try {
      await readAhead(handle, this.#chunks, from, to, take, isEnough);
      const resumeAt = splitter.lineStart;
      if (!isEnded) splitter.finish();
      return resumeAt;
    } finally {
      lines.visitor = undefined;
    }
  }
}

class SkimmedLines implements LineSink {
  visitor: ClaudeLineVisitor | undefined;
  #skimmed = new SkimmedLine(claudeLineShape);
  #skimmer = new Skimmer(claudeLineShape, this.#skimmed);
  #ids = new MessageIds();
  readonly #uuid: SecondLook;
  readonly #text: SecondLook;
  #bytes: Buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  readonly #line = {
    ...emptyClaudeLine(),
    start: 0,
    terminated: true,
    readUuid: () => this.#lookAgain(this.#uuid, readUuid),
    readTypedText: () => this.#lookAgain(this.#text, readTypedText) ?? '',
  };

  constructor(uuid: SecondLook, text: SecondLook) {
    this.#uuid = uuid;
    this.#text = text;
  }

  /** Where they have become many. */
  forgetStrings(): void {
    if (this.#skimmed.strings.size <= MAX_STRINGS) return;
    this.#skimmed = new SkimmedLine(claudeLineShape);
    this.#skimmer = new Skimmer(claudeLineShape, this.#skimmed);
    this.#ids = new MessageIds();
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
    return line;
  }

  #lookAgain<T>(look: SecondLook, read: (line: SkimmedLine) => T): T | undefined {
    const line = look.skim(this.#bytes, this.#from, this.#to);
    return line === undefined ? undefined : read(line);
  }
}

/** Reads of a line what every line has and few are asked for. */
class SecondLook {
  readonly #shape: Shape;
  #made: { readonly line: SkimmedLine; readonly skimmer: Skimmer } | undefined;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  skim(bytes: Buffer, start: number, end: number): SkimmedLine | undefined {
    // Uuids do not repeat: what the kernel keeps of them is of no use.
    if (this.#made === undefined || this.#made.line.strings.size > MAX_STRINGS) {
      const line = new SkimmedLine(this.#shape);
      this.#made = { line, skimmer: new Skimmer(this.#shape, line) };
    }
    return this.#made.skimmer.skim(bytes, start, end) ? this.#made.line : undefined;
  }
}

/** The titles of one Claude Code session, by who gave them. An empty one was taken back. */
export interface ClaudeTitles {
  /** Of the last `custom-title` line. */
  readonly customTitle?: string;
  /** Of the last `ai-title` line. */
  readonly aiTitle?: string;
}

/**
 * What Claude Code itself calls a session: the name that a person gave it (`/rename`) last, else that of a model. A
 * `custom-title.json` in the session's own folder says it where no line does.
 * @param transcriptPath `<folder>/<session id>.jsonl`
 */
export function resolveClaudeTitle(
  { customTitle, aiTitle }: ClaudeTitles,
  transcriptPath: string,
): string | undefined {
  const given = customTitle ?? readTitleFile(transcriptPath);
  return [given, aiTitle].map((title) => title?.trim()).find((title) => title !== undefined && title !== '');
}

function readTitleFile(transcriptPath: string): string | undefined {
  const path = join(transcriptPath.slice(0, -'.jsonl'.length), 'custom-title.json');
  try {
    // Most sessions have none, and a list looks at thousands: a failure costs more than a look.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const { customTitle } = JSON.parse(readFileSync(path, 'utf8')) as { customTitle?: unknown };
    return typeof customTitle === 'string' ? customTitle : undefined;
  } catch {
    return undefined;
  }
}

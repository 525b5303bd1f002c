import { detectDialect } from './formats/detect.ts';
import { clearLineFacts, type Dialect, emptyLineFacts } from './formats/dialect.ts';
import { openclawDialect } from './formats/openclaw.ts';
import { bareEnd, isBlank, LINE_FEED, type LineSink } from './lines.ts';
import { parseJson } from './skim/deep-json.ts';
import { SkimmedLine } from './skim/shape.ts';
import { Skimmer } from './skim/skimmer.ts';
import { StringTable } from './skim/string-table.ts';
import { type LineProblem, Transcript } from './transcript.ts';
import { settleOpenclawTree } from './tree/openclaw-tree.ts';

/** A file whose dialect is unknown by then is read as the more lenient one, lest its lines pile up. */
const MAX_EARLY_LINES = 1000;
const MAX_EARLY_BYTES = 4 * 1024 * 1024;
/** So many lines at most are skimmed alone before it is tried again to skim several together. */
const MOST_ALONE = 255;

/** A line that came before any that tells the dialect; read again when it is known. */
interface EarlyLine {
  bytes: Buffer;
  offset: number;
}

/**
 * Makes a Transcript from lines, wherever they come from: a splitter over a file, or rows of a database. Lines keep
 * their order; every line becomes an entry.
 */
export class TranscriptBuilder implements LineSink {
  readonly #strings: StringTable;
  readonly #transcript: Transcript;
  readonly #facts = emptyLineFacts();
  #dialect: Dialect | undefined;
  #skimmed: SkimmedLine | undefined;
  #skimmer: Skimmer | undefined;
  #early: EarlyLine[] = [];
  #earlyBytes = 0;
  #described = false;
  /** How many lines are skimmed alone behind one that could not be skimmed with others, and how many of them are left. */
  #alone = 0;
  #aloneFor = 0;

  /**
   * @param dialect where it is known beforehand; else the first lines tell it
   * @param strings those of another transcript, so that ids of both have the same numbers
   */
  constructor(dialect?: 'openclaw', strings: StringTable = new StringTable()) {
    this.#strings = strings;
    this.#transcript = new Transcript(strings);
    if (dialect === 'openclaw') this.#use(openclawDialect);
  }

  line(bytes: Buffer, start: number, end: number, offset: number, terminated: boolean): void {
    this.#transcript.terminated = terminated;
    if (this.#dialect === undefined) {
      this.#detect(bytes, start, end, offset);
      return;
    }
    this.#read(bytes, start, end, offset);
  }

  /** Lines are skimmed together until one is not as plain as most; then so many are skimmed alone, lest it is tried for each. */
  lines(bytes: Buffer, start: number, end: number, offset: number): number {
    const skimmer = this.#skimmer;
    if (skimmer === undefined || this.#aloneFor-- > 0) return start;
    const shift = offset - start;
    const before = this.#transcript.length;
    const stop = skimmer.skimLines(bytes, start, end, (from, to) => {
      clearLineFacts(this.#facts);
      this.#readSkimmed();
      this.#transcript.add(from + shift, to + shift, this.#facts);
    });
    if (stop > start) this.#transcript.terminated = true;
    this.#alone =
      this.#transcript.length - before > this.#alone ? 0 : Math.min(2 * this.#alone + 1, MOST_ALONE);
    this.#aloneFor = this.#alone;
    return stop;
  }

  blanks(bytes: Buffer, start: number, end: number, offset: number): void {
    this.#transcript.terminated = true;
    let at = start;
    // A blank line does not tell the dialect.
    while (at < end && this.#dialect === undefined) {
      const lineFeed = bytes.indexOf(LINE_FEED, at);
      this.#detect(bytes, at, bareEnd(bytes, at, lineFeed), offset + at - start);
      at = lineFeed + 1;
    }
    clearLineFacts(this.#facts);
    this.#facts.kind = 'blank';
    this.#transcript.addBlanks(bytes, at, end, offset + at - start, this.#facts);
  }

  oversize(offset: number, endOffset: number, terminated: boolean): void {
    this.#transcript.terminated = terminated;
    this.#readEarly();
    clearLineFacts(this.#facts);
    this.#facts.kind = 'oversize';
    this.#problem(offset, endOffset, 'oversize');
    this.#transcript.add(offset, endOffset, this.#facts);
  }

  /** Lines that were too long to be read, once all lines are there. */
  get oversizeLines(): readonly LineProblem[] {
    return this.#transcript.problems.filter(({ problem }) => problem === 'oversize');
  }

  /** The top-level fields that `identify` wants to know of such a line. */
  get placeFields(): readonly string[] {
    const { id, parentId } = (this.#dialect ?? openclawDialect).linkFields;
    return ['type', id, parentId];
  }

  /** Puts a line that was too long into its place in the tree, by what is known of it. Before `finish`. */
  identify(line: number, fields: Readonly<Record<string, string>>): void {
    const { linkFields } = this.#dialect ?? openclawDialect;
    const id = fields[linkFields.id];
    if (id === undefined || fields.type === 'session') return;
    this.#transcript.identify(line - 1, id, fields[linkFields.parentId]);
  }

  /**
   * @param byteLength the size of what was split
   * @param rules `openclaw` for lines that only OpenClaw wrote; else its rules hold where lines of its own ask for them
   */
  finish(byteLength: number, rules?: 'openclaw'): Transcript {
    this.#readEarly();
    const transcript = this.#transcript;
    transcript.byteLength = byteLength;
    transcript.dialect = this.#dialect?.name;
    const last = transcript.problems.at(-1);
    if (!transcript.terminated && last?.problem === 'broken' && last.line === transcript.length) {
      transcript.problems[transcript.problems.length - 1] = { ...last, problem: 'torn' };
    }
    transcript.settle();
    const isOpenclaw =
      transcript.dialect === 'openclaw' && (rules === 'openclaw' || transcript.hasNavigation);
    if (isOpenclaw) settleOpenclawTree(transcript);
    return transcript;
  }

  #detect(bytes: Buffer, start: number, end: number, offset: number): void {
    this.#early.push({ bytes: Buffer.from(bytes.subarray(start, end)), offset });
    this.#earlyBytes += end - start;
    const dialect = detectDialect(parseOrNull(bytes, start, end));
    if (dialect !== undefined) this.#use(dialect);
    else if (this.#early.length > MAX_EARLY_LINES || this.#earlyBytes > MAX_EARLY_BYTES) {
      this.#use(openclawDialect);
    } else return;
    this.#readEarly();
  }

  #use(dialect: Dialect): void {
    this.#dialect = dialect;
    this.#skimmed = new SkimmedLine(dialect.shape, this.#strings);
    this.#skimmer = new Skimmer(dialect.shape, this.#skimmed);
  }

  #readEarly(): void {
    const early = this.#early;
    this.#early = [];
    for (const { bytes, offset } of early) this.#read(bytes, 0, bytes.length, offset);
  }

  #read(bytes: Buffer, start: number, end: number, offset: number): void {
    const facts = this.#facts;
    const endOffset = offset + end - start;
    clearLineFacts(facts);
    if (isBlank(bytes, start, end)) facts.kind = 'blank';
    else if (this.#skimmer === undefined) this.#readUnknown(bytes, start, end, offset);
    else if (this.#skimmer.skim(bytes, start, end)) this.#readSkimmed();
    else {
      facts.kind = 'broken';
      this.#problem(offset, endOffset, 'broken');
    }
    this.#transcript.add(offset, endOffset, facts);
  }

  #readSkimmed(): void {
    this.#dialect!.read(this.#skimmed!, this.#facts);
    if (!this.#described) this.#describe();
  }

  /** No line of the file shows a dialect: JSON is kept as unknown, all else is broken. */
  #readUnknown(bytes: Buffer, start: number, end: number, offset: number): void {
    if (parseOrNull(bytes, start, end) !== null) {
      this.#facts.kind = 'unknown';
      return;
    }
    this.#facts.kind = 'broken';
    this.#problem(offset, offset + end - start, 'broken');
  }

  #describe(): void {
    const header = this.#dialect!.describe(this.#skimmed!, this.#facts);
    if (header === undefined) return;
    this.#transcript.header = header;
    this.#described = header.id !== undefined;
  }

  #problem(start: number, end: number, problem: LineProblem['problem']): void {
    this.#transcript.problems.push({ line: this.#transcript.length + 1, start, end, problem });
  }
}

/** The object in a line, or null. */
function parseOrNull(bytes: Buffer, start: number, end: number): object | null {
  try {
    const value = parseJson(bytes, start, end);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

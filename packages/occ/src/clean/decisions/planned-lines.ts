import type { Transcript } from '@openbot/sessions';
import { FLAG, IMAGE_CHARACTERS, leafOf } from '@openbot/sessions/transcript';
import { isLeftWithNothing, isNothingLeft, LONGEST_BLANK, STRIPPED, THOUGHTLESS } from '../empty-message.ts';
import type { Cuts, LineEdit, ToolAction } from '../line-edit.ts';
import type { LineReader } from '../plan.ts';
import { rewriteLine } from '../rewrite-line.ts';
import { ACTIONS, KEEP as KEEP_TOOL, REMOVE as REMOVE_TOOL } from './call-actions.ts';

const REMOVE = 1;
const STRIP = 2;

/** As much of the shortened lines is remembered; the rest is shortened again when it is written. */
const MOST_BEGUN = 2 * 1024 * 1024;

/** The decision about each line of a transcript. */
export class PlannedLines {
  readonly #transcript: Transcript;
  readonly #readLine: LineReader;
  /** By index: 0 stays, REMOVE, or STRIP: stays without its calls, its results and its thinking. */
  readonly #fates: Uint8Array;
  readonly #edits = new Map<number, LineEdit>();
  readonly #shortened = new Map<number, Shortened>();
  /** By index: shortened lines as they will be. */
  readonly #begun = new Map<number, LineEdit>();
  #begunSize = 0;
  /** Messages of several lines of which a line lost calls or thinking. */
  readonly #losers = new Set<number>();
  /** Messages of several lines that lost thinking alone. */
  readonly #thoughtless = new Set<number>();
  /** Entries that stay even with nothing in them. */
  readonly #isPlace: (index: number) => boolean;
  #changes = false;

  /** @param isPlace whether an entry stays even with nothing in it, since others have their place through it */
  constructor(transcript: Transcript, readLine: LineReader, isPlace: (index: number) => boolean) {
    this.#transcript = transcript;
    this.#readLine = readLine;
    this.#isPlace = isPlace;
    this.#fates = new Uint8Array(transcript.length);
  }

  get changes(): boolean {
    return this.#changes;
  }

  isRemoved(index: number): boolean {
    return this.#fates[index] === REMOVE;
  }

  editOf(index: number): LineEdit | undefined {
    if (this.#fates[index] === STRIP) return STRIPPED;
    return this.#edits.size === 0 ? undefined : (this.#begun.get(index) ?? this.#edits.get(index));
  }

  /** Whether a result goes: the one with this number in its entry. */
  losesResult(index: number, order: number): boolean {
    return this.#fates[index] !== 0 || isAt(this.#edits.get(index)?.results, order, 'remove');
  }

  /** The lines of which something was cut off. */
  shortened(): Iterable<Shortened> {
    return this.#shortened.values();
  }

  /** How many characters fewer the line gives to the model. Of lines that stay. */
  savedBy(index: number): number {
    const transcript = this.#transcript;
    if (this.#fates[index] === STRIP) {
      return savedByStripping(transcript, index);
    }
    const edit = this.#edits.size === 0 ? undefined : this.#edits.get(index);
    if (edit === undefined) return 0;
    const cuts = this.#shortened.get(index)?.cuts;
    let saved = edit.dropThinking ? transcript.thinkingSizeOf(index) : 0;
    saved += (cuts?.images ?? 0) * IMAGE_CHARACTERS + (cuts?.outputCharacters ?? 0);
    for (const [order, call] of transcript.callsOf(index).entries()) {
      if (isAt(edit.calls, order, 'remove')) saved += call.name.length + call.size;
      else saved += savedSize(call.size, cuts?.calls.get(order));
    }
    for (const [order, result] of transcript.resultsOf(index).entries()) {
      if (isAt(edit.results, order, 'remove')) saved += result.size;
      else saved += savedSize(result.size, cuts?.results.get(order));
    }
    return saved;
  }

  /**
   * A line with calls or results.
   * @param actions what is to be done to each of its calls, then to each of its results; read before this returns
   */
  plan(index: number, position: number, actions: readonly number[], calls: number): void {
    let removed = 0;
    let kept = 0;
    for (let i = 0; i < actions.length; i++) {
      if (actions[i] === REMOVE_TOOL) removed++;
      else if (actions[i] === KEEP_TOOL) kept++;
      if (i === calls - 1 && removed > 0) this.#noteLoss(index);
    }
    if (kept === actions.length) return;
    if (removed === actions.length) this.#strip(index);
    else this.#edit(index, position, actions.slice(0, calls), actions.slice(calls));
  }

  /** A line with tool output in a person's message, which is to be shortened. It is never removed. */
  planOutput(index: number, position: number): void {
    if (this.isRemoved(index)) return;
    const isStripped = this.#fates[index] === STRIP;
    const edit: LineEdit = { ...(isStripped ? STRIPPED : this.#edits.get(index)), outputs: 'truncate' };
    const cuts = noCuts();
    const shortened = shorten(this.#readLine(index), edit, this.#transcript, cuts);
    if (shortened === undefined || cuts.outputs === 0) return;
    this.#fates[index] = 0;
    this.#noteShortened(index, edit, shortened, { position, cuts });
  }

  /** An entry whose thinking goes, as far as it was not planned yet. */
  dropThinking(index: number): void {
    if (this.#fates[index] !== 0 || this.#edits.has(index)) return;
    this.#noteLoss(index);
    this.#strip(index);
  }

  /** The thinking of an entry whose calls stay, as far as it does not go already. */
  dropThinkingAlone(index: number): void {
    if (!this.keepsThinking(index)) return;
    const transcript = this.#transcript;
    this.#changes = true;
    const message = transcript.messageOf(index);
    if (message >= 0) this.#thoughtless.add(message);
    const edit = this.#edits.get(index);
    if (edit !== undefined) {
      this.#edits.set(index, { ...edit, ...THOUGHTLESS });
      const begun = this.#begun.get(index)?.begun;
      const dialect = transcript.dialect ?? 'openclaw';
      if (begun !== undefined) this.#begun.set(index, { begun: rewriteLine(begun, THOUGHTLESS, dialect) });
      return;
    }
    const isEmptied =
      transcript.callCountOf(index) + transcript.resultCountOf(index) === 0 &&
      isLeftWithNothing(transcript, index, this.#readLine, THOUGHTLESS);
    if (isEmptied && !this.#isPlace(index)) this.#fates[index] = REMOVE;
    else this.#edits.set(index, THOUGHTLESS);
  }

  /** Whether an entry goes, or gives something else to the model. */
  isReadOtherwise(index: number): boolean {
    if (this.#fates[index] !== 0) return true;
    const edit = this.#edits.get(index);
    if (edit === undefined) return false;
    if (edit.dropThinking && this.#transcript.has(index, FLAG.thinking)) return true;
    const isRemoval = (actions: LineEdit['calls']) =>
      typeof actions === 'string' ? actions === 'remove' : (actions?.includes('remove') ?? false);
    if (isRemoval(edit.calls) || isRemoval(edit.results)) return true;
    const cuts = this.#shortened.get(index)?.cuts;
    if (cuts === undefined) return false;
    // Below 0 only a copy was cut that the model never sees.
    return cuts.outputs > 0 || [...cuts.calls.values(), ...cuts.results.values()].some((size) => size >= 0);
  }

  /** Whether an entry will hold thinking. */
  keepsThinking(index: number): boolean {
    const isDropped = this.#fates[index] !== 0 || Boolean(this.#edits.get(index)?.dropThinking);
    return !isDropped && this.#transcript.has(index, FLAG.thinking);
  }

  /** The other lines of messages that lost calls or thinking: thinking goes with them, and blank text that is all that is left. */
  planRestOfMessages(path: readonly number[]): void {
    if (this.#losers.size + this.#thoughtless.size === 0) return;
    const transcript = this.#transcript;
    // The next entry refers to it.
    const leaf = leafOf(transcript);
    const left = new Map<number, number[]>();
    for (const index of path) {
      const message = transcript.messageOf(index);
      const isLoser = this.#losers.has(message);
      if (!isLoser && !this.#thoughtless.has(message)) continue;
      const isUntouched = this.#fates[index] === 0 && !this.#edits.has(index);
      const isRest = isLoser && isUntouched && index !== leaf && transcript.callCountOf(index) === 0;
      if (isRest && (transcript.has(index, FLAG.thinking) || transcript.has(index, FLAG.otherContent))) {
        this.#strip(index);
      }
      if (this.isRemoved(index)) continue;
      const lines = left.get(message);
      if (lines === undefined) left.set(message, [index]);
      else lines.push(index);
    }
    for (const lines of left.values()) {
      if (lines.every((index) => index !== leaf && this.#isBlank(index)))
        for (const index of lines) this.#fates[index] = REMOVE;
    }
  }

  /**
   * A later line with the same id replaces a line. If that later line is removed, this one would be active again, so it is
   * removed too, unless it holds words.
   */
  planDuplicates(): void {
    const transcript = this.#transcript;
    if (!transcript.hasDuplicates) return;
    for (let i = 0, length = transcript.length; i < length; i++) {
      if (!transcript.has(i, FLAG.duplicate)) continue;
      const active = transcript.indexOf(transcript.idOf(i)!);
      if (active === undefined || !this.isRemoved(active)) continue;
      const role = transcript.roleOf(i);
      if (role === 'assistant' || role === 'toolResult') this.#strip(i);
    }
  }

  #isBlank(index: number): boolean {
    const transcript = this.#transcript;
    if (this.#fates[index] !== 0 || transcript.callCountOf(index) > 0) return false;
    return transcript.textSizeOf(index) <= LONGEST_BLANK && isNothingLeft(this.#readLine(index));
  }

  #noteLoss(index: number): void {
    const message = this.#transcript.messageOf(index);
    if (message >= 0) this.#losers.add(message);
  }

  #strip(index: number): void {
    this.#changes = true;
    const isEmptied = isLeftWithNothing(this.#transcript, index, this.#readLine);
    this.#fates[index] = isEmptied && !this.#isPlace(index) ? REMOVE : STRIP;
  }

  #edit(index: number, position: number, calls: readonly number[], results: readonly number[]): void {
    const edit: LineEdit = {
      calls: calls.length === 0 ? undefined : oneForAll(calls),
      results: results.length === 0 ? undefined : oneForAll(results),
      dropThinking: calls.includes(REMOVE_TOOL) || undefined,
    };
    const cuts = noCuts();
    const shortened = shorten(this.#readLine(index), edit, this.#transcript, cuts);
    if (shortened !== undefined) this.#noteShortened(index, edit, shortened, { position, cuts });
  }

  #noteShortened(index: number, edit: LineEdit, line: string, shortened: Shortened): void {
    this.#changes = true;
    this.#edits.set(index, edit);
    this.#shortened.set(index, shortened);
    this.#begun.delete(index);
    if (this.#begunSize + line.length > MOST_BEGUN) return;
    this.#begunSize += line.length;
    // A copy: made of parts of the line, it would keep the whole line in memory.
    this.#begun.set(index, { begun: Buffer.from(line, 'latin1').toString('latin1') });
  }
}

/** A line of which something was cut off, and its position in the path. */
export interface Shortened {
  readonly position: number;
  readonly cuts: Cuts;
}

function savedByStripping(transcript: Transcript, index: number): number {
  let saved = transcript.thinkingSizeOf(index);
  const calls = transcript.callCountOf(index);
  const call = calls === 0 ? 0 : transcript.firstCallOf(index);
  for (let i = 0; i < calls; i++) saved += transcript.calls.weightAt(call + i);
  const results = transcript.resultCountOf(index);
  const result = results === 0 ? 0 : transcript.firstResultOf(index);
  for (let i = 0; i < results; i++) saved += transcript.results.sizeAt(result + i);
  return saved;
}

function noCuts(): Cuts {
  return { calls: new Map(), results: new Map(), outputs: 0, outputCharacters: 0, images: 0 };
}

/** The shorter line; undefined where it would not be shorter. */
function shorten(line: string, edit: LineEdit, transcript: Transcript, cuts: Cuts): string | undefined {
  try {
    const shortened = rewriteLine(line, edit, transcript.dialect ?? 'openclaw', cuts);
    return shortened.length < line.length ? shortened : undefined;
  } catch (error) {
    // Nested too deeply to be serialized: it is left unchanged.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function oneForAll(actions: readonly number[]): ToolAction | readonly ToolAction[] {
  if (actions.every((action) => action === actions[0])) return ACTIONS[actions[0]!]!;
  return actions.map((action) => ACTIONS[action]!);
}

function isAt(actions: LineEdit['calls'], order: number, action: ToolAction): boolean {
  return (typeof actions === 'string' ? actions : actions?.[order]) === action;
}

/** @param after the new size; below 0 where only a copy was cut that the model never sees */
function savedSize(before: number, after: number | undefined): number {
  return after === undefined || after < 0 ? 0 : Math.max(0, before - after);
}

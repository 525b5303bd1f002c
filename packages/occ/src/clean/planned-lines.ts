import { FLAG, IMAGE_CHARACTERS, type Transcript } from '@openbot/sessions';
import { isNothingLeft } from './empty-message.ts';
import type { Cuts, LineEdit, ToolAction } from './line-edit.ts';
import type { LineReader } from './plan.ts';
import { rewriteLine } from './rewrite-line.ts';

/** A text no longer than this may be blanks only; agents put them before calls. */
const LONGEST_BLANK = 32;

const REMOVE = 1;
const STRIP = 2;

/** What happens to each line of a transcript, as it is decided. */
export class PlannedLines {
  readonly #transcript: Transcript;
  readonly #readLine: LineReader;
  /** By index: 0 stays, REMOVE, or STRIP: stays without its calls, its results and its thinking. */
  readonly #fates: Uint8Array;
  readonly #edits = new Map<number, LineEdit>();
  readonly #cuts = new Map<number, Cuts>();
  /** Messages of several lines of which a line lost calls. */
  readonly #losers = new Set<number>();
  #changes = false;

  constructor(transcript: Transcript, readLine: LineReader) {
    this.#transcript = transcript;
    this.#readLine = readLine;
    this.#fates = new Uint8Array(transcript.length);
  }

  get changes(): boolean {
    return this.#changes;
  }

  isRemoved(index: number): boolean {
    return this.#fates[index] === REMOVE;
  }

  editOf(index: number): LineEdit | undefined {
    return this.#fates[index] === STRIP ? STRIPPED : this.#edits.get(index);
  }

  isCallCut(index: number, order: number): boolean {
    return this.#cuts.get(index)?.calls.has(order) ?? false;
  }

  isResultCut(index: number, order: number): boolean {
    return this.#cuts.get(index)?.results.has(order) ?? false;
  }

  /** How many characters fewer the line gives to the model. Of lines that stay. */
  savedBy(index: number): number {
    const transcript = this.#transcript;
    if (this.#fates[index] === STRIP) {
      let saved = transcript.thinkingSizeOf(index);
      for (const call of transcript.callsOf(index)) saved += call.name.length + call.size;
      for (const result of transcript.resultsOf(index)) saved += result.size;
      return saved;
    }
    const edit = this.#edits.get(index);
    if (edit === undefined) return 0;
    const cuts = this.#cuts.get(index);
    let saved = edit.dropThinking ? transcript.thinkingSizeOf(index) : 0;
    saved += (cuts?.images ?? 0) * IMAGE_CHARACTERS;
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

  /** A line with calls or results, and what is to be done to each of them. */
  plan(index: number, calls: readonly ToolAction[], results: readonly ToolAction[]): void {
    const actions = [...calls, ...results];
    if (actions.every((action) => action === 'keep')) return;
    if (calls.includes('remove')) this.#noteLoss(index);
    if (actions.every((action) => action === 'remove')) this.#strip(index);
    else this.#edit(index, calls, results);
  }

  /** The other lines of messages that lost calls: thinking goes with them, and blank text that is all that is left. */
  planRestOfMessages(path: readonly number[]): void {
    if (this.#losers.size === 0) return;
    const transcript = this.#transcript;
    const left = new Map<number, number[]>();
    for (const index of path) {
      const message = transcript.messageOf(index);
      if (!this.#losers.has(message)) continue;
      const isUntouched = this.#fates[index] === 0 && !this.#edits.has(index);
      const isRest = isUntouched && transcript.callCountOf(index) === 0;
      if (isRest && (transcript.has(index, FLAG.thinking) || transcript.has(index, FLAG.otherContent))) {
        this.#strip(index);
      }
      if (this.isRemoved(index)) continue;
      const lines = left.get(message);
      if (lines === undefined) left.set(message, [index]);
      else lines.push(index);
    }
    for (const lines of left.values()) {
      if (lines.every((index) => this.#isBlank(index)))
        for (const index of lines) this.#fates[index] = REMOVE;
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
    this.#fates[index] = this.#isNothingLeft(index) ? REMOVE : STRIP;
  }

  #isNothingLeft(index: number): boolean {
    const transcript = this.#transcript;
    // A result of OpenClaw's or pi's is the whole message.
    if (transcript.dialect !== 'claude-code' && transcript.roleOf(index) === 'toolResult') return true;
    const text = transcript.textSizeOf(index);
    if (text > LONGEST_BLANK) return false;
    const hasImages = transcript.resultCountOf(index) === 0 && transcript.imageCountOf(index) > 0;
    if (text === 0 && !hasImages && !transcript.has(index, FLAG.otherContent)) return true;
    const dialect = transcript.dialect ?? 'openclaw';
    return isNothingLeft(rewriteLine(this.#readLine(index), STRIPPED, dialect));
  }

  #edit(index: number, calls: readonly ToolAction[], results: readonly ToolAction[]): void {
    const edit: LineEdit = {
      ...(calls.length === 0 ? {} : { calls: oneForAll(calls) }),
      ...(results.length === 0 ? {} : { results: oneForAll(results) }),
      ...(calls.includes('remove') ? { dropThinking: true } : {}),
    };
    const line = this.#readLine(index);
    const cuts: Cuts = { calls: new Map(), results: new Map(), images: 0 };
    if (!isShortened(line, edit, this.#transcript, cuts)) return;
    this.#changes = true;
    this.#edits.set(index, edit);
    this.#cuts.set(index, cuts);
  }
}

const STRIPPED: LineEdit = { calls: 'remove', results: 'remove', dropThinking: true };

function isShortened(line: string, edit: LineEdit, transcript: Transcript, cuts: Cuts): boolean {
  try {
    return rewriteLine(line, edit, transcript.dialect ?? 'openclaw', cuts).length < line.length;
  } catch (error) {
    // Nested deeper than can be printed: it stays as it is.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function oneForAll(actions: readonly ToolAction[]): ToolAction | readonly ToolAction[] {
  return actions.every((action) => action === actions[0]) ? actions[0]! : actions;
}

function isAt(actions: LineEdit['calls'], order: number, action: ToolAction): boolean {
  return (typeof actions === 'string' ? actions : actions?.[order]) === action;
}

/** @param after the new size; below 0 where only a copy was cut that the model never sees */
function savedSize(before: number, after: number | undefined): number {
  return after === undefined || after < 0 ? 0 : Math.max(0, before - after);
}

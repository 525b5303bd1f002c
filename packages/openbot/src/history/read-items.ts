import type { Transcript } from '@openbot/sessions';
import { FLAG, type LineMessage, type MessageBlock, readLineMessage } from '@openbot/sessions/transcript';
import type { SessionLines } from 'oc-context-cleaner';
import type { ChosenEntries } from './choose-entries.ts';
import type { CallResult, HistoryItem, HistoryMessage, HistoryPart } from './history-item.ts';
import { noteOf, unreadableNote } from './notes.ts';

/**
 * What the chosen entries say, one item at a time: a line is read when its item is asked for, and nothing is kept of it.
 * Results of tools are given with their calls.
 */
export function* readItems(lines: SessionLines, chosen: ChosenEntries): Generator<HistoryItem> {
  const results = new ResultsOfCalls(lines, chosen);
  let pending: Open | undefined;
  for (const index of chosen.entries) {
    const read = readEntry(lines, index, results);
    if (read === undefined) continue;
    const isMarked = index === chosen.marked || results.gaveMarked;
    const item = { ...read.item, ...placeOf(index, chosen), ...(isMarked && { isMarked: true as const }) };
    // Claude Code writes a line for each block of a message.
    if (pending !== undefined && isContinued(pending, read)) {
      pending = { ...pending, item: mergeItems(pending.item as HistoryMessage, item as HistoryMessage) };
      continue;
    }
    if (pending !== undefined) yield pending.item;
    if (read.told !== undefined) yield { ...read.told, ...placeOf(index, chosen) };
    pending = { ...read, item };
  }
  if (pending !== undefined) yield pending.item;
}

interface Open {
  readonly item: HistoryItem;
  /** What the runtime told in front of the words of the person. */
  readonly told?: HistoryMessage;
  readonly messageId?: string;
}

function isContinued(pending: Open, next: Open): boolean {
  return next.messageId !== undefined && pending.messageId === next.messageId;
}

function mergeItems(first: HistoryMessage, next: HistoryMessage): HistoryMessage {
  return {
    ...first,
    parts: [...first.parts, ...next.parts],
    ...(next.usage && { usage: next.usage }),
    ...(next.failure && { failure: next.failure }),
    ...(next.isMarked && { isMarked: true }),
  };
}

function placeOf(index: number, { turnOf, isOffPath }: ChosenEntries) {
  const turn = turnOf[index]!;
  return {
    ...(turn > 0 && { turn }),
    ...(isOffPath(index) && { isOffPath: true as const }),
  };
}

function readEntry(
  { transcript, readLine }: SessionLines,
  index: number,
  results: ResultsOfCalls,
): Open | undefined {
  results.gaveMarked = false;
  const kind = transcript.kindOf(index);
  if (kind === 'blank' || kind === 'header' || transcript.has(index, FLAG.duplicate)) return undefined;
  if (results.isGiven(index)) return undefined;
  if (kind === 'broken' || kind === 'oversize') return { item: unreadableNote(transcript, index) };
  const line = parseLine(readLine(index));
  if (line === undefined) return { item: unreadableNote(transcript, index) };
  return readLineItem(line, kind, (message) => results.join(message, index));
}

/** An item of a line on its own, where results are not looked for. */
export function readLineItem(
  line: unknown,
  kind: ReturnType<Transcript['kindOf']>,
  joinResults: (message: LineMessage) => HistoryPart[] = (message) => [...message.blocks],
): Open | undefined {
  const note = noteOf(line, kind);
  if (note !== undefined) return { item: note };
  const message = readLineMessage(line);
  if (message === undefined) return undefined;
  const { speaker, id, at, provider, model, usage, failure, messageId } = message;
  const parts = joinResults(message);
  if (parts.length === 0 && failure === undefined) return undefined;
  const item: HistoryMessage = {
    kind: 'message',
    speaker,
    parts,
    ...(id !== undefined && { id }),
    ...(at !== undefined && { at }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    ...(failure !== undefined && { failure }),
  };
  return {
    item,
    ...(message.told !== undefined && {
      told: { kind: 'message', speaker: 'system', parts: [{ kind: 'text', text: message.told }], at },
    }),
    ...(messageId !== undefined && speaker === 'assistant' && { messageId }),
  };
}

const NOT_ASCII = /[\x80-\xff]/;

/** The text of a line, of one character a byte, as JSON; undefined where it is none. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(NOT_ASCII.test(line) ? Buffer.from(line, 'latin1').toString('utf8') : line);
  } catch {
    return undefined;
  }
}

type ResultBlock = Extract<MessageBlock, { kind: 'result' }>;

/** Finds the results of calls among the chosen entries. */
class ResultsOfCalls {
  readonly #lines: SessionLines;
  /** By the number of a call's id: the entries with results of it, in their order. Some providers use an id again. */
  readonly #entries = new Map<number, number[]>();
  /** By entry: the ids whose results were given with their calls. */
  readonly #given = new Map<number, Set<string>>();
  readonly #marked: number | undefined;
  /** The entry that was asked for is a result that was given with its call. */
  gaveMarked = false;

  constructor(lines: SessionLines, { entries, marked }: ChosenEntries) {
    this.#lines = lines;
    this.#marked = marked;
    const { transcript } = lines;
    for (const index of entries) {
      const first = transcript.firstResultOf(index);
      for (let row = first; row < first + transcript.resultCountOf(index); row++) {
        const id = transcript.results.idAt(row);
        const known = this.#entries.get(id);
        if (known === undefined) this.#entries.set(id, [index]);
        else known.push(index);
      }
    }
  }

  /** Whether all that an entry holds was given with its calls: it need not be read again. */
  isGiven(index: number): boolean {
    const { transcript } = this.#lines;
    const given = this.#given.get(index);
    if (given === undefined || given.size < transcript.resultCountOf(index)) return false;
    if (transcript.textSizeOf(index) > 0 && transcript.roleOf(index) !== 'toolResult') return false;
    this.#given.delete(index);
    return true;
  }

  /** The parts of a message: calls with their results, and the results that no call has. */
  join(message: LineMessage, index: number): HistoryPart[] {
    const given = this.#given.get(index);
    this.#given.delete(index);
    const parts: HistoryPart[] = [];
    for (const block of message.blocks) {
      const last = parts.at(-1);
      if (block.kind === 'call') {
        const result = block.id === '' ? undefined : this.#take(block.id, index, message.at);
        parts.push({ ...block, ...(result !== undefined && { result }) });
      } else if (block.kind !== 'result') parts.push(block);
      // A command that a person ran in pi: both are in one line.
      else if (block.callId === '' && last?.kind === 'call')
        parts[parts.length - 1] = { ...last, result: resultOf(block) };
      else if (!given?.has(block.callId))
        parts.push({
          ...resultOf(block),
          kind: 'result',
          callId: block.callId,
          ...(block.name !== undefined && { name: block.name }),
        });
    }
    return parts;
  }

  #take(callId: string, from: number, calledAt: number | undefined): CallResult | undefined {
    const { transcript, readLine } = this.#lines;
    const id = transcript.strings.find(callId);
    const entries = id < 0 ? undefined : this.#entries.get(id);
    const at = entries?.findIndex((index) => index > from) ?? -1;
    if (entries === undefined || at < 0) return undefined;
    const index = entries[at]!;
    const message = readLineMessage(parseLine(readLine(index)));
    const block = message?.blocks.find(
      (one): one is ResultBlock => one.kind === 'result' && one.callId === callId,
    );
    if (block === undefined) return undefined;
    entries.splice(0, at + 1);
    this.gaveMarked ||= index === this.#marked;
    const given = this.#given.get(index) ?? new Set();
    this.#given.set(index, given.add(callId));
    const durationMs = calledAt === undefined || message?.at === undefined ? -1 : message.at - calledAt;
    return { ...resultOf(block), ...(durationMs >= 0 && { durationMs }) };
  }
}

function resultOf({ text, images, isError }: ResultBlock): CallResult {
  return { text, images, isError };
}

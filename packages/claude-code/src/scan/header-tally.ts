import { isAbsolute } from 'node:path';
import type { ClaudeLine } from '@openbot/sessions/lines';
import { readFirstMessage } from './first-message.ts';
import type { JsonlHeader } from './jsonl-header.ts';

/** A session that wanders about in more folders than this is known by the first ones. */
const MAX_CWDS = 100;

type Figures = { input: number; cache: number; output: number };

/** What has been counted so far, in a form that can be written down and taken up again. */
export interface SavedTally {
  readonly lineCount: number;
  /** Messages and boundaries that name no id. */
  readonly unnamed: readonly [messages: number, compactions: number];
  readonly words: Words;
  readonly cwds: readonly string[];
  readonly people: readonly string[];
  readonly boundaries: readonly string[];
  /** id, input, cache, output; and so on. */
  readonly messages: readonly (string | number)[];
}

type Words = {
  gitBranch?: string;
  firstUserMessage?: string;
  slug?: string;
  version?: string;
  permissionMode?: string;
  originMarker?: string;
  forkedFrom?: string;
};

/** Counts lines up to a header. It holds the ids of messages, not their content. */
export class HeaderTally {
  #lineCount = 0;
  #unnamedMessages = 0;
  #unnamedCompactions = 0;
  readonly #words: Words = {};
  readonly #cwds = new Set<string>();
  readonly #people = new Set<string>();
  readonly #boundaries = new Set<string>();
  readonly #messages = new Map<string, Figures>();
  readonly #total: Figures = { input: 0, cache: 0, output: 0 };

  static restore(saved: SavedTally): HeaderTally {
    const tally = new HeaderTally();
    tally.#lineCount = saved.lineCount;
    [tally.#unnamedMessages, tally.#unnamedCompactions] = saved.unnamed;
    Object.assign(tally.#words, saved.words);
    for (const cwd of saved.cwds) tally.#cwds.add(cwd);
    for (const uuid of saved.people) tally.#people.add(uuid);
    for (const uuid of saved.boundaries) tally.#boundaries.add(uuid);
    const { messages } = saved;
    for (let i = 0; i < messages.length; i += 4) {
      const [input, cache, output] = messages.slice(i + 1, i + 4) as [number, number, number];
      tally.#count(messages[i] as string, input, cache, output);
    }
    return tally;
  }

  save(): SavedTally {
    return {
      lineCount: this.#lineCount,
      unnamed: [this.#unnamedMessages, this.#unnamedCompactions],
      words: { ...this.#words },
      cwds: [...this.#cwds],
      people: [...this.#people],
      boundaries: [...this.#boundaries],
      messages: [...this.#messages].flatMap(([id, { input, cache, output }]) => [id, input, cache, output]),
    };
  }

  add(line: ClaudeLine): void {
    this.#lineCount++;
    const words = this.#words;
    if (line.permissionMode !== undefined) words.permissionMode = line.permissionMode;
    if (line.gitBranch !== undefined) words.gitBranch = line.gitBranch;
    if (line.version !== undefined) words.version = line.version;
    if (line.slug !== undefined) words.slug = line.slug;
    if (line.forkedFrom !== undefined) words.forkedFrom ??= line.forkedFrom;
    if (line.cwd !== undefined && this.#cwds.size < MAX_CWDS && isAbsolute(line.cwd))
      this.#cwds.add(line.cwd);
    if (line.kind === 'compaction') this.#addCompaction(line);
    else if (line.isSidechain) return;
    else if (line.kind === 'assistant') this.#addAssistant(line);
    else if (line.kind === 'person') this.#addPerson(line);
  }

  header(): JsonlHeader {
    return {
      ...this.#words,
      cwds: [...this.#cwds],
      lineCount: this.#lineCount,
      messageCount: this.#people.size + this.#messages.size + this.#unnamedMessages,
      totalInputTokens: this.#total.input,
      totalCacheTokens: this.#total.cache,
      totalOutputTokens: this.#total.output,
      compactionCount: this.#boundaries.size + this.#unnamedCompactions,
    };
  }

  #addCompaction(line: ClaudeLine): void {
    const { uuid } = line.details();
    if (uuid === undefined) this.#unnamedCompactions++;
    else this.#boundaries.add(uuid);
  }

  #addPerson(line: ClaudeLine): void {
    const { uuid, typedText } = line.details();
    if (uuid === undefined) this.#unnamedMessages++;
    else this.#people.add(uuid);
    const words = this.#words;
    if (words.firstUserMessage !== undefined || typedText === '') return;
    const { text, originMarker } = readFirstMessage(typedText);
    if (originMarker !== undefined) words.originMarker ??= originMarker;
    if (text !== '') words.firstUserMessage = text;
  }

  #addAssistant(line: ClaudeLine): void {
    const { usage } = line;
    const input = figureOf(usage?.input);
    const cache = figureOf(usage?.cacheRead) + figureOf(usage?.cacheWrite);
    const output = figureOf(usage?.output);
    const id = line.messageId ?? line.details().uuid;
    if (id !== undefined) this.#count(id, input, cache, output);
    else {
      this.#unnamedMessages++;
      this.#addUp(input, cache, output);
    }
  }

  /** Lines of a message repeat its figures; one that was written while it still came in has smaller ones. */
  #count(id: string, input: number, cache: number, output: number): void {
    const known = this.#messages.get(id);
    if (known === undefined) {
      this.#messages.set(id, { input, cache, output });
      this.#addUp(input, cache, output);
      return;
    }
    this.#addUp(
      Math.max(0, input - known.input),
      Math.max(0, cache - known.cache),
      Math.max(0, output - known.output),
    );
    known.input = Math.max(known.input, input);
    known.cache = Math.max(known.cache, cache);
    known.output = Math.max(known.output, output);
  }

  #addUp(input: number, cache: number, output: number): void {
    this.#total.input += input;
    this.#total.cache += cache;
    this.#total.output += output;
  }
}

function figureOf(value: number | undefined): number {
  return Number.isSafeInteger(value) && value! > 0 ? value! : 0;
}

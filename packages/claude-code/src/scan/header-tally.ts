import { isAbsolute } from 'node:path';
import type { ClaudeLine } from '@openbot/sessions/lines';
import { readFirstMessage } from './first-message.ts';
import { type Figures, IdTable } from './id-table.ts';
import type { JsonlHeader } from './jsonl-header.ts';

/** A session that wanders about in more folders than this is known by the first ones. */
const MAX_CWDS = 100;

/** What has been counted so far, in a form that can be written down and taken up again. */
export interface SavedTally {
  readonly lineCount: number;
  /** Messages and boundaries that name no id. */
  readonly unnamed: readonly [messages: number, compactions: number];
  /** What these messages have. */
  readonly unnamedFigures: Figures;
  readonly words: Words;
  readonly cwds: readonly (readonly [path: string, lines: number])[];
  readonly boundaries: readonly string[];
  /** Tables of ids, as they save themselves. */
  readonly people: Buffer;
  readonly messages: Buffer;
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

/** Counts lines up to a header. Of a message it holds some forty bytes, whatever is in it. */
export class HeaderTally {
  #lineCount = 0;
  #unnamedMessages = 0;
  #unnamedCompactions = 0;
  readonly #words: Words = {};
  readonly #cwds = new Map<string, number>();
  readonly #boundaries = new Set<string>();
  #people = new IdTable();
  #messages = new IdTable();
  #unnamedFigures: Figures = [0, 0, 0];

  static restore(saved: SavedTally): HeaderTally {
    const tally = new HeaderTally();
    tally.#lineCount = saved.lineCount;
    [tally.#unnamedMessages, tally.#unnamedCompactions] = saved.unnamed;
    tally.#unnamedFigures = saved.unnamedFigures;
    Object.assign(tally.#words, saved.words);
    for (const [cwd, lines] of saved.cwds) tally.#cwds.set(cwd, lines);
    for (const uuid of saved.boundaries) tally.#boundaries.add(uuid);
    tally.#people = IdTable.restore(saved.people);
    tally.#messages = IdTable.restore(saved.messages);
    return tally;
  }

  save(): SavedTally {
    return {
      lineCount: this.#lineCount,
      unnamed: [this.#unnamedMessages, this.#unnamedCompactions],
      unnamedFigures: this.#unnamedFigures,
      words: { ...this.#words },
      cwds: [...this.#cwds],
      boundaries: [...this.#boundaries],
      people: this.#people.save(),
      messages: this.#messages.save(),
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
    if (line.cwd !== undefined) this.#addCwd(line.cwd);
    if (line.kind === 'compaction') this.#addCompaction(line);
    else if (line.isSidechain) return;
    else if (line.kind === 'assistant') this.#addAssistant(line);
    else if (line.kind === 'person') this.#addPerson(line);
  }

  header(): JsonlHeader {
    const [named, unnamed] = [this.#messages.sums, this.#unnamedFigures];
    return {
      ...this.#words,
      cwds: [...this.#cwds.keys()],
      cwdLines: [...this.#cwds.values()],
      lineCount: this.#lineCount,
      messageCount: this.#people.size + this.#messages.size + this.#unnamedMessages,
      totalInputTokens: named[0] + unnamed[0],
      totalCacheTokens: named[1] + unnamed[1],
      totalOutputTokens: named[2] + unnamed[2],
      compactionCount: this.#boundaries.size + this.#unnamedCompactions,
    };
  }

  #addCwd(cwd: string): void {
    const lines = this.#cwds.get(cwd);
    if (lines !== undefined) this.#cwds.set(cwd, lines + 1);
    else if (this.#cwds.size < MAX_CWDS && isAbsolute(cwd)) this.#cwds.set(cwd, 1);
  }

  #addCompaction(line: ClaudeLine): void {
    const uuid = line.readUuid();
    if (uuid === undefined) this.#unnamedCompactions++;
    else this.#boundaries.add(uuid);
  }

  #addPerson(line: ClaudeLine): void {
    const uuid = line.readUuid();
    if (uuid === undefined) this.#unnamedMessages++;
    else this.#people.add(uuid);
    const words = this.#words;
    if (words.firstUserMessage !== undefined) return;
    const typedText = line.readTypedText();
    if (typedText === '') return;
    const { text, originMarker } = readFirstMessage(typedText);
    if (originMarker !== undefined) words.originMarker ??= originMarker;
    if (text !== '') words.firstUserMessage = text;
  }

  #addAssistant(line: ClaudeLine): void {
    const { usage } = line;
    const input = figureOf(usage?.input);
    const cache = figureOf(usage?.cacheRead) + figureOf(usage?.cacheWrite);
    const output = figureOf(usage?.output);
    const id = line.messageId ?? line.readUuid();
    // Lines of a message repeat its figures; one that was written while it still came in has smaller ones.
    if (id !== undefined) this.#messages.add(id, input, cache, output);
    else {
      this.#unnamedMessages++;
      const [inputs, caches, outputs] = this.#unnamedFigures;
      this.#unnamedFigures = [inputs + input, caches + cache, outputs + output];
    }
  }
}

function figureOf(value: number | undefined): number {
  return Number.isSafeInteger(value) && value! > 0 ? value! : 0;
}

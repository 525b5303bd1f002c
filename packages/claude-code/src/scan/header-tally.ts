import { isAbsolute } from 'node:path';
import { type ClaudeLine, shortenWords } from '@openbot/sessions/lines';
import { readFirstMessage } from './first-message.ts';
import { hideSecrets } from './hide-secrets.ts';
import { IdTable } from './id-table.ts';
import type { JsonlHeader } from './jsonl-header.ts';

/** Of a session with more folders than this, the first ones are kept. */
const MAX_CWDS = 100;
/** The longest name that git accepts. */
const MAX_BRANCH = 4096;

/** The state of the count, in a form that can be saved and restored. */
export interface SavedTally {
  readonly lineCount: number;
  readonly words: Words;
  readonly cwds: readonly (readonly [path: string, lines: number])[];
  readonly boundaries: readonly string[];
  /** Saved tables of ids. */
  readonly people: Buffer;
  readonly messages: Buffer;
}

interface Words {
  gitBranch?: string;
  firstUserMessage?: string;
  slug?: string;
  version?: string;
  permissionMode?: string;
  originMarker?: string;
  forkedFrom?: string;
  customTitle?: string;
  aiTitle?: string;
  firstUuid?: string;
}

/**
 * Counts the lines of a transcript into a header, in about forty bytes per message. A line without an id is no message.
 */
export class HeaderTally {
  #lineCount = 0;
  readonly #words: Words = {};
  readonly #cwds = new Map<string, number>();
  readonly #boundaries = new Set<string>();
  #people = new IdTable();
  #messages = new IdTable();

  static restore(saved: SavedTally): HeaderTally {
    const tally = new HeaderTally();
    tally.#lineCount = saved.lineCount;
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
      words: this.#openWords(),
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
    if (line.customTitle !== undefined) words.customTitle = shortenWords(line.customTitle);
    if (line.aiTitle !== undefined) words.aiTitle = shortenWords(line.aiTitle);
    if (line.cwd !== undefined) this.#addCwd(line.cwd);
    if (line.kind === 'compaction') this.#addCompaction(line);
    else if (line.isSidechain) return;
    else if (line.kind === 'assistant') this.#addAssistant(line);
    else if (line.kind === 'person') this.#addPerson(line);
  }

  header(): JsonlHeader {
    const [totalInputTokens, totalCacheTokens, totalOutputTokens] = this.#messages.sums;
    return {
      ...this.#openWords(),
      cwds: [...this.#cwds.keys()],
      cwdLines: [...this.#cwds.values()],
      lineCount: this.#lineCount,
      messageCount: this.#people.size + this.#messages.size,
      totalInputTokens,
      totalCacheTokens,
      totalOutputTokens,
      compactionCount: this.#boundaries.size,
    };
  }

  /** Each line names the branch, so secrets are hidden only here. */
  #openWords(): Words {
    const { gitBranch } = this.#words;
    return gitBranch === undefined
      ? { ...this.#words }
      : { ...this.#words, gitBranch: hideSecrets(gitBranch, MAX_BRANCH) };
  }

  #addCwd(cwd: string): void {
    const lines = this.#cwds.get(cwd);
    if (lines !== undefined) this.#cwds.set(cwd, lines + 1);
    else if (this.#cwds.size < MAX_CWDS && isAbsolute(cwd)) this.#cwds.set(cwd, 1);
  }

  #addCompaction(line: ClaudeLine): void {
    const uuid = line.readUuid();
    if (uuid !== undefined) this.#boundaries.add(uuid);
  }

  #addPerson(line: ClaudeLine): void {
    const uuid = line.readUuid();
    if (uuid === undefined) return;
    const isFirst = this.#people.size === 0;
    this.#people.add(uuid);
    const words = this.#words;
    if (isFirst) words.firstUuid = uuid;
    if (words.firstUserMessage !== undefined) return;
    const { text, originMarker } = readFirstMessage(line.readTypedText());
    // Only the first message decides which agent it belongs to; any user can type a marker later.
    if (isFirst && originMarker !== undefined) words.originMarker = originMarker;
    if (text !== '') words.firstUserMessage = text;
  }

  #addAssistant(line: ClaudeLine): void {
    const { usage } = line;
    const input = figureOf(usage?.input);
    const cache = figureOf(usage?.cacheRead) + figureOf(usage?.cacheWrite);
    const output = figureOf(usage?.output);
    const id = line.messageId ?? line.readUuid();
    // The lines of a message repeat its figures; those written while it streamed in have smaller ones.
    if (id !== undefined) this.#messages.add(id, input, cache, output);
  }
}

function figureOf(value: number | undefined): number {
  return Number.isSafeInteger(value) && value! > 0 ? value! : 0;
}

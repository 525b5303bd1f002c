import type { EntryDraft } from '@openbot/sessions/transcript';
import type { ModelChoice, RunEvent, RunRequest, SystemPrompt } from '../../runners/contract.ts';
import type { RunTools, Tool } from '../../tools/contract.ts';
import { type LookBack, PREFIX_AGAIN_MARK, PREFIX_MARK, TOLD_MARK } from '../../transcripts/contract.ts';
import type { BuiltPrompt } from './build-system-prompt.ts';
import { describeNews } from './describe-news.ts';
import { factsInPrompt, type PromptFacts } from './facts.ts';
import { compareFacts } from './known-changes.ts';
import { factsOfPrompt, findPrefix, type PrefixRecord } from './prefix-record.ts';

/** The record is repeated when so much was written behind it that each turn would read it all to find the record. */
const MOST_BYTES_BEHIND = 512 * 1024;

export interface PrefixSource {
  readonly sessionKey: string;
  readonly sessionId: string;
  /** Its name. */
  readonly runner: string;
  /** False for a message that says nothing about the place of the conversation: of another session, of a clock. */
  readonly isFromPlace: boolean;
  /** Of the configuration as it is now. */
  readonly tools: RunTools;
  build(): BuiltPrompt;
  readFiles(): PromptFacts['files'];
}

/** News for the next message, and the line that says that they were told. */
export interface News {
  readonly lines: readonly string[];
  readonly told: readonly EntryDraft[];
}

/**
 * What a conversation is told before its first message: kept in its transcript, and the same for each request until
 * a compaction. A model's thinking counts only behind exactly that.
 */
export class SessionPrefix {
  readonly #source: PrefixSource;
  #record: PrefixRecord;
  #known: PromptFacts;
  /** Lines for the next write. */
  #pending: EntryDraft[] = [];
  #isCompacted = false;
  /** It was made for this turn: the session had none, or a compaction. */
  readonly isNew: boolean;
  #filesBefore: PromptFacts['files'] | undefined;
  readonly #openCalls = new Set<string>();

  static async open(lookBack: () => Promise<LookBack>, source: PrefixSource): Promise<SessionPrefix> {
    // A transcript that cannot be read cannot be written either, and that says more clearly why.
    const found = await lookBack()
      .then(({ entries }) => findPrefix(entries))
      .catch(() => undefined);
    return new SessionPrefix(source, found);
  }

  private constructor(source: PrefixSource, found: Awaited<ReturnType<typeof findPrefix>>) {
    this.#source = source;
    this.isNew = found === undefined || found.state === 'compacted';
    if (found === undefined || found.state === 'compacted') {
      this.#record = this.#begin(source.runner);
      this.#known = this.#record.facts;
      return;
    }
    const { record, known, bytes, state } = found;
    this.#record = record;
    this.#known = known;
    if (state === 'foreign' || record.runner !== source.runner) this.#takeOver(source.runner);
    else if (bytes > MOST_BYTES_BEHIND) this.#repeat({ ...record, facts: known }, PREFIX_AGAIN_MARK);
  }

  systemPrompt({ provider, model }: ModelChoice): SystemPrompt {
    const { sessionKey, sessionId } = this.#source;
    const { system, report } = this.#record;
    return { text: system, report: { ...report, provider, model, sessionKey, sessionId } };
  }

  /** Those that the model was told of. The ones that it was not told of join after a compaction. */
  tools(): RunTools {
    const { tools: offered } = this.#source;
    const gone = (name: string) => ({
      text: `The tool ${name} is not available any more.`,
      isError: true,
    });
    const list = this.#record.tools.map((declared): Tool => {
      const own = offered.list.find(({ name }) => name === declared.name);
      return { ...(own ?? { run: async ({ name }) => String(name) }), ...declared };
    });
    const isGone = (wanted: string) =>
      list.some(({ name }) => name === wanted) && !offered.list.some(({ name }) => name === wanted);
    return {
      list,
      run: async (call, signal) => (isGone(call.name) ? gone(call.name) : offered.run(call, signal)),
    };
  }

  /** What the next message should tell. It counts as known from now on. */
  tellNews(): News {
    const { facts } = this.#source.build();
    const { channel, groupIntro, extra } = this.#known;
    const now = this.#source.isFromPlace
      ? { ...facts, channel: facts.channel ?? channel }
      : { ...facts, channel, groupIntro, extra };
    const changes = compareFacts(this.#known, now);
    if (changes === undefined) return { lines: [], told: [] };
    const lines = describeNews(this.#known, now);
    this.#known = now;
    return { lines, told: [{ type: 'custom', customType: TOLD_MARK, data: changes }] };
  }

  /** Another runner goes on: it says the same, and is given no thinking of the one before. */
  use(runner: string): void {
    if (runner !== this.#record.runner) this.#takeOver(runner);
  }

  /** True when a compaction was written since, so that the next request begins with a prefix of its own. */
  renew(): boolean {
    if (!this.#isCompacted) return false;
    this.#isCompacted = false;
    this.#record = this.#begin(this.#record.runner);
    this.#known = this.#record.facts;
    return true;
  }

  /** Writes lines of a run, and in the same write before them what has to be kept of the prefix. */
  async append(drafts: readonly EntryDraft[], write: RunRequest['append']) {
    const pending = this.#pending;
    if (pending.length + drafts.length === 0) return [];
    this.#pending = [];
    let entries: Awaited<ReturnType<RunRequest['append']>>;
    try {
      entries = await write([...pending, ...drafts]);
    } catch (error) {
      this.#pending = [...pending, ...this.#pending];
      throw error;
    }
    if (drafts.some(({ type }) => type === 'compaction')) {
      this.#isCompacted = true;
      this.#known = factsOfPrompt(this.#record);
    }
    return entries.slice(pending.length);
  }

  /** Writes what is still to be kept. */
  settle(write: RunRequest['append']): Promise<unknown> {
    return this.append([], write);
  }

  /** What the agent changes by a call is known to it. */
  note(event: RunEvent): void {
    if (event.type === 'tool-call') {
      if (this.#openCalls.size === 0) this.#filesBefore = this.#source.readFiles();
      this.#openCalls.add(event.id);
    } else if (event.type === 'tool-result' && this.#openCalls.delete(event.id)) {
      const after = this.#source.readFiles();
      this.#learn(this.#filesBefore ?? after, after);
      this.#filesBefore = after;
    }
  }

  /** A file that somebody else had changed before the call is still news. */
  #learn(before: PromptFacts['files'], after: PromptFacts['files']): void {
    const files: Record<string, string> = { ...this.#known.files };
    for (const name of Object.keys({ ...before, ...after })) {
      if (before[name] === after[name] || before[name] !== files[name]) continue;
      if (after[name] === undefined) delete files[name];
      else files[name] = after[name];
    }
    const known = { ...this.#known, files };
    const data = compareFacts(this.#known, known);
    if (data === undefined) return;
    this.#known = known;
    this.#pending.push({ type: 'custom', customType: TOLD_MARK, data });
  }

  #begin(runner: string): PrefixRecord {
    const { text, report, facts } = this.#source.build();
    const tools = this.#source.tools.list.map(({ name, description, parameters, changes }) => ({
      name,
      description,
      parameters,
      changes,
    }));
    return this.#keep({ runner, system: text, tools, facts: factsInPrompt(facts), report });
  }

  #takeOver(runner: string): void {
    this.#repeat({ ...this.#record, runner, facts: this.#known }, PREFIX_MARK);
  }

  #repeat(record: PrefixRecord, customType: string): void {
    this.#keep({ ...record, inPrompt: factsOfPrompt(this.#record) }, customType);
  }

  #keep(record: PrefixRecord, customType = PREFIX_MARK): PrefixRecord {
    this.#record = record;
    // What is known is in the record.
    this.#pending = [{ type: 'custom', customType, data: record }];
    return record;
  }
}

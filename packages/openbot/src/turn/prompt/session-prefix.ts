import type { EntryDraft } from '@openbot/sessions/transcript';
import type { ModelChoice, OwnSettings, RunEvent, RunRequest, SystemPrompt } from '../../runners/contract.ts';
import { FILE_TOOLS } from '../../tools/all.ts';
import { notAvailable, type RunTools } from '../../tools/contract.ts';
import { EXEC } from '../../tools/exec/exec.ts';
import {
  type ContextMessage,
  type LookBack,
  PREFIX_AGAIN_MARK,
  PREFIX_MARK,
  TOLD_MARK,
} from '../../transcripts/contract.ts';
import type { ModelCandidate } from '../failover/list-candidates.ts';
import type { BuiltPrompt } from './build-system-prompt.ts';
import { describeNews } from './describe-news.ts';
import { factsInPrompt, type PromptFacts } from './facts.ts';
import { compareFacts } from './known-changes.ts';
import { type FoundPrefix, findPrefix, type PrefixRecord } from './prefix-record.ts';

/** The record is repeated when so much was written behind it that each turn would read it all to find the record. */
const MOST_BYTES_BEHIND = 512 * 1024;
/** A long record is repeated less often: a transcript grows by a quarter at most. */
const RECORDS_BEHIND = 4;

/** By these the agent writes to its workspace itself. Others may wait for what another session or program does there. */
const WRITERS: ReadonlySet<string> = new Set([
  ...FILE_TOOLS.flatMap(({ name, changes }) => (changes ? [name] : [])),
  EXEC,
]);

export interface PrefixSource {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** The first that is asked. */
  readonly candidate: ModelCandidate;
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
  #candidate: ModelCandidate;
  #filesBefore: PromptFacts['files'] | undefined;
  readonly #openCalls = new Set<string>();

  static async open(lookBack: () => Promise<LookBack>, source: PrefixSource): Promise<SessionPrefix> {
    // A transcript that cannot be read cannot be written either, and that says more clearly why.
    const found = await lookBack()
      .then(({ entries }) => findPrefix(entries))
      .catch(() => undefined);
    return new SessionPrefix(source, found);
  }

  private constructor(source: PrefixSource, found: FoundPrefix | undefined) {
    this.#source = source;
    this.#candidate = source.candidate;
    if (found === undefined || found.state === 'compacted') {
      this.#record = this.#begin();
      this.#known = this.#record.facts;
      return;
    }
    const { record, known, bytes, state } = found;
    this.#record = record;
    this.#known = known;
    if (state === 'foreign') this.#repeat(record, PREFIX_MARK);
    else if (bytes.behind > Math.max(MOST_BYTES_BEHIND, RECORDS_BEHIND * bytes.record))
      this.#repeat(record, PREFIX_AGAIN_MARK);
  }

  systemPrompt({ provider, model }: ModelChoice): SystemPrompt {
    const { sessionKey, sessionId } = this.#source;
    const { system, report } = this.#record;
    return { text: system, report: { ...report, provider, model, sessionKey, sessionId } };
  }

  /** Those that the model was told of. The ones that it was not told of join after a compaction. */
  tools(): RunTools {
    const { tools: list } = this.#record;
    const { tools: offered } = this.#source;
    const has = (tools: RunTools['list'], wanted: string) => tools.some(({ name }) => name === wanted);
    return {
      list,
      run: async (call, signal) =>
        has(list, call.name) && !has(offered.list, call.name)
          ? { text: notAvailable(call.name), isError: true }
          : offered.run(call, signal),
    };
  }

  /** All that the model which is asked is told before the conversation. */
  told(): Pick<RunRequest, 'systemPrompt' | 'tools' | 'ownTools'> {
    return {
      systemPrompt: this.systemPrompt(this.#candidate.model),
      tools: this.tools(),
      ownTools: this.ownTools,
    };
  }

  /** The tools of the runner's own program that the conversation began with. */
  get ownTools(): OwnSettings['tools'] | undefined {
    return this.#isTakenOver ? this.#ownTools : (this.#record.ownTools ?? this.#ownTools);
  }

  /** What the next message should tell. It counts as known from now on. */
  tellNews(): News {
    const { facts } = this.#source.build();
    const { channel, groupIntro, extra } = this.#known;
    const ownTools = nameTools(this.#ownTools) ?? this.#known.ownTools;
    const now = this.#source.isFromPlace
      ? { ...facts, ownTools, channel: facts.channel ?? channel }
      : { ...facts, ownTools, channel, groupIntro, extra };
    const changes = compareFacts(this.#known, now);
    if (changes === undefined) return { lines: [], told: [] };
    const declared = this.#record.tools.map(({ name }) => name);
    const lines = describeNews(this.#known, now, declared);
    this.#known = now;
    return { lines, told: [{ type: 'custom', customType: TOLD_MARK, data: changes }] };
  }

  /**
   * The model that is asked next. Another runner says the same, and is given no thinking of the one before. It is kept with its
   * first answer: a runner that only fails has changed nothing.
   */
  use(candidate: ModelCandidate): void {
    this.#openCalls.clear();
    this.#candidate = candidate;
    this.renew();
  }

  /** Of the configuration as it is now. */
  get #ownTools(): OwnSettings['tools'] | undefined {
    return this.#candidate.runner?.ownSettings?.(this.#source.agentId).tools;
  }

  /** No thinking of the conversation so far is sent to the model that is asked. */
  get #isTakenOver(): boolean {
    const { runner } = this.#candidate;
    return runner !== undefined && runner.name !== this.#record.runner;
  }

  /** What a request has of the conversation, as the runner that is asked may send it. */
  behind(context: readonly ContextMessage[]): readonly ContextMessage[] {
    return this.#isTakenOver ? context.map((message) => ({ ...message, isBehindChange: true })) : context;
  }

  /** True when a compaction was written since, so that the next request begins with a prefix of its own. */
  renew(): boolean {
    if (!this.#isCompacted) return false;
    this.#isCompacted = false;
    this.#record = this.#begin();
    this.#known = this.#record.facts;
    return true;
  }

  /** Writes lines of a run, and in the same write before them what has to be kept of the prefix. */
  async append(drafts: readonly EntryDraft[], write: RunRequest['append']) {
    if (this.#isTakenOver && drafts.some(isAnswer)) {
      const runner = this.#candidate.runner!.name;
      this.#repeat({ ...this.#record, runner, ownTools: this.#ownTools }, PREFIX_MARK);
    }
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
    if (drafts.some(({ type }) => type === 'compaction')) this.#isCompacted = true;
    return entries.slice(pending.length);
  }

  /** Writes what is still to be kept. */
  settle(write: RunRequest['append']): Promise<unknown> {
    return this.append([], write);
  }

  /** What the agent changes by a call is known to it. */
  note(event: RunEvent): void {
    if (event.type === 'tool-call') {
      // A tool that is not declared is one of the runner's own program.
      if (!WRITERS.has(event.name) && this.#record.tools.some(({ name }) => name === event.name)) return;
      if (this.#openCalls.size === 0) this.#filesBefore = this.#source.readFiles();
      this.#openCalls.add(event.id);
    } else if (event.type === 'tool-result' && this.#openCalls.delete(event.id)) {
      const after = this.#source.readFiles();
      this.#learn(this.#filesBefore ?? after, after);
      this.#filesBefore = after;
    }
  }

  /** A person has answered whether a call may be made, perhaps minutes after it. What changed until then is not the agent's. */
  noteAnswer(): void {
    if (this.#openCalls.size > 0) this.#filesBefore = this.#source.readFiles();
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

  #begin(): PrefixRecord {
    const runner = this.#candidate.runner?.name ?? 'none';
    const { text, report, facts } = this.#source.build();
    const tools = this.#source.tools.list.map(({ name, description, parameters, changes }) => ({
      name,
      description,
      parameters,
      changes,
    }));
    const inPrompt = { ...factsInPrompt(facts), ownTools: nameTools(this.#ownTools) };
    return this.#keep(
      { runner, ownTools: this.#ownTools, system: text, tools, facts: inPrompt, report },
      PREFIX_MARK,
    );
  }

  #repeat(record: PrefixRecord, customType: string): void {
    this.#keep({ ...record, facts: this.#known }, customType);
  }

  #keep(record: PrefixRecord, customType: string): PrefixRecord {
    this.#record = record;
    // What is known is in the record.
    this.#pending = [{ type: 'custom', customType, data: record }];
    return record;
  }
}

function nameTools(tools: OwnSettings['tools'] | undefined): string | undefined {
  return typeof tools === 'object' ? tools.join(', ') : tools;
}

function isAnswer(draft: EntryDraft): boolean {
  if (draft.type !== 'message') return false;
  const { role, content = [] } = draft.message;
  return role === 'assistant' && content.length > 0;
}

import type { SDKAssistantMessage } from '@anthropic-ai/claude-agent-sdk';
import type { EntryDraft } from '@openbot/sessions/transcript';
import type { SentByTool } from '../../tools/contract.ts';
import { assistantMessage, type Block, type StopReason, textOf } from '../assistant-message.ts';
import type { Run, RunEvent, RunRequest } from '../contract.ts';
import { OpenCalls, toolResult } from '../open-calls.ts';
import { userContent } from '../user-content.ts';
import { SpokenMessage } from './spoken-message.ts';

type Events<T = void> = AsyncGenerator<RunEvent, T, undefined>;

interface MirrorParts {
  readonly request: Pick<RunRequest, 'append' | 'model' | 'signal'>;
  /** The call is in the transcript and was reported: its tool may begin. */
  onCall(callId: string): void;
  /** What the tool of a call sent to a person by itself. */
  takeSent(callId: string): SentByTool | undefined;
}

/** Writes what Claude Code reports of the model and its tools to the transcript, and tells of it. */
export class Mirror {
  readonly #parts: MirrorParts;
  readonly #calls = new OpenCalls();
  /** Names of the calls that have no result, by id. */
  readonly #names = new Map<string, string>();
  /** A call that Claude Code refuses has its result before its message is whole. */
  readonly #early: unknown[] = [];
  /** Ids of the entries that were written. */
  readonly written = new Set<string>();
  /** The message that the model is writing. */
  #current: SpokenMessage | undefined;
  /** A whole message without calls. It waits for its price, which Claude Code tells when it has ended. */
  #last: SpokenMessage | undefined;
  /** USD that no message has yet. */
  #unpaid = 0;
  /** The last answer is in the transcript, whole. */
  #isAnswered = false;

  constructor(parts: MirrorParts) {
    this.#parts = parts;
  }

  get isAnswered(): boolean {
    return this.#isAnswered && this.#current === undefined;
  }

  async append(drafts: readonly EntryDraft[]): Promise<void> {
    const entries = await this.#parts.request.append(drafts);
    this.#calls.note(drafts);
    for (const { id } of entries) if (id !== undefined) this.written.add(id);
  }

  /** An event of the provider's stream. */
  async *stream(event: Readonly<Record<string, unknown>>): Events {
    if (event.type === 'message_start') {
      yield* this.flush();
      if (this.#isCut) return;
      // A message that was not finished is asked for again; only the second one counts.
      this.#current = new SpokenMessage(event.message as Readonly<Record<string, unknown>>, true);
      this.#isAnswered = false;
      return;
    }
    const words = this.#current?.stream(event);
    if (words !== undefined && !this.#isStopped) yield words;
    if (event.type === 'message_stop') yield* this.#finish();
  }

  /** A block that is whole, or a whole message where Claude Code had to ask without a stream. */
  async *speak({ message }: SDKAssistantMessage): Events {
    if (this.#current?.id === message.id) return this.#current.add(message.content);
    yield* this.flush();
    if (this.#isCut) return;
    const said = textOf(this.#current?.blocks ?? []);
    this.#current = new SpokenMessage({ ...message }, false);
    this.#current.add(message.content);
    this.#isAnswered = false;
    const text = textOf(this.#current.blocks);
    const rest = text.startsWith(said) ? text.slice(said.length) : text;
    if (rest !== '' && !this.#isStopped) yield { type: 'text', delta: rest };
    yield* this.#finish();
  }

  /** Results of tools. */
  async *takeResults(content: unknown): Events {
    if (!Array.isArray(content)) return;
    for (const block of content) {
      if (block?.type !== 'tool_result') continue;
      const name = this.#names.get(block.tool_use_id);
      if (name === undefined) {
        this.#early.push(block);
        continue;
      }
      const id: string = block.tool_use_id;
      this.#names.delete(id);
      const result = { id, name, text: readText(block.content), isError: block.is_error === true };
      await this.append([toolResult(result, Date.now())]);
      yield { type: 'tool-result', ...result };
      const sent = this.#parts.takeSent(id);
      if (sent !== undefined) yield { type: 'sent', ...sent };
    }
  }

  /** A message of a person that the model has read during the run. */
  async *takeSteered({ messageId, text, images, mark }: Parameters<Run['steer']>[0]): Events {
    yield* this.flush();
    const content = userContent(text, images);
    await this.append([mark, { type: 'message', message: { role: 'user', content, timestamp: Date.now() } }]);
    this.#isAnswered = false;
    yield { type: 'steered', messageId };
  }

  /** Writes the answer that waits for its price. @param cost USD since the last time */
  async *flush(cost = 0): Events {
    this.#unpaid += cost;
    const last = this.#last;
    if (last === undefined) return;
    this.#last = undefined;
    await this.#write(last.blocks, last, last.stopReason);
    this.#isAnswered = true;
    yield { type: 'message-end', text: textOf(last.blocks) };
    yield* this.#report(last);
  }

  /** What was said until a run stopped stays, marked as unfinished; every call gets a result. */
  async close(stopReason: 'aborted' | 'error', why: string): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    // Calls of an unfinished message have never begun.
    const said = current?.blocks.filter(({ type }) => type !== 'toolCall') ?? [];
    if (current !== undefined && said.length > 0) await this.#write(said, current, stopReason);
    const results = this.#calls.answerAll(why, Date.now());
    if (results.length > 0) await this.append(results);
  }

  get #isStopped(): boolean {
    return this.#parts.request.signal.aborted;
  }

  /** The message that was being written when the run was stopped is the last one. */
  get #isCut(): boolean {
    return this.#isStopped && this.#current !== undefined;
  }

  async *#finish(): Events {
    const message = this.#current;
    // What was not in the transcript when the run was stopped is no answer.
    if (message === undefined || !message.isWhole || this.#isStopped) return;
    this.#current = undefined;
    if (message.blocks.length === 0) return;
    if (message.stopReason !== 'toolUse') {
      this.#last = message;
      return;
    }
    await this.#write(message.blocks, message, 'toolUse');
    yield { type: 'message-end', text: textOf(message.blocks) };
    yield* this.#report(message);
    for (const block of message.blocks) {
      if (block.type !== 'toolCall') continue;
      const { id, name, arguments: args } = block;
      this.#names.set(id, name);
      yield { type: 'tool-call', id, name, arguments: args };
      this.#parts.onCall(id);
    }
    yield* this.takeResults(this.#early.splice(0));
  }

  *#report({ usage, dropped }: SpokenMessage): Generator<RunEvent> {
    yield { type: 'usage', usage };
    const { provider, model } = this.#parts.request.model;
    if (dropped.length > 0) yield { type: 'thinking-dropped', by: `${provider}/${model}`, paths: dropped };
  }

  async #write(blocks: readonly Block[], { usage }: SpokenMessage, stopReason: StopReason): Promise<void> {
    const cost = this.#unpaid;
    const of = { api: 'claude-agent-sdk', usage, cost, stopReason, now: Date.now() };
    await this.append([assistantMessage(blocks, this.#parts.request.model, of)]);
    this.#unpaid -= cost;
  }
}

function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => (block?.type === 'text' ? String(block.text) : `[${String(block?.type)}]`))
    .join('\n');
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { reserveOf } from '../../config/compaction-reserve.ts';
import type { PromptImage } from '../../media/read-image.ts';
import type { RunTools, ToolResult } from '../../tools/contract.ts';
import { assistantMessage, type Block, type StopReason, textOf } from '../assistant-message.ts';
import { MustStop } from '../compaction-point.ts';
import type { Run, RunEnd, RunEvent, RunRequest, RunUsage, WhenFull } from '../contract.ts';
import { describeFault } from '../describe-fault.ts';
import { toolResult } from '../open-calls.ts';
import { userContent } from '../user-content.ts';
import { compactConversation } from './compaction.ts';
import { tokensOf } from './messages.ts';
import type { ScriptCall, ScriptModel, ScriptStep } from './script.ts';

type Events<T = void> = AsyncGenerator<RunEvent, T, undefined>;
type SteeredMessage = Parameters<Run['steer']>[0];

const STOP: RunEnd = { type: 'end', reason: 'stop' };

/** One run of a scripted model: does its steps, and writes what it says as an agent would. */
export class ScriptRun implements Run {
  readonly events: AsyncIterable<RunEvent>;
  readonly #model: ScriptModel;
  readonly #request: RunRequest;
  /** Given to `steer` and not yet in the transcript. */
  readonly #waiting: SteeredMessage[] = [];
  /** In the transcript, without an answer. */
  readonly #unanswered: { readonly text: string; readonly images: readonly PromptImage[] }[] = [];
  #takesMessages = true;
  /** The last answer is in the transcript, whole. An abort or a failed compaction after it takes nothing back. */
  #isAnswered = false;
  /** The message that the model is writing. */
  #blocks: Block[] = [];
  #usage: RunUsage | undefined;
  /** Tokens of the conversation. */
  #tokens = 0;

  constructor(model: ScriptModel, request: RunRequest) {
    this.#model = model;
    this.#request = request;
    this.events = this.#run();
  }

  steer(message: SteeredMessage): boolean {
    if (!this.#takesMessages || this.#request.signal.aborted) return false;
    this.#waiting.push(message);
    return true;
  }

  async *#run(): Events {
    let end: RunEnd = STOP;
    try {
      this.#tokens = await this.#request.measureContext();
      end = yield* this.#answerAll();
    } catch (error) {
      if (!this.#isAnswered) end = this.#endOf(error);
    }
    this.#takesMessages = false;
    // What was said until then stays in the transcript, marked as unfinished.
    if (end.reason !== 'stop' && this.#blocks.length > 0) {
      const stopReason = end.reason === 'aborted' ? 'aborted' : 'error';
      await this.#write(stopReason).catch(() => {});
    }
    yield end;
  }

  #endOf(error: unknown): RunEnd {
    if (this.#request.signal.aborted) return { type: 'end', reason: 'aborted' };
    return error instanceof MustStop ? error.end : describeFault(error);
  }

  async *#answerAll(): Events<RunEnd> {
    let { prompt, images = [] } = this.#request;
    for (;;) {
      const end = yield* this.#answer(prompt, images);
      if (end !== undefined) return end;
      if (this.#isFull && this.#whenFull === 'compact') yield* this.#compactNow({});
      this.#request.signal.throwIfAborted();
      yield* this.#readSteered();
      this.#request.signal.throwIfAborted();
      if (this.#unanswered.length === 0) {
        // Nothing is awaited between the look at the messages and this: none can be taken and forgotten.
        this.#takesMessages = false;
        return STOP;
      }
      const unanswered = this.#unanswered.splice(0);
      prompt = unanswered.map(({ text }) => text).join('\n');
      images = unanswered.flatMap((one) => one.images);
    }
  }

  async *#answer(prompt: string, images: readonly PromptImage[]): Events<RunEnd | undefined> {
    const { model, tools, signal } = this.#request;
    const readContext = () => this.#request.readContext();
    const names = tools.list.map(({ name }) => name);
    const answer = this.#model.answer({ prompt, images, model: model.model, tools: names, readContext });
    let results: readonly ToolResult[] = [];
    for (let overflow = this.#overflow(); ; overflow = this.#overflow()) {
      signal.throwIfAborted();
      if (overflow !== undefined) return overflow;
      if (results.length > 0 && this.#isFull) yield* this.#compactNow({});
      const { value: step, done } = await answer.next(results);
      if (done) break;
      results = [];
      if ('tool' in step) results = yield* this.#call([step]);
      else if ('ask' in step)
        results = yield* this.#call([{ tool: step.ask, args: step.args }], this.#permit);
      else if ('tools' in step) results = yield* this.#call(step.tools);
      else if ('overflow' in step) return overflowEnd('The script says so.');
      else if ('fail' in step) return failureOf(step);
      else yield* this.#do(step);
    }
    // After a call a model always speaks again; an answer is recognised by a last message without calls.
    if (this.#blocks.length === 0) yield* this.#say({ text: 'Done.' });
    yield* this.#finish('stop');
    this.#isAnswered = this.#unanswered.length === 0;
    return undefined;
  }

  async *#do(
    step: Exclude<
      ScriptStep,
      { tool: string } | { ask: string } | { tools: unknown } | { fail: string } | { overflow: true }
    >,
  ): Events {
    const { signal } = this.#request;
    if ('text' in step) yield* this.#say(step);
    else if ('thinking' in step) {
      this.#blocks.push({ type: 'thinking', thinking: step.thinking });
      yield { type: 'thinking', delta: step.thinking };
    } else if ('usage' in step) this.#usage = step.usage;
    else if ('waitMs' in step) await sleep(step.waitMs, undefined, { signal });
    else if ('stall' in step) await new Promise((_, reject) => onAbort(signal, reject));
    else if ('blockMs' in step) block(step.blockMs);
    else if ('compact' in step) yield* this.#compactNow(step);
    else process.kill(process.pid, 'SIGKILL');
  }

  async *#say({
    text,
    chunks = text.match(/\s*\S+|\s+$/g) ?? [],
    delayMs = 0,
  }: Extract<ScriptStep, { text: string }>): Events {
    const { signal } = this.#request;
    const block: Block = { type: 'text', text: '' };
    for (const delta of chunks) {
      if (delayMs > 0) await sleep(delayMs, undefined, { signal });
      signal.throwIfAborted();
      if (block.text === '') this.#blocks.push(block);
      block.text += delta;
      yield { type: 'text', delta };
    }
  }

  /** Ends the message with calls, runs them and lets the model read what was said meanwhile. */
  async *#call(
    calls: readonly ScriptCall[],
    run: RunTools['run'] = this.#request.tools.run,
  ): Events<readonly ToolResult[]> {
    const { signal } = this.#request;
    const placed = calls.map(({ tool, args = {} }) => ({
      id: `call_${randomUUID()}`,
      name: tool,
      arguments: args,
    }));
    this.#blocks.push(...placed.map((call) => ({ type: 'toolCall' as const, ...call })));
    yield* this.#finish('toolUse');
    const results: ToolResult[] = [];
    for (const call of placed) {
      // Also after an abort: the tool then does nothing, and the call gets a result.
      if (!signal.aborted) yield { type: 'tool-call', ...call };
      const { sent, ...result } = await run(call, signal);
      const { id, name } = call;
      await this.#request.append([toolResult({ id, name, ...result }, Date.now())]);
      this.#tokens += tokensOf(result.text);
      results.push(result);
      yield { type: 'tool-result', id, name, ...result };
      if (sent !== undefined) yield { type: 'sent', ...sent };
    }
    signal.throwIfAborted();
    yield* this.#readSteered();
    return results;
  }

  /** A tool of the model's own program: it is permitted or not, and does nothing. */
  readonly #permit: RunTools['run'] = async ({ id, name, arguments: args }, signal) => {
    const use = { callId: id, toolName: name, arguments: args as Readonly<Record<string, unknown>> };
    const permission = await this.#request.permit(use, signal);
    return permission.isAllowed
      ? { text: 'It was allowed.', isError: false }
      : { text: permission.reason, isError: true };
  };

  async *#readSteered(): Events {
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      const { messageId, text, images = [], mark } = message;
      const content = userContent(text, images);
      await this.#request.append([
        mark,
        { type: 'message', message: { role: 'user', content, timestamp: Date.now() } },
      ]);
      this.#tokens += tokensOf(text);
      this.#unanswered.push({ text, images });
      this.#isAnswered = false;
      yield { type: 'steered', messageId };
      if (this.#request.signal.aborted) return;
    }
  }

  async *#finish(stopReason: StopReason): Events {
    const text = textOf(this.#blocks);
    const usage = await this.#write(stopReason);
    yield { type: 'message-end', text };
    yield { type: 'usage', usage };
  }

  async #write(stopReason: StopReason): Promise<RunUsage> {
    const blocks = this.#blocks;
    const usage = this.#usage ?? {
      input: this.#tokens,
      output: tokensOf(blocks),
      cacheRead: 0,
      cacheWrite: 0,
    };
    this.#blocks = [];
    this.#usage = undefined;
    await this.#request.append([
      assistantMessage(blocks, this.#request.model, { api: 'script', usage, stopReason, now: Date.now() }),
    ]);
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage;
    this.#tokens = input + output + cacheRead + cacheWrite;
    return usage;
  }

  get #window(): number {
    return this.#request.model.contextWindow ?? this.#model.contextWindow;
  }

  #overflow(): RunEnd | undefined {
    if (this.#tokens <= this.#window) return undefined;
    return overflowEnd(
      `It has about ${this.#tokens} tokens, and the window of the model has ${this.#window}.`,
    );
  }

  /** As with pi: the next request should find room. */
  get #isFull(): boolean {
    return this.#tokens > this.#window - reserveOf(this.#window, this.#request.reserveTokens);
  }

  get #whenFull(): WhenFull {
    return this.#request.whenFull?.() ?? 'compact';
  }

  async *#compactNow({ failsFirst }: { failsFirst?: boolean }): Events {
    if (this.#blocks.length > 0) yield* this.#finish('stop');
    const how = { failsFirst, when: this.#whenFull };
    const after = yield* compactConversation(this.#request, this.#window, how);
    this.#tokens = after ?? this.#tokens;
  }
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function onAbort(signal: AbortSignal, reject: (reason: unknown) => void): void {
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
}

function overflowEnd(error: string): RunEnd {
  return { type: 'end', reason: 'overflow', error };
}

function failureOf(step: Extract<ScriptStep, { fail: string }>): RunEnd {
  const { fail: error, hint, transient: isTransient = false, failure, retryAfterMs } = step;
  return { type: 'end', reason: 'error', error, hint, isTransient, failure, retryAfterMs };
}

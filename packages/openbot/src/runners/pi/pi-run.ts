import type {
  AgentContext,
  AgentEvent,
  AgentMessage,
  AgentTool,
  StreamFn,
} from '@earendil-works/pi-agent-core';
import type { Api, AssistantMessage, Model, SystemMessage, ThinkingLevel } from '@earendil-works/pi-ai';
import {
  composeUserMessage,
  type EntryDraft,
  type TranscriptMessage,
  textsOf,
} from '@openbot/sessions/transcript';
import type { SentByTool } from '../../tools/contract.ts';
import { MustStop, prefixTokensOf } from '../compaction-point.ts';
import type { Run, RunEnd, RunEvent, RunRequest } from '../contract.ts';
import { userContent } from '../user-content.ts';
import { type CompactionMeans, compactConversation, isNearlyFull } from './compaction.ts';
import { Conversation } from './conversation.ts';
import { describeFailure, type Exchange, watchedFetch } from './failures.ts';
import { Handoff } from './handoff.ts';
import { hasImages, limitImages } from './limit-images.ts';
import type { Pi } from './load-pi.ts';
import type { PiModels } from './models.ts';
import { makeSendable } from './sendable.ts';
import { pathsOfDrops } from './thinking-binding.ts';

type SteeredMessage = Parameters<Run['steer']>[0];

const STOP: RunEnd = { type: 'end', reason: 'stop' };
const ABORTED: RunEnd = { type: 'end', reason: 'aborted' };

/**
 * pi asks once more by itself, and only where the provider does not want it to wait for longer than this. Everything else,
 * and a provider that does not begin to answer, ends the run, so that another model can answer. The last limit is
 * that of transports which do not use our `fetch`.
 */
const PATIENCE = { maxRetries: 1, maxRetryDelayMs: 2000, timeoutMs: 600_000 };

/** All models of a turn share its time. The last one may need long: one on this machine reads a long prompt for minutes. */
const FIRST_BYTE_MS = { withSuccessor: 60_000, last: 300_000 };

/** One run of pi's agent loop. The loop waits for every event, so it goes on only after the event was read and written. */
export class PiRun implements Run {
  readonly events: AsyncIterable<RunEvent>;
  readonly #pi: Pi;
  readonly #models: PiModels;
  #request: RunRequest;
  readonly #handoff = new Handoff<RunEvent>();
  readonly #exchange: Exchange = {};
  /** Given to `steer` and not yet in the transcript. */
  readonly #waiting: SteeredMessage[] = [];
  /** Those that the loop has taken. */
  readonly #steered = new Map<AgentMessage, SteeredMessage>();
  readonly #sent = new Map<string, SentByTool>();
  readonly #stopped = new AbortController();
  readonly #signal: AbortSignal;
  #takesMessages: boolean;
  /** The last message of the model, whether it is whole or not. */
  #last: AssistantMessage | undefined;

  constructor(pi: Pi, models: PiModels, request: RunRequest, { compacts }: { readonly compacts: boolean }) {
    this.#pi = pi;
    this.#models = models;
    this.#request = request;
    this.#signal = AbortSignal.any([request.signal, this.#stopped.signal]);
    this.#takesMessages = !compacts;
    this.events = this.#run(compacts);
  }

  steer(message: SteeredMessage): boolean {
    if (!this.#takesMessages || this.#signal.aborted) return false;
    this.#waiting.push(message);
    return true;
  }

  async *#run(compacts: boolean): AsyncGenerator<RunEvent, void, undefined> {
    let end: RunEnd | undefined;
    const work = (compacts ? this.#compact() : this.#answer()).then((result) => {
      end = result;
      this.#takesMessages = false;
      this.#handoff.end();
    });
    try {
      yield* this.#handoff.read();
      await work;
    } finally {
      // A reader that went away ends the loop; after the end this does nothing.
      this.#stopped.abort();
    }
    yield end!;
  }

  /** Never throws. */
  async #answer(): Promise<RunEnd> {
    let conversation: Conversation | undefined;
    let end: RunEnd;
    try {
      this.#signal.throwIfAborted();
      const means = await this.#prepare();
      conversation = await Conversation.open(this.#pi, this.#request);
      await this.#loop(conversation, means);
      end = await this.#endOf(means);
      if (this.#isRefusedForImage(end, conversation)) {
        // Each later turn would be refused for the same image. What it shows is lost, what was said is not.
        await conversation.leaveOutImages();
        await this.#loop(conversation, means);
        end = await this.#endOf(means);
      }
      if (end.reason === 'stop') await this.#compactIfFull(conversation, means).catch(() => {});
    } catch (error) {
      if (this.#isAborted) end = ABORTED;
      else end = error instanceof MustStop ? error.end : await this.#fault(error);
    }
    await this.#closeOff(conversation).catch(() => {});
    return end;
  }

  async #prepare(): Promise<CompactionMeans> {
    const { provider, model: id, contextWindow } = this.#request.model;
    const model = await this.#models.get(provider, id);
    return {
      pi: this.#pi,
      model,
      window: contextWindow ?? model.contextWindow,
      reserveTokens: this.#request.reserveTokens,
      prefixTokens: prefixTokensOf(this.#request),
      streamFn: this.#stream,
      signal: this.#signal,
    };
  }

  readonly #stream: StreamFn = (model, context, options) =>
    this.#models.stream(model, context, {
      ...options,
      ...PATIENCE,
      fetch: watchedFetch(this.#exchange, {
        firstByteMs: this.#request.hasSuccessor ? FIRST_BYTE_MS.withSuccessor : FIRST_BYTE_MS.last,
      }),
      sessionId: options?.sessionId ?? this.#request.transcript.sessionId,
    });

  async #loop(conversation: Conversation, means: CompactionMeans): Promise<void> {
    const { pi, model } = means;
    const contextOf = (): AgentContext => {
      const tools = this.#request.tools.list.map((tool) => this.#toolOf(tool));
      return { messages: [this.#systemMessage(tools), ...conversation.messages()], tools };
    };
    const level = thinkingLevelOf(pi, model, this.#request.thinkingLevel);
    await pi.core.runAgentLoopContinue(
      contextOf(),
      {
        model,
        reasoning: level === 'off' ? undefined : level,
        toolExecution: 'sequential',
        convertToLlm: (messages) => pi.coding.convertToLlm(chooseSent(messages, conversation, model)),
        prepareRequest: async () => {
          if (!(await this.#compactIfFull(conversation, means))) return undefined;
          this.#request = { ...this.#request, ...this.#request.renewPrefix?.() };
          return { context: contextOf() };
        },
        getSteeringMessages: async () => this.#takeSteered(),
        getFollowUpMessages: async () => {
          const messages = this.#takeSteered();
          // Nothing is awaited between the look at the messages and this: none can be taken and forgotten.
          if (messages.length === 0) this.#takesMessages = false;
          return messages;
        },
      },
      (event) => this.#pass(event, conversation),
      this.#signal,
      this.#stream,
    );
  }

  /** The prompt and the tools, for the model alone: the transcript is of the conversation. */
  #systemMessage(tools: readonly AgentTool[]): SystemMessage {
    return {
      role: 'system',
      content: this.#request.systemPrompt.text,
      toolsAdded: tools.map((tool) => this.#pi.ai.toToolDeclaration(tool)),
      timestamp: 0,
    };
  }

  #toolOf({ name, description, parameters }: RunRequest['tools']['list'][number]): AgentTool {
    return {
      name,
      label: name,
      description,
      parameters: parameters as never,
      execute: async (id, args, signal = this.#signal) => {
        const { text, isError, sent } = await this.#request.tools.run({ id, name, arguments: args }, signal);
        if (sent !== undefined) this.#sent.set(id, sent);
        // pi makes a result that is marked as an error of it.
        if (isError) throw new Error(text);
        return { content: [{ type: 'text', text }], details: undefined };
      },
    };
  }

  #takeSteered(): AgentMessage[] {
    if (this.#signal.aborted) return [];
    return this.#waiting.splice(0).map((steered) => {
      const message = composeUserMessage(
        userContent(steered.text, steered.images),
        Date.now(),
      ) as AgentMessage;
      this.#steered.set(message, steered);
      return message;
    });
  }

  async #pass(event: AgentEvent, conversation: Conversation): Promise<void> {
    if (event.type === 'message_update') {
      const { assistantMessageEvent: update } = event;
      if (update.type === 'text_delta') await this.#send({ type: 'text', delta: update.delta });
      else if (update.type === 'thinking_delta') await this.#send({ type: 'thinking', delta: update.delta });
    } else if (event.type === 'message_end') await this.#keep(event.message, conversation);
    else if (event.type === 'tool_execution_start' && !this.#signal.aborted)
      await this.#send({
        type: 'tool-call',
        id: event.toolCallId,
        name: event.toolName,
        arguments: event.args,
      });
  }

  async #keep(message: AgentMessage, conversation: Conversation): Promise<void> {
    if (message.role === 'assistant') {
      this.#last = message;
      // What was cut off is written at the end, when it is known why.
      if (message.stopReason === 'error' || message.stopReason === 'aborted') return;
      await conversation.append([draftOf(message)]);
      await this.#send({ type: 'message-end', text: textsOf(message.content).join('') });
      const { input, output, cacheRead, cacheWrite } = message.usage;
      await this.#send({ type: 'usage', usage: { input, output, cacheRead, cacheWrite } });
      const paths = pathsOfDrops(message);
      const by = `${message.provider}/${message.model}`;
      if (paths.length > 0) await this.#send({ type: 'thinking-dropped', by, paths });
    } else if (message.role === 'toolResult') {
      await conversation.append([draftOf(message)]);
      const { toolCallId: id, toolName: name, isError } = message;
      await this.#send({ type: 'tool-result', id, name, text: textsOf(message.content).join(''), isError });
      const sent = this.#sent.get(id);
      if (sent !== undefined) await this.#send({ type: 'sent', ...sent });
    } else if (message.role === 'user') {
      const steered = this.#steered.get(message);
      await conversation.append([...(steered === undefined ? [] : [steered.mark]), draftOf(message)]);
      if (steered !== undefined) await this.#send({ type: 'steered', messageId: steered.messageId });
    }
  }

  #send(event: RunEvent): Promise<void> {
    return this.#handoff.send(event);
  }

  get #isAborted(): boolean {
    return this.#signal.aborted;
  }

  async #endOf({ window, model }: CompactionMeans): Promise<RunEnd> {
    const last = this.#last;
    if (last === undefined)
      return this.#isAborted ? ABORTED : this.#fault(new Error('pi ended without an answer'));
    if (last.stopReason === 'aborted') return ABORTED;
    if (last.stopReason !== 'error') {
      const isFull = last.stopReason === 'length' && this.#pi.ai.isContextOverflow(last, window);
      if (isFull)
        return { type: 'end', reason: 'overflow', error: 'The conversation fills the window of the model.' };
      return STOP;
    }
    if (this.#isAborted) return ABORTED;
    const { provider } = this.#request.model;
    const errorMessage = await this.#models.redact(last.errorMessage ?? '', provider);
    this.#last = { ...last, errorMessage };
    return describeFailure(this.#last, this.#exchange, {
      isOverflow: this.#pi.ai.isContextOverflow(last),
      name: `${provider}/${model.id}`,
      keyHint: await this.#models.explainKey(provider),
    });
  }

  #isRefusedForImage(end: RunEnd, conversation: Conversation): boolean {
    if (end.reason !== 'error' || this.#exchange.status !== 400 || this.#isAborted) return false;
    return /image/i.test(end.error) && hasImages(conversation.messages());
  }

  async #fault(error: unknown): Promise<RunEnd> {
    const { message, hint, code } = error as { message?: string; hint?: string; code?: string };
    const text = await this.#models.redact(message ?? String(error), this.#request.model.provider);
    const failure = code === 'MODEL_KEY_MISSING' ? 'unauthorised' : undefined;
    return { type: 'end', reason: 'error', error: text, hint, isTransient: false, failure };
  }

  /** What was said until a failure stays in the transcript, marked as unfinished, and every call has a result. */
  async #closeOff(conversation: Conversation | undefined): Promise<void> {
    if (conversation === undefined) return;
    const last = this.#last;
    const isCutOff = last?.stopReason === 'error' || last?.stopReason === 'aborted';
    // Calls of it were not run, and may not be whole.
    const content = isCutOff ? last.content.filter(({ type }) => type !== 'toolCall') : [];
    const said = content.some(
      (block) => (block.type === 'text' && block.text !== '') || block.type === 'thinking',
    );
    const drafts = [
      ...conversation.calls.answerAll('The run ended before this call had a result.', Date.now()),
      ...(isCutOff && said ? [draftOf({ ...last, content } as AssistantMessage)] : []),
    ];
    if (drafts.length > 0) await conversation.append(drafts);
  }

  /** True when something was replaced. Throws MustStop. */
  async #compactIfFull(conversation: Conversation, means: CompactionMeans): Promise<boolean> {
    if (this.#isAborted || !isNearlyFull(means, conversation.messages())) return false;
    const when = this.#request.whenFull?.() ?? 'compact';
    if (when === 'go-on') return false;
    let isStarted = false;
    try {
      const tokensAfter = await compactConversation(conversation, means, async () => {
        if (when === 'stop') throw new MustStop();
        isStarted = true;
        await this.#send({ type: 'compaction', phase: 'start' });
      });
      if (tokensAfter === undefined) return false;
      await this.#send({ type: 'compaction', phase: 'end', willRetry: false, tokensAfter });
      return true;
    } catch (error) {
      if (isStarted) await this.#send({ type: 'compaction', phase: 'end', willRetry: true });
      if (this.#isAborted || error instanceof MustStop) throw error;
      // The provider may take the conversation all the same, and says so if it does not.
      return false;
    }
  }

  /** Never throws. */
  async #compact(): Promise<RunEnd> {
    try {
      this.#signal.throwIfAborted();
      const means = await this.#prepare();
      const conversation = await Conversation.open(this.#pi, this.#request);
      const onStart = () => this.#send({ type: 'compaction', phase: 'start' });
      const tokensAfter = await compactConversation(conversation, means, onStart, {
        always: true,
        instructions: this.#request.instructions,
      });
      if (tokensAfter === undefined) throw new Error('The conversation is too short to be compacted');
      await this.#send({ type: 'compaction', phase: 'end', willRetry: false, tokensAfter });
      return STOP;
    } catch (error) {
      return this.#isAborted ? ABORTED : this.#fault(error);
    }
  }
}

/** What is sent of a conversation. */
function chooseSent(
  messages: readonly AgentMessage[],
  { isBehindChange, hasRefusedImages }: Conversation,
  model: Model<Api>,
): AgentMessage[] {
  const limited = limitImages(messages, hasRefusedImages);
  const until = messages.findLastIndex(isBehindChange) + 1;
  return makeSendable(limited.messages, model, [{ from: 0, until }, ...limited.changes]);
}

function draftOf(message: AgentMessage): EntryDraft {
  return { type: 'message', message: message as unknown as TranscriptMessage };
}

/** Names that pi does not have become the nearest. Without one, models that can think do so a little, as in OpenClaw. */
function thinkingLevelOf(
  { ai }: Pi,
  model: Model<Api>,
  level = model.reasoning ? 'low' : 'off',
): 'off' | ThinkingLevel {
  const others: Readonly<Record<string, ThinkingLevel>> = { adaptive: 'medium', ultra: 'max' };
  return ai.clampThinkingLevel(model, others[level] ?? (level as ThinkingLevel));
}

import { randomUUID } from 'node:crypto';
import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { AgentSession, endAgentLeftovers } from '@openbot/claude-code';
import type { SentByTool } from '../../tools/contract.ts';
import { MustStop } from '../compaction-point.ts';
import type { Run, RunEnd, RunEvent, RunRequest, WhenFull } from '../contract.ts';
import { describeFault } from '../describe-fault.ts';
import { BegunCalls } from './begun-calls.ts';
import { compactApart, unwrapSummary } from './compact-apart.ts';
import { composeSession } from './compose-session.ts';
import { brokenOff, type ClaudeFailure, describeFailure } from './failures.ts';
import { handOver } from './hand-over.ts';
import { findKnowledge, hashPrompt, type Knowledge, markIdle, markRunning, readBefore } from './knowledge.ts';
import { Mirror } from './mirror.ts';
import type { ClaudePlace } from './place.ts';
import { costOf, isInterrupted, type ResultMessage } from './result.ts';

type Events<T = void> = AsyncGenerator<RunEvent, T, undefined>;
type SteeredMessage = Parameters<Run['steer']>[0];
type SystemMessage = Extract<SDKMessage, { type: 'system' }>;

type OwnSession = { readonly id: string; readonly is: 'known' | 'new' };

const STOP: RunEnd = { type: 'end', reason: 'stop' };
const ABORTED: RunEnd = { type: 'end', reason: 'aborted' };
/** Claude Code answers an interrupt within milliseconds, unless it is stuck. */
const INTERRUPT_PATIENCE_MS = 2000;
const UNKNOWN_SESSION = /no conversation found|requires a valid session id/i;
const CUT_OFF = 'The run ended before this call had a result.';

/** Where the conversation with one Claude Code is. */
type Phase =
  | { readonly at: 'starting' }
  /** It has been given the prompt. */
  | { readonly at: 'asked' }
  /** It has reported that it works on it. */
  | { readonly at: 'busy' }
  | { readonly at: 'over'; readonly failure?: ClaudeFailure }
  /** It was stopped, and it is not known what its session has kept. */
  | { readonly at: 'cut' }
  /** It knows no such session: nothing was done. */
  | { readonly at: 'unknown-session' };

/** One run of an agent by Claude Code. */
export class ClaudeRun implements Run {
  readonly events: AsyncIterable<RunEvent>;
  readonly #request: RunRequest;
  readonly #place: ClaudePlace;
  readonly #mirror: Mirror;
  readonly #sent = new Map<string, SentByTool>();
  /** Given to `steer` and not yet read by the model, by Claude Code's name once it has them. */
  readonly #waiting = new Map<string, SteeredMessage>();
  /** Of the Claude Code that is at work. */
  #calls = new BegunCalls();
  #claude: AgentSession | undefined;
  #patience: NodeJS.Timeout | undefined;
  #phase: Phase = { at: 'starting' };
  #takesMessages = true;
  #lastError: ClaudeFailure | undefined;
  #retryAfterMs: number | undefined;
  #summary: string | undefined;
  #isCompacted = false;
  #isMarked = false;
  /** It was stopped where Claude Code would have compacted. */
  #isHeld = false;
  /** Ids of entries that Claude Code is not given. */
  #unread: readonly string[] = [];
  #sdkSessionId: string | undefined;
  #knowledge: Knowledge | undefined;

  constructor(request: RunRequest, place: ClaudePlace, task: 'answer' | 'compact') {
    this.#request = request;
    this.#place = place;
    this.#mirror = new Mirror({
      request,
      onCall: (id) => this.#calls.begin(id),
      takeSent: (id) => this.#sent.get(id),
    });
    this.events = this.#run(task);
  }

  steer(message: SteeredMessage): boolean {
    if (!this.#takesMessages || this.#request.signal.aborted) return false;
    const isHeard = this.#phase.at === 'asked' || this.#phase.at === 'busy';
    this.#waiting.set(isHeard ? this.#claude!.say(message.text, message.images) : randomUUID(), message);
    return true;
  }

  async *#run(task: 'answer' | 'compact'): Events {
    const { signal } = this.#request;
    let end: RunEnd;
    try {
      signal.throwIfAborted();
      end = yield* task === 'answer' ? this.#answer() : this.#compact();
    } catch (error) {
      end = signal.aborted ? ABORTED : describeFault(error);
      // A transcript that cannot be written is the likely reason.
      await this.#mirror.close(signal.aborted ? 'aborted' : 'error', CUT_OFF).catch(() => {});
    }
    this.#takesMessages = false;
    yield end;
  }

  async *#answer(): Events<RunEnd> {
    const { prompt, images, model, signal } = this.#request;
    const { contextWindow } = model;
    const knowledge = await this.#know();
    if (knowledge.sessionId !== undefined) {
      const text = handOver(knowledge.unread, prompt, { what: 'since', contextWindow });
      const end = yield* this.#converse({ id: knowledge.sessionId, is: 'known' }, (claude) =>
        claude.say(text, images),
      );
      if (end !== undefined && !this.#isRefusedForImage) return end;
      signal.throwIfAborted();
    }
    const before = await readBefore(this.#request, knowledge);
    const text = handOver(before, prompt, { what: 'whole', contextWindow });
    // A session with an image that is refused would be refused again and again; another one is told in words.
    for (const shown of this.#isRefusedForImage ? [[]] : [images, []]) {
      const end = yield* this.#converse({ id: randomUUID(), is: 'new' }, (claude) => claude.say(text, shown));
      if (end !== undefined && (!this.#isRefusedForImage || !shown?.length)) return end;
    }
    return describeFailure({ text: 'Claude Code did not begin a new session' });
  }

  /** By Claude Code itself where its session knows the conversation, else by a summary that it is asked for apart. */
  async *#compact(): Events<RunEnd> {
    this.#takesMessages = false;
    const knowledge = await this.#know();
    const before = await readBefore(this.#request, knowledge);
    if (before.length === 0) return describeFailure({ text: 'There is nothing to summarise yet.' });
    const { sessionId, unread, promptId } = knowledge;
    if (sessionId !== undefined && unread.length === 0) {
      this.#unread = promptId === undefined ? [] : [promptId];
      const end = yield* this.#converse({ id: sessionId, is: 'known' }, (claude) =>
        claude.command(`/compact ${this.#request.instructions ?? ''}`.trim()),
      );
      if (this.#isCompacted) return STOP;
      // One that is too long to be summarised as it is can be summarised in parts.
      if (end?.reason === 'aborted' || end?.reason === 'error') return end;
    }
    return yield* compactApart(this.#request, this.#place, { before, promptId });
  }

  async #know(): Promise<Knowledge> {
    const prompt = hashPrompt(this.#request, this.#ownSettings());
    const knowledge = await findKnowledge(this.#request, prompt);
    this.#knowledge = knowledge;
    const { crashedId } = knowledge;
    if (crashedId !== undefined) {
      const env = this.#place.envOf(this.#request.transcript.agentId);
      await endAgentLeftovers(crashedId, env).catch(() => {});
    }
    return knowledge;
  }

  /** The tools that the conversation began with; the rest as it is now. */
  #ownSettings() {
    const now = this.#place.settingsOf(this.#request.transcript.agentId);
    return { ...now, tools: this.#request.ownTools ?? now.tools };
  }

  /** Undefined if there is no such session to go on with. */
  async *#converse(session: OwnSession, ask: (claude: AgentSession) => void): Events<RunEnd | undefined> {
    const { signal } = this.#request;
    const calls = new BegunCalls();
    const claude = await this.#open(session, calls);
    if (claude === undefined) return undefined;
    this.#claude = claude;
    this.#calls = calls;
    this.#sdkSessionId = session.id;
    this.#phase = { at: 'starting' };
    const onAbort = () => this.#stop(claude);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      // Claude Code takes a while to start, so that this costs no time.
      await this.#mirror.append([markRunning(session.id)]);
      signal.throwIfAborted();
      ask(claude);
      this.#phase = { at: 'asked' };
      this.#sayWaiting(claude);
      yield* this.#listen(claude, session.id);
    } finally {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(this.#patience);
      calls.endAll();
      await claude.end(this.#isAt('over') ? undefined : 0);
      this.#claude = undefined;
    }
    if (this.#isAt('unknown-session')) return undefined;
    return yield* this.#conclude(claude.stderr);
  }

  async #open(session: OwnSession, calls: BegunCalls): Promise<AgentSession | undefined> {
    try {
      return await AgentSession.open({
        ...composeSession(this.#request, this.#place, this.#ownSettings(), this.#sent),
        session: this.#request.keepsNothing ? { id: session.id, is: 'none' } : session,
        mayBegin: (callId) => calls.whenBegun(callId),
        mayCompact: () => this.#mayCompact(),
        onSummary: (summary) => {
          this.#summary = unwrapSummary(summary);
        },
      });
    } catch (error) {
      const { code } = error as { code?: unknown };
      const isTaken = code === 'SESSION_BUSY' || code === 'SESSION_OPEN' || code === 'INVALID_SESSION_ID';
      if (session.is === 'known' && isTaken) return undefined;
      throw error;
    }
  }

  get #whenFull(): WhenFull {
    return this.#request.whenFull?.() ?? 'compact';
  }

  /** Claude Code waits for the answer before it asks its model again. */
  #mayCompact(): boolean {
    const when = this.#whenFull;
    if (when === 'stop' && this.#claude !== undefined && !this.#isHeld) {
      this.#isHeld = true;
      this.#takesMessages = false;
      this.#stop(this.#claude);
    }
    return when === 'compact';
  }

  async *#listen(claude: AgentSession, sessionId: string): Events {
    const messages = (claude.messages as AsyncIterable<SDKMessage>)[Symbol.asyncIterator]();
    for (;;) {
      let next: IteratorResult<SDKMessage>;
      try {
        next = await messages.next();
      } catch (error) {
        // After a result it only says that Claude Code exited with an error.
        if (this.#phase.at === 'over' || this.#phase.at === 'cut' || this.#phase.at === 'unknown-session')
          return;
        if (this.#request.signal.aborted || this.#isHeld) return;
        throw brokenOff(error, claude.stderr);
      }
      if (next.done) return;
      yield* this.#take(next.value, claude, sessionId);
    }
  }

  async *#take(message: SDKMessage, claude: AgentSession, sessionId: string): Events {
    if ('parent_tool_use_id' in message && message.parent_tool_use_id !== null) {
      this.#letSubagentCall(message);
    } else if (message.type === 'stream_event') {
      yield* this.#mirror.stream(message.event as unknown as Record<string, unknown>);
    } else if (message.type === 'assistant') {
      if (message.message.model === '<synthetic>') this.#noteError(message);
      else yield* this.#mirror.speak(message);
    } else if (message.type === 'user') {
      yield* this.#mirror.takeResults(message.message.content);
    } else if (message.type === 'system') {
      yield* this.#takeNews(message, sessionId);
    } else if (message.type === 'result') {
      yield* this.#takeResult(message, claude);
    } else if (message.type === 'rate_limit_event') {
      const { status, resetsAt } = message.rate_limit_info;
      if (status === 'rejected' && resetsAt !== undefined)
        this.#retryAfterMs = Math.max(0, resetsAt * 1000 - Date.now());
    } else yield* this.#takeSteered(message);
  }

  async *#takeNews(message: SystemMessage, sessionId: string): Events {
    const { ownSession } = this.#request;
    if (message.subtype === 'init') {
      if (this.#phase.at === 'asked') this.#phase = { at: 'busy' };
      this.#sdkSessionId = message.session_id ?? sessionId;
      if (this.#sdkSessionId !== ownSession.id) await ownSession.save(this.#sdkSessionId);
    } else if (message.subtype === 'status') {
      if (this.#whenFull !== 'compact') return;
      if (message.status === 'compacting') yield { type: 'compaction', phase: 'start' };
      if (message.compact_result === 'failed') yield { type: 'compaction', phase: 'end', willRetry: true };
    } else if (message.subtype === 'compact_boundary') {
      const { pre_tokens: tokensBefore, post_tokens: tokensAfter } = message.compact_metadata;
      const firstKeptEntryId = this.#knowledge?.promptId;
      const summary = this.#summary ?? 'Claude Code summarised the conversation in its own session.';
      await this.#mirror.append([{ type: 'compaction', summary, tokensBefore, firstKeptEntryId }]);
      this.#isCompacted = true;
      yield { type: 'compaction', phase: 'end', willRetry: false, tokensAfter };
    }
  }

  async *#takeResult(result: ResultMessage, claude: AgentSession): Events {
    const isError = result.is_error;
    const text = result.subtype === 'success' ? result.result : result.errors.join('\n');
    if (isError && this.#phase.at === 'asked' && UNKNOWN_SESSION.test(text)) {
      this.#phase = { at: 'unknown-session' };
      return;
    }
    // What was sent and not read is answered in a turn of its own.
    if (!isError && !this.#request.signal.aborted && this.#waiting.size > 0)
      return yield* this.#mirror.flush(costOf(result));
    // Nothing is awaited between the look at the messages and this: none can be taken and forgotten.
    this.#takesMessages = false;
    const status = result.subtype === 'success' ? result.api_error_status : undefined;
    const failure = { ...this.#lastError, text, status, retryAfterMs: this.#retryAfterMs };
    this.#phase = { at: 'over', ...(isError && { failure }) };
    // It exits while the rest is written.
    claude.closeInput();
    yield* this.#mirror.flush(costOf(result));
    if (!this.#request.signal.aborted) {
      if (!isError) await this.#markIdle();
    } else if (!this.#mirror.isAnswered && !isInterrupted(result)) {
      // It has answered before it heard that it should stop: the session knows an answer that the person does not get.
      this.#phase = { at: 'cut' };
    }
  }

  /** The SDK passes reports about messages on without having a type for them. */
  async *#takeSteered(report: SDKMessage): Events {
    const { type, state, command_uuid: uuid } = report as unknown as Record<string, string>;
    const message =
      type === 'command_lifecycle' && state === 'started' ? this.#waiting.get(uuid!) : undefined;
    if (message === undefined) return;
    this.#waiting.delete(uuid!);
    yield* this.#mirror.takeSteered(message);
  }

  async *#conclude(stderr: string): Events<RunEnd> {
    yield* this.#mirror.flush();
    const end = this.#findEnd(stderr);
    if (end.reason !== 'stop')
      await this.#mirror.close(end.reason === 'aborted' ? 'aborted' : 'error', CUT_OFF);
    // Without a result it is not known what the session has kept: the next run begins another one.
    if (this.#phase.at === 'over' && !this.#isRefusedForImage) await this.#markIdle();
    return end;
  }

  /** Once: from then on the session knows what the transcript says. */
  async #markIdle(): Promise<void> {
    if (this.#isMarked) return;
    this.#isMarked = true;
    const { written: own } = this.#mirror;
    const of = { own, unread: this.#unread };
    // After a compaction it has thinking that was made behind more than it has now.
    const knowledge = { ...this.#knowledge!, ...(this.#isCompacted && { prompt: undefined }) };
    await this.#mirror.append([await markIdle(this.#request, knowledge, this.#sdkSessionId!, of)]);
  }

  get #isRefusedForImage(): boolean {
    const { failure } = this.#phase.at === 'over' ? this.#phase : {};
    return failure?.status === 400 && /image/i.test(failure.text);
  }

  #findEnd(stderr: string): RunEnd {
    const phase = this.#phase;
    if (this.#mirror.isAnswered && phase.at === 'over' && phase.failure === undefined) return STOP;
    if (this.#request.signal.aborted) return this.#mirror.isAnswered ? STOP : ABORTED;
    if (this.#isHeld) return new MustStop().end;
    if (phase.at !== 'over') throw brokenOff(undefined, stderr);
    return phase.failure === undefined ? STOP : describeFailure(phase.failure);
  }

  /** The phase changes while others wait, which the compiler does not see. */
  #isAt(at: Phase['at']): boolean {
    return this.#phase.at === at;
  }

  #noteError(message: Extract<SDKMessage, { type: 'assistant' }>): void {
    const [block] = message.message.content;
    this.#lastError = { kind: message.error, text: block?.type === 'text' ? block.text : '' };
  }

  #letSubagentCall(message: SDKMessage): void {
    if (message.type !== 'assistant') return;
    for (const block of message.message.content) if (block.type === 'tool_use') this.#calls.begin(block.id);
  }

  #sayWaiting(claude: AgentSession): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const message of waiting) this.#waiting.set(claude.say(message.text, message.images), message);
  }

  /** Lets Claude Code note in its session that it was stopped; one that does not react is ended. */
  #stop(claude: AgentSession): void {
    this.#calls.endAll();
    if (this.#phase.at === 'over') return;
    if (this.#phase.at !== 'busy') return void claude.end(0);
    this.#patience = setTimeout(() => void claude.end(0), INTERRUPT_PATIENCE_MS);
    claude.interrupt().catch(() => void claude.end(0));
  }
}

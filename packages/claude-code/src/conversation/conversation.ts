import type { Query, SDKMessage, SDKResultMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { OpenBotError, redactSecrets } from '@openbot/sessions';
import { formatUsd } from '@openbot/sessions/terminal-text';
import type { SessionLedger } from '../ledger/session-ledger.ts';
import type { ClaudeProcess } from '../processes/claude-process.ts';
import { removeRunNote } from '../processes/run-note.ts';
import { startClaude } from '../processes/start-claude.ts';
import type { RepoSlot } from '../queue/repo-slot.ts';
import type { RunResult } from '../registry/registered-session.ts';
import type { RunEvent, RunOutcome } from '../run-contract/run-event.ts';
import { DEFAULT_IDLE_MS } from '../run-contract/run-request.ts';
import { AnnouncedCalls } from './announced-calls.ts';
import { type ClaudeOptionsParts, composeClaudeOptions } from './claude-options.ts';
import { ItemQueue } from './event-source.ts';
import type { FollowUps } from './follow-ups.ts';
import { IdleWatch } from './idle-watch.ts';
import type { AgentSdk } from './load-agent-sdk.ts';
import { listMessageEvents } from './message-events.ts';
import { TurnWatch } from './turn.ts';

export interface ConversationParts extends Omit<ClaudeOptionsParts, 'budgetLeftUsd' | 'announcedCalls'> {
  readonly sdk: AgentSdk;
  readonly firstMessage: string;
  readonly ledger: SessionLedger;
  readonly followUps: FollowUps;
  readonly slot: RepoSlot;
  readonly signal: AbortSignal;
  readonly emit: (event: RunEvent) => void;
}

export type ConversationEnd =
  | (Pick<RunOutcome, 'result' | 'text' | 'failure' | 'ending'> & { readonly isUnknown: false })
  /** Claude Code knows no such session. Nothing was done. */
  | { readonly isUnknown: true; readonly reason: string };

/** After its input is closed it only waits for what it left in the background. */
const CLOSE_PATIENCE_MS = 15_000;
/** Such a thing that ends gives it a last turn. Nobody can answer its questions by then. */
const LAST_TURN_PATIENCE_MS = 5 * 60_000;

/** One Claude Code from its start to its end: the task, then follow-ups, one turn at a time. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #input = new ItemQueue<SDKUserMessage>();
  readonly #idle: IdleWatch;
  #process: ClaudeProcess | undefined;
  readonly #turns = new TurnWatch();
  #isClosing = false;
  #closing: NodeJS.Timeout | undefined;
  /** One turn may follow another, but not for ever. */
  #closeBy: number | undefined;
  readonly #announcedCalls = new AnnouncedCalls();
  #hasStarted = false;
  #isSettling = false;
  #wasCut = false;
  #text = '';
  /** What was said in the turn that is under way. */
  #said = '';
  #failure: { readonly result: RunResult; readonly message: string } | undefined;
  #unknown: string | undefined;
  #ending: RunOutcome['ending'];

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#idle = new IdleWatch({
      idleMs: parts.request.idleMs ?? DEFAULT_IDLE_MS,
      isWanted: () => parts.request.makesRoom !== false && parts.slot.isWanted(),
      onEnd: (ending) => {
        this.#ending = ending;
        this.#closeInput();
      },
    });
  }

  /** @throws OpenBotError CLAUDE_NOT_STARTED */
  async run(): Promise<ConversationEnd> {
    const { signal, followUps } = this.#parts;
    const stop = new AbortController();
    const onAbort = () => {
      // The SDK closes the input, at which Claude Code would ask the model once more: only when it is gone.
      const ending = this.#process?.end() ?? Promise.resolve();
      void ending.finally(() => stop.abort());
    };
    signal.addEventListener('abort', onAbort, { once: true });
    let thrown: unknown;
    try {
      signal.throwIfAborted();
      followUps.onChange = () => this.#goOn();
      this.#say(this.#parts.firstMessage);
      const query = this.#start(stop);
      for await (const message of query) await this.#take(message);
    } catch (error) {
      thrown = error;
    } finally {
      followUps.onChange = () => {};
      this.#idle.stop();
      this.#input.close();
      await this.#endProcess();
      this.#forgetProcess();
      clearTimeout(this.#closing);
      signal.removeEventListener('abort', onAbort);
    }
    return this.#conclude(thrown);
  }

  #start(stop: AbortController): Query {
    const { sdk, ledger } = this.#parts;
    return sdk.query({
      prompt: this.#input,
      options: {
        ...composeClaudeOptions({
          ...this.#parts,
          budgetLeftUsd: ledger.budgetLeftUsd,
          announcedCalls: this.#announcedCalls,
        }),
        abortController: stop,
        spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
          const warn = (message: string) => this.#parts.emit({ type: 'warning', message });
          const { sessionId, scope } = this.#parts;
          this.#process = startClaude(
            { command, args, cwd, env },
            { sessionId, repoPath: scope.repo.path, env: scope.env, warn },
          );
          return this.#process.child;
        },
      },
    });
  }

  async #take(message: SDKMessage): Promise<void> {
    this.#watchSession(message);
    if (this.#turns.watch(message)) {
      this.#idle.stop();
      this.#limitClosing();
    }
    if (message.type === 'result') return this.#endTurn(message);
    if (message.type === 'system' && message.subtype === 'init' && !this.#hasStarted) {
      return this.#begin(message.model);
    }
    for (const event of listMessageEvents(message)) {
      if (event.type === 'text' && !event.inSubagent) this.#said = event.text;
      this.#parts.emit(event);
      if (event.type === 'tool') this.#announcedCalls.tell(event.toolUseId);
    }
  }

  /** Of another session there is no lock, and its cost is not counted. */
  #watchSession(message: SDKMessage): void {
    const { session_id: actual } = message;
    if (actual === undefined || actual === this.#parts.sessionId) return;
    // What tells that a session is not known comes from none.
    if (!this.#hasStarted && message.type === 'result') return;
    this.#fail('error', `Claude Code left the session for another one, ${actual}`);
  }

  async #begin(model: string): Promise<void> {
    this.#hasStarted = true;
    const { ledger, emit, sessionId, action, request, followUps } = this.#parts;
    await ledger.begin(model);
    emit({
      type: 'started',
      sessionId,
      action,
      model,
      pid: this.#process?.child.pid ?? 0,
      spentUsd: ledger.spentBeforeUsd,
      maxBudgetUsd: ledger.maxBudgetUsd,
    });
    emit({ type: 'turn-started', text: request.task, waiting: followUps.count });
  }

  #say(text: string): void {
    this.#said = '';
    this.#input.push({
      type: 'user',
      uuid: this.#turns.say(),
      message: { role: 'user', content: text },
      parent_tool_use_id: null,
    });
  }

  async #endTurn(result: SDKResultMessage): Promise<void> {
    const { ledger, emit, action } = this.#parts;
    const text = readResultText(result);
    if (result.is_error && action !== 'fresh' && !this.#hasStarted && UNKNOWN_SESSION.test(text)) {
      this.#unknown = redactSecrets(text);
      return;
    }
    const isAnswer = this.#turns.end(result);
    this.#limitClosing();
    // What is said meanwhile waits until it is clear how the turn ended.
    this.#isSettling = true;
    const cost = await ledger.addCost(result.total_cost_usd, isAnswer ? 1 : 0);
    this.#isSettling = false;
    if (!result.is_error) this.#text = text;
    // It was answered, and is not told as an answer because a limit was reached.
    else if (result.subtype !== 'success' && this.#said !== '') this.#text = this.#said;
    const left = ledger.budgetLeftUsd;
    emit({
      type: 'turn-ended',
      isError: result.is_error,
      text: result.is_error ? redactSecrets(text) : text,
      byItself: !isAnswer,
      ...cost,
      budgetLeftUsd: left,
    });
    if (result.is_error) {
      const isBudget = result.subtype === 'error_max_budget_usd';
      this.#fail(isBudget ? 'budget' : 'error', isBudget ? this.#describeSpent() : redactSecrets(text));
    } else this.#goOn();
  }

  /** The next turn, or waiting for one, or the end. */
  #goOn(): void {
    const { followUps, ledger, emit, signal } = this.#parts;
    if (
      this.#turns.isBusy ||
      this.#isSettling ||
      !this.#hasStarted ||
      this.#failure !== undefined ||
      signal.aborted
    )
      return;
    if (ledger.isSpent) {
      if (followUps.count > 0) this.#fail('budget', this.#describeSpent());
      else this.#closeInput();
      return;
    }
    const next = followUps.take();
    if (next !== undefined) {
      this.#idle.stop();
      this.#say(next);
      emit({ type: 'turn-started', text: next, waiting: followUps.count });
    } else if (followUps.isClosed || this.#idle.idleMs === 0) this.#closeInput();
    else if (this.#idle.start()) emit({ type: 'idle', idleMs: this.#idle.idleMs });
  }

  /** The first failure is the run's; what Claude Code says of it later is the same one. */
  #fail(result: RunResult, message: string): void {
    this.#failure ??= { result, message };
    this.#closeInput();
  }

  #closeInput(): void {
    // From here on a follow-up would not be heard.
    this.#parts.followUps.close();
    this.#idle.stop();
    this.#input.close();
    this.#isClosing = true;
    this.#limitClosing();
  }

  #limitClosing(): void {
    clearTimeout(this.#closing);
    if (!this.#isClosing) return;
    const cut = () => {
      this.#wasCut = true;
      void this.#process?.end();
    };
    this.#closeBy ??= performance.now() + LAST_TURN_PATIENCE_MS;
    const left = Math.max(0, this.#closeBy - performance.now());
    const isLastTurn = this.#turns.isUnderWay && this.#failure === undefined;
    this.#closing = setTimeout(cut, isLastTurn ? left : Math.min(left, CLOSE_PATIENCE_MS));
  }

  async #endProcess(): Promise<void> {
    const isGone = (await this.#process?.isGoneWithin(CLOSE_PATIENCE_MS)) ?? true;
    // In mid-turn it did not end well, whatever it says: its tools may be at work.
    if (!isGone || this.#turns.isBusy) await this.#process?.end();
  }

  /** Only now: as long as anything of it may be left, others must be able to find it. */
  #forgetProcess(): void {
    const { sessionId, scope } = this.#parts;
    if (this.#process !== undefined) removeRunNote({ sessionId, mark: this.#process.mark }, scope.env);
  }

  #conclude(thrown: unknown): ConversationEnd {
    const text = this.#text;
    if (this.#parts.signal.aborted) return { isUnknown: false, result: 'aborted', text, ending: 'aborted' };
    if (this.#unknown !== undefined) return { isUnknown: true, reason: this.#unknown };
    if (this.#failure !== undefined) {
      const { result, message } = this.#failure;
      return { isUnknown: false, result, text, failure: message };
    }
    if (this.#turns.isAwaited) {
      const why = this.#describeBreak(thrown);
      if (this.#hasStarted) return { isUnknown: false, result: 'error', text, failure: why };
      throw new OpenBotError('CLAUDE_NOT_STARTED', `Claude Code could not be started: ${why}`, {
        hint: 'Check the installation of @anthropic-ai/claude-agent-sdk, or name the program by pathToClaudeCodeExecutable.',
        cause: thrown,
      });
    }
    // Everything was answered by then.
    if (thrown !== undefined) {
      const message = this.#wasCut
        ? 'What Claude Code left at work in the background was ended'
        : this.#describeBreak(thrown);
      this.#parts.emit({ type: 'warning', message });
    }
    const ending = this.#ending;
    return { isUnknown: false, result: 'success', text, ending };
  }

  #describeBreak(thrown: unknown): string {
    const said = this.#process?.stderr ?? '';
    const why = thrown instanceof Error ? thrown.message : 'it ended before its answer';
    return redactSecrets(said === '' || why.includes(said) ? why : `${why}: ${said}`);
  }

  #describeSpent(): string {
    const { maxBudgetUsd = 0, totalCostUsd } = this.#parts.ledger;
    return `The budget of the session, ${formatUsd(maxBudgetUsd)}, is spent: it cost ${formatUsd(totalCostUsd)} in all`;
  }
}

const UNKNOWN_SESSION = /no conversation found/i;

function readResultText(result: SDKResultMessage): string {
  return result.subtype === 'success' ? result.result : result.errors.join('\n') || result.subtype;
}

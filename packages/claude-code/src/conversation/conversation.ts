import type { Query, SDKMessage, SDKResultMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { redactSecrets } from '@openbot/sessions';
import { formatUsd } from '@openbot/sessions/terminal-text';
import type { SessionLedger } from '../ledger/session-ledger.ts';
import type { ClaudeProcess } from '../processes/claude-process.ts';
import { removeRunNote } from '../processes/run-note.ts';
import { startClaude } from '../processes/start-claude.ts';
import type { RepoSlot } from '../queue/repo-slot.ts';
import type { RunResult } from '../registry/registered-session.ts';
import type { RunEvent } from '../run-contract/run-event.ts';
import { DEFAULT_IDLE_MS } from '../run-contract/run-request.ts';
import { AnnouncedCalls } from './announced-calls.ts';
import { type ClaudeOptionsParts, composeClaudeOptions } from './claude-options.ts';
import { type ConversationEnd, concludeConversation } from './conclude.ts';
import { ItemQueue } from './event-source.ts';
import type { FollowUps } from './follow-ups.ts';
import type { AgentSdk } from './load-agent-sdk.ts';
import { listMessageEvents } from './message-events.ts';
import {
  type Closing,
  closePhase,
  followPhase,
  leavePhase,
  type Phase,
  settlePhase,
  startIdle,
  turnOf,
} from './phase.ts';
import { askForTurn, endTurn, followTurn, type Turn } from './turn.ts';

interface ConversationParts extends Omit<ClaudeOptionsParts, 'budgetLeftUsd' | 'announcedCalls'> {
  readonly sdk: AgentSdk;
  readonly firstMessage: string;
  readonly ledger: SessionLedger;
  readonly followUps: FollowUps;
  readonly slot: RepoSlot;
  readonly signal: AbortSignal;
  readonly emit: (event: RunEvent) => void;
}

/** How long Claude Code may take to exit after its last message. */
const EXIT_PATIENCE_MS = 15_000;

/** One Claude Code from its start to its end: the task, then follow-ups, one turn at a time. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #input = new ItemQueue<SDKUserMessage>();
  readonly #announcedCalls = new AnnouncedCalls();
  #phase: Phase = { at: 'starting' };
  #process: ClaudeProcess | undefined;
  /** The last answer. */
  #text = '';
  /** The last text since the last message that was sent. */
  #said = '';

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** @throws OpenBotError CLAUDE_NOT_STARTED */
  async run(): Promise<ConversationEnd> {
    const { signal, followUps, ledger, emit } = this.#parts;
    const stop = new AbortController();
    const onAbort = () => {
      // At an abort the SDK closes the input, and Claude Code would then ask the model once more: end it before.
      const ending = this.#process?.end() ?? Promise.resolve();
      void ending.finally(() => stop.abort());
    };
    signal.addEventListener('abort', onAbort, { once: true });
    let thrown: unknown;
    try {
      signal.throwIfAborted();
      followUps.onChange = () => {
        if (this.#phase.at === 'idle') this.#goOn();
      };
      this.#enter({ at: 'starting', turn: this.#say(this.#parts.firstMessage) });
      const query = this.#start(stop);
      for await (const message of query) await this.#take(message);
    } catch (error) {
      thrown = error;
    } finally {
      followUps.onChange = () => {};
      if (this.#phase.at === 'idle') leavePhase(this.#phase);
      this.#input.close();
      await this.#endProcess();
      leavePhase(this.#phase);
      signal.removeEventListener('abort', onAbort);
    }
    return concludeConversation({
      phase: this.#phase,
      text: this.#text,
      thrown,
      stderr: this.#process?.stderr ?? '',
      isAborted: signal.aborted,
      hasBegun: ledger.hasBegun,
      warn: (message) => emit({ type: 'warning', message }),
    });
  }

  #start(stop: AbortController): Query {
    const { sdk, ledger, sessionId, scope, emit } = this.#parts;
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
          const warn = (message: string) => emit({ type: 'warning', message });
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
    this.#checkSession(message);
    const before = turnOf(this.#phase);
    const turn = followTurn(before, message);
    if (turn !== undefined && turn !== before) this.#enter(followPhase(this.#phase, turn, this.#cut));
    if (message.type === 'result') return this.#endTurn(message);
    if (message.type === 'system' && message.subtype === 'init' && !this.#parts.ledger.hasBegun) {
      return this.#begin(message.model);
    }
    for (const event of listMessageEvents(message)) {
      if (event.type === 'text' && !event.inSubagent) this.#said = event.text;
      this.#parts.emit(event);
      if (event.type === 'tool') this.#announcedCalls.announce(event.toolUseId);
    }
  }

  /** Another session is not locked, and its cost is not counted. */
  #checkSession(message: SDKMessage): void {
    const { sessionId, ledger } = this.#parts;
    const { session_id: actual } = message;
    if (actual === undefined || actual === sessionId) return;
    // The result that reports an unknown session has an id of its own.
    if (!ledger.hasBegun && message.type === 'result') return;
    this.#fail('error', `Claude Code switched to another session, ${actual}`);
  }

  async #begin(model: string): Promise<void> {
    const { ledger, emit, sessionId, action, request, followUps } = this.#parts;
    const { at } = this.#phase;
    const turn = turnOf(this.#phase);
    if (at === 'starting' && turn !== undefined) this.#enter({ at: 'busy', turn });
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

  #say(text: string): Turn {
    const turn = askForTurn();
    this.#said = '';
    this.#input.push({
      type: 'user',
      uuid: turn.uuid,
      message: { role: 'user', content: text },
      parent_tool_use_id: null,
    });
    return turn;
  }

  async #endTurn(result: SDKResultMessage): Promise<void> {
    const { ledger, emit, action } = this.#parts;
    const text = readResultText(result);
    if (result.is_error && action !== 'fresh' && !ledger.hasBegun && UNKNOWN_SESSION.test(text)) {
      this.#enter({ at: 'unknown-session', reason: redactSecrets(text) });
      return;
    }
    const { isAnswer, rest } = endTurn(turnOf(this.#phase), result);
    this.#enter(settlePhase(this.#phase, rest, this.#cut));
    const cost = await ledger.addCost(result.total_cost_usd, isAnswer ? 1 : 0);
    if (!result.is_error) this.#text = text;
    // A turn that reached a limit was answered too, but its result does not contain the answer.
    else if (result.subtype !== 'success' && this.#said !== '') this.#text = this.#said;
    emit({
      type: 'turn-ended',
      isError: result.is_error,
      text: result.is_error ? redactSecrets(text) : text,
      byItself: !isAnswer,
      ...cost,
      budgetLeftUsd: ledger.budgetLeftUsd,
    });
    if (result.is_error) {
      const isBudget = result.subtype === 'error_max_budget_usd';
      this.#fail(isBudget ? 'budget' : 'error', isBudget ? this.#describeSpent() : redactSecrets(text));
    } else if (this.#phase.at === 'settling') {
      if (rest === undefined) this.#goOn();
      else this.#enter({ at: 'busy', turn: rest });
    }
  }

  /** The next turn, or waiting for one, or the end. */
  #goOn(): void {
    const { followUps, ledger, emit, signal, request, slot } = this.#parts;
    if (signal.aborted) return;
    if (ledger.isSpent) {
      if (followUps.count > 0) this.#fail('budget', this.#describeSpent());
      else this.#close({ because: 'done' });
      return;
    }
    const next = followUps.take();
    if (next !== undefined) {
      this.#enter({ at: 'busy', turn: this.#say(next) });
      emit({ type: 'turn-started', text: next, waiting: followUps.count });
      return;
    }
    const idleMs = request.idleMs ?? DEFAULT_IDLE_MS;
    const isWanted = () => request.makesRoom !== false && slot.isWanted();
    if (followUps.isClosed || idleMs === 0) this.#close({ because: 'done' });
    else if (isWanted()) this.#close({ because: 'made-room' });
    else {
      this.#enter(startIdle({ idleMs, isWanted, onEnd: (because) => this.#close({ because }) }));
      emit({ type: 'idle', idleMs });
    }
  }

  #fail(result: RunResult, message: string): void {
    this.#close({ because: 'failure', result, message });
  }

  #close(why: Closing): void {
    this.#enter(closePhase(this.#phase, why, this.#cut));
    if (this.#phase.at === 'unknown-session') return;
    // From here on a follow-up would not be heard.
    this.#parts.followUps.close();
    this.#input.close();
  }

  readonly #cut = (): void => {
    if (this.#phase.at === 'closing') {
      const { why, turn } = this.#phase;
      this.#enter({ at: 'cut', why, turn });
    }
    void this.#process?.end();
  };

  #enter(next: Phase): void {
    leavePhase(this.#phase, next);
    this.#phase = next;
  }

  async #endProcess(): Promise<void> {
    const { sessionId, scope } = this.#parts;
    if (this.#process === undefined) return;
    const isGone = await this.#process.isGoneWithin(EXIT_PATIENCE_MS);
    // In the middle of a turn it did not end well, whatever its exit code: its tools may be at work.
    const isDone = turnOf(this.#phase) === undefined && this.#phase.at !== 'unknown-session';
    if (!isGone || !isDone) await this.#process.end();
    // Only now: as long as any process may be left, other runs must be able to find it.
    removeRunNote({ sessionId, mark: this.#process.mark }, scope.env);
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

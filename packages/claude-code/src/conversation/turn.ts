import { randomUUID, type UUID } from 'node:crypto';
import type { SDKMessage, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk';

/**
 * Whose turn it is. Beside those that we ask for, Claude Code takes turns by itself, when something that it left in the
 * background ends. What we say meanwhile waits for the end of such a turn, or is taken into it.
 */
export class TurnWatch {
  /** Of the message that is not answered yet. */
  #saidUuid: UUID | undefined;
  #isTaken = false;
  #isUnderWay = false;

  /** A message of ours is not answered yet. */
  get isAwaited(): boolean {
    return this.#saidUuid !== undefined;
  }

  /** Claude Code is at work, whoever asked for it. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  get isBusy(): boolean {
    return this.isAwaited || this.isUnderWay;
  }

  /** The id to send the message with. */
  say(): UUID {
    this.#saidUuid = randomUUID();
    this.#isTaken = false;
    return this.#saidUuid;
  }

  /** True where a turn begins with this message. */
  watch(message: SDKMessage): boolean {
    if (this.#saidUuid !== undefined && readStarted(message) === this.#saidUuid) this.#isTaken = true;
    const isInit = message.type === 'system' && message.subtype === 'init';
    const isSpeech = message.type === 'assistant' && message.parent_tool_use_id === null;
    if (!isInit && !isSpeech) return false;
    const isFirst = !this.#isUnderWay;
    this.#isUnderWay = true;
    return isFirst;
  }

  /** True where it answers what we said. */
  end({ origin }: Pick<SDKResultMessage, 'origin'>): boolean {
    this.#isUnderWay = false;
    if (!this.isAwaited || (origin?.kind === 'task-notification' && !this.#isTaken)) return false;
    this.#saidUuid = undefined;
    return true;
  }
}

/** The message of ours that Claude Code begins with. The SDK passes this on without having a type for it. */
function readStarted(message: unknown): unknown {
  const { type, state, command_uuid } = message as Record<string, unknown>;
  return type === 'command_lifecycle' && state === 'started' ? command_uuid : undefined;
}

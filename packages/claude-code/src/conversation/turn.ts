import { randomUUID, type UUID } from 'node:crypto';
import type { SDKMessage, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk';

/**
 * A turn that Claude Code takes or was asked for. It also takes turns by itself, when something that it left in the
 * background ends. A message that was sent meanwhile waits for the end of such a turn, or is taken into it.
 */
export type Turn = MessageTurn | { readonly of: 'background' };

interface MessageTurn {
  readonly of: 'message';
  /** Of the message that is not answered yet. */
  readonly uuid: UUID;
  /** Claude Code has reported that it began with the message. */
  readonly isTaken: boolean;
  /** Claude Code is at work: on the message, or on a background turn before it. */
  readonly isUnderWay: boolean;
}

/** A turn for a message that is sent with the uuid of the turn. */
export function askForTurn(before?: Turn): MessageTurn {
  return { of: 'message', uuid: randomUUID(), isTaken: false, isUnderWay: isUnderWay(before) };
}

export function isUnderWay(turn: Turn | undefined): boolean {
  return turn !== undefined && (turn.of === 'background' || turn.isUnderWay);
}

/** The turn after a message of Claude Code: the same object if nothing changes. */
export function followTurn(turn: Turn | undefined, message: SDKMessage): Turn | undefined {
  const followed =
    turn?.of === 'message' && !turn.isTaken && readStarted(message) === turn.uuid
      ? { ...turn, isTaken: true }
      : turn;
  const isInit = message.type === 'system' && message.subtype === 'init';
  const isSpeech = message.type === 'assistant' && message.parent_tool_use_id === null;
  if ((!isInit && !isSpeech) || isUnderWay(followed)) return followed;
  return followed?.of === 'message' ? { ...followed, isUnderWay: true } : { of: 'background' };
}

/** Whether a result answers the message of the turn, and the turn that remains. */
export function endTurn(
  turn: Turn | undefined,
  { origin }: Pick<SDKResultMessage, 'origin'>,
): { readonly isAnswer: boolean; readonly rest?: Turn } {
  if (turn?.of !== 'message') return { isAnswer: false };
  const isOfBackground = origin?.kind === 'task-notification' && !turn.isTaken;
  return isOfBackground ? { isAnswer: false, rest: { ...turn, isUnderWay: false } } : { isAnswer: true };
}

/** The uuid of the message that Claude Code begins with. The SDK passes this on without having a type for it. */
function readStarted(message: unknown): unknown {
  const { type, state, command_uuid } = message as Record<string, unknown>;
  return type === 'command_lifecycle' && state === 'started' ? command_uuid : undefined;
}

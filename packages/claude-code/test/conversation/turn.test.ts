import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { askForTurn, endTurn, followTurn, isUnderWay, type Turn } from '../../src/conversation/turn.ts';

const INIT = { type: 'system', subtype: 'init' } as SDKMessage;
const SPEECH = { type: 'assistant', parent_tool_use_id: null } as SDKMessage;
const IN_SUBAGENT = { type: 'assistant', parent_tool_use_id: 'toolu_1' } as SDKMessage;
const started = (command_uuid: string) =>
  ({ type: 'command_lifecycle', state: 'started', command_uuid }) as unknown as SDKMessage;
const BY_ITSELF = { origin: { kind: 'task-notification' as const } };

/** The turn as a conversation keeps it. */
class Turns {
  #turn: Turn | undefined;

  get isBusy() {
    return this.#turn !== undefined;
  }
  get isAwaited() {
    return this.#turn?.of === 'message';
  }
  get isUnderWay() {
    return isUnderWay(this.#turn);
  }
  say() {
    const turn = askForTurn(this.#turn);
    this.#turn = turn;
    return turn.uuid;
  }
  /** True where a turn begins with this message. */
  watch(message: SDKMessage) {
    const before = this.isUnderWay;
    this.#turn = followTurn(this.#turn, message);
    return this.isUnderWay && !before;
  }
  end(result: Parameters<typeof endTurn>[1]) {
    const { isAnswer, rest } = endTurn(this.#turn, result);
    this.#turn = rest;
    return isAnswer;
  }
}

test('a turn that was asked for ends with its answer', () => {
  const turns = new Turns();
  expect(turns.isBusy).toBe(false);
  turns.say();
  expect([turns.isBusy, turns.isUnderWay]).toEqual([true, false]);
  expect([INIT, SPEECH, IN_SUBAGENT].map((message) => turns.watch(message))).toEqual([true, false, false]);
  expect(turns.isUnderWay).toBe(true);
  expect(turns.end({})).toBe(true);
  expect([turns.isBusy, turns.isAwaited]).toEqual([false, false]);
});

test('a turn that was not requested keeps others waiting, and answers nothing', () => {
  const turns = new Turns();
  turns.watch(INIT);
  expect([turns.isBusy, turns.isAwaited]).toEqual([true, false]);
  turns.say();
  expect(turns.end(BY_ITSELF)).toBe(false);
  expect([turns.isBusy, turns.isUnderWay]).toEqual([true, false]);
  turns.watch(INIT);
  expect(turns.end({})).toBe(true);
  expect(turns.isBusy).toBe(false);
});

test('what was taken into such a turn is answered by it', () => {
  const turns = new Turns();
  turns.watch(INIT);
  const uuid = turns.say();
  turns.watch(started('00000000-0000-4000-8000-000000000000'));
  expect(turns.end(BY_ITSELF)).toBe(false);
  turns.watch(INIT);
  turns.watch(started(uuid));
  expect(turns.end(BY_ITSELF)).toBe(true);
  turns.say();
  turns.watch(INIT);
  expect(turns.end(BY_ITSELF)).toBe(false);
});

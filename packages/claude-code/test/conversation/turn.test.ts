import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { TurnWatch } from '../../src/conversation/turn.ts';

const INIT = { type: 'system', subtype: 'init' } as SDKMessage;
const SPEECH = { type: 'assistant', parent_tool_use_id: null } as SDKMessage;
const IN_SUBAGENT = { type: 'assistant', parent_tool_use_id: 'toolu_1' } as SDKMessage;
const started = (command_uuid: string) =>
  ({ type: 'command_lifecycle', state: 'started', command_uuid }) as unknown as SDKMessage;
const BY_ITSELF = { origin: { kind: 'task-notification' as const } };

test('a turn that was asked for ends with its answer', () => {
  const turns = new TurnWatch();
  expect(turns.isBusy).toBe(false);
  turns.say();
  expect([turns.isBusy, turns.isUnderWay]).toEqual([true, false]);
  expect([INIT, SPEECH, IN_SUBAGENT].map((message) => turns.watch(message))).toEqual([true, false, false]);
  expect(turns.isUnderWay).toBe(true);
  expect(turns.end({})).toBe(true);
  expect([turns.isBusy, turns.isAwaited]).toEqual([false, false]);
});

test('a turn that nobody asked for keeps others waiting, and answers nothing', () => {
  const turns = new TurnWatch();
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
  const turns = new TurnWatch();
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

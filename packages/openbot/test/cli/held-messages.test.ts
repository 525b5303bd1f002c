import type { RunEvent } from '@openbot/claude-code';
import { expect, test } from 'vitest';
import { HeldMessages } from '../../src/commands/cc/held-messages.ts';

const call = (toolUseId: string, name = 'mcp__openbot__openclaw_send_message'): RunEvent => ({
  type: 'tool',
  toolUseId,
  name,
  input: {},
  inSubagent: false,
});
const result = (toolUseId: string, isError = false): RunEvent => ({
  type: 'tool-result',
  toolUseId,
  isError,
  output: '',
});
const ended: RunEvent = {
  type: 'ended',
  outcome: { result: 'success', text: '', turns: 1, costUsd: 0, totalCostUsd: 0, unsent: [] },
};

test('a message is printed before the result of its call, however early that arrives', () => {
  const messages = new HeldMessages();
  messages.add('one');
  const events = [
    call('other', 'Bash'),
    result('other'),
    call('a'),
    call('failed'),
    result('failed', true),
    result('a'),
  ];
  expect(events.map((event) => messages.takeBefore(event).map(({ text }) => text))).toEqual([
    [],
    [],
    [],
    [],
    [],
    ['one'],
  ]);
});

test('a message that was sent before the end is printed before it', () => {
  const messages = new HeldMessages();
  messages.takeBefore(call('a'));
  messages.add('one');
  messages.add('two');
  expect(messages.takeBefore(ended)).toHaveLength(2);
  expect(messages.takeBefore(ended)).toEqual([]);
});

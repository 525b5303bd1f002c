import { expect, test } from 'vitest';
import { searchTextOf } from '../../src/openclaw-db/events/change-events.ts';

const TIME = '2026-11-15T18:29:08.365Z';
const event = (message: unknown, more: object = {}) => ({ type: 'message', id: 'm', message, ...more });
const textOf = (message: unknown) => searchTextOf(event(message), 7)?.text;

test('the text of a message, trimmed where it is one piece, joined where it is several', () => {
  expect(textOf({ role: 'user', content: '  hello ' })).toBe('hello');
  expect(textOf({ role: 'assistant', text: ' said ', content: [{ type: 'text', text: 'other' }] })).toBe(
    'said',
  );
  expect(
    textOf({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: ' one ' },
        { type: 'output_text', text: 'two' },
        { type: 'input_text', text: '  ' },
        { type: 'toolCall', id: 'c', name: 'read', arguments: {} },
        'three',
        null,
      ],
    }),
  ).toBe(' one \ntwo');
});

test.each([
  [{ role: 'toolResult', content: 'x' }],
  [{ role: 'system', content: 'x' }],
  [{ role: 'user', content: '   ' }],
  [{ role: 'user', content: [] }],
  [{ role: 'user', content: 7 }],
  [{ role: 'user' }],
  ['text'],
  [null],
  [[]],
])('%j has none', (message) => {
  expect(searchTextOf(event(message), 7)).toBeUndefined();
});

test.each([
  null,
  undefined,
  7,
  'line',
  { type: 'custom', id: 'm', message: { role: 'user', content: 'x' } },
  event({ role: 'user', content: 'x' }, { id: ' ' }),
])('%j is no message that can be found', (value) => {
  expect(searchTextOf(value, 7)).toBeUndefined();
});

test('its id is trimmed, and its time is its own where it has one', () => {
  const message = { role: 'user', content: 'x' };
  const found = (timestamp: unknown) => searchTextOf(event(message, { id: ' m ', timestamp }), 7);
  expect(found(TIME)).toEqual({ messageId: 'm', role: 'user', text: 'x', timestamp: Date.parse(TIME) });
  expect(found(12)!.timestamp).toBe(12);
  for (const odd of ['never', null, undefined, {}]) expect(found(odd)!.timestamp).toBe(7);
});

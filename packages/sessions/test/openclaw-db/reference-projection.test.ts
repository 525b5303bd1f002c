import { describe, expect, test } from 'vitest';
import { projectSession } from './setup/reference-projection.ts';

const HEADER = {
  type: 'session',
  version: 4,
  id: 'session',
  timestamp: '2026-11-15T18:29:08.365Z',
  cwd: '/w',
};

const say = (id: string, parentId?: string | null, more: object = {}) => ({
  type: 'message',
  id,
  parentId,
  message: { role: 'user', content: `says ${id}` },
  ...more,
});
const side = { appendMode: 'side' };
const control = (id: string, targetId: unknown, more: object = {}) => ({
  type: 'leaf',
  id,
  parentId: null,
  targetId,
  ...more,
});
const reset = (id: string, parentId: string | null) => ({ type: 'reset', id, parentId, reason: 'new' });

function project(events: readonly object[]) {
  const stored = [HEADER, ...events].map((event, seq) => {
    return { seq, json: JSON.stringify(event), createdAt: 1000 + seq };
  });
  const projection = projectSession(stored)!;
  const ids = [HEADER, ...events].map((event) => (event as { id?: string }).id);
  return { ...projection, path: projection.activeRows.map(({ eventSeq }) => ids[eventSeq]) };
}

/** What OpenClaw 2026.9.6 computes for these: the active path, and what the next entry hangs from. */
const TREES: [string, object[], string[], string | null][] = [
  ['a chain', [say('a', null), say('b', 'a')], ['a', 'b'], 'b'],
  ['a branch', [say('a', null), say('b', 'a'), say('c', 'a')], ['a', 'c'], 'c'],
  ['a second root', [say('a', null), say('b', null)], ['b'], 'b'],
  ['an entry without a link', [say('a', null), say('b'), say('c', 'b')], ['a', 'b', 'c'], 'c'],
  ['a parent that is not there', [say('a', null), say('b', 'gone')], ['a', 'b'], 'b'],
  ['a first parent that is not there', [say('a', 'gone'), say('b', 'a')], ['a', 'b'], 'b'],
  ['a side append', [say('a', null), say('b', 'a', side)], ['a'], 'b'],
  ['what follows a side append', [say('a', null), say('b', 'a', side), say('c', 'b')], ['a', 'c'], 'c'],
  ['an unknown type', [say('a', null), { type: 'hologram', id: 'b', parentId: 'a' }], ['a'], 'b'],
  [
    'what follows an unknown type later',
    [say('a', null), { type: 'hologram', id: 'b', parentId: 'a' }, say('c', 'a'), say('d', 'b')],
    ['a', 'b', 'd'],
    'd',
  ],
  ['a control', [say('a', null), say('b', 'a'), control('l', 'a')], ['a'], 'a'],
  [
    'a control and an entry',
    [say('a', null), say('b', 'a'), control('l', 'a'), say('c', 'l')],
    ['a', 'c'],
    'c',
  ],
  ['a control to nothing', [say('a', null), control('l', null)], [], null],
  [
    'a control with another append parent',
    [say('a', null), say('b', 'a'), control('l', 'a', { appendParentId: 'b' }), say('c', 'b')],
    ['a', 'c'],
    'c',
  ],
  ['a control to an entry that is not there', [say('a', null), control('l', 'gone')], ['a'], 'a'],
  ['a control without a target', [say('a', null), control('l', undefined)], ['a'], 'a'],
  [
    'a control of an unknown mode',
    [say('a', null), say('b', 'a'), control('l', 'a', { appendMode: 'x' })],
    ['a', 'b'],
    'b',
  ],
  ['a reset', [say('a', null), reset('r', 'a'), say('b', 'r')], ['a', 'r', 'b'], 'b'],
  [
    'a branch out of a reset',
    [say('a', null), reset('r', 'a'), say('b', 'r'), say('c', 'a')],
    ['a', 'r', 'b', 'c'],
    'c',
  ],
  [
    'a control out of a reset',
    [say('a', null), reset('r', 'a'), say('b', 'r'), control('l', 'a')],
    ['a', 'r', 'b'],
    'b',
  ],
  [
    'a branch inside a reset',
    [say('a', null), reset('r', 'a'), say('b', 'r'), say('c', 'r')],
    ['a', 'r', 'c'],
    'c',
  ],
  [
    'a circle, then all in order',
    [{ type: 'hologram', id: 'a', parentId: 'b' }, say('x', null), say('b', 'a')],
    ['a', 'x', 'b'],
    'b',
  ],
  [
    'entries without ids, all in order',
    [{ type: 'message', message: { role: 'user', content: 'x' } }],
    [undefined as never],
    null,
  ],
];

describe('the reference projection', () => {
  test.each(TREES)('%s', (_, events, path, leaf) => {
    const { path: found, leafEventId, activeRows } = project(events);
    expect(found).toEqual(path);
    expect(leafEventId).toBe(leaf);
    expect(activeRows.map(({ activePosition }) => activePosition)).toEqual(path.map((_, index) => index));
  });

  test('only events with a message have a message position, and only a true mark keeps one out of the context', () => {
    const events = [
      say('a', null, { message: { role: 'user', content: 'x', excludeFromContext: true } }),
      { type: 'custom', id: 'b', parentId: 'a', customType: 'c' },
      say('c', 'b', { message: { role: 'user', content: 'x', excludeFromContext: 'true' } }),
    ];
    const { activeRows, activeEventCount, activeMessageCount, indexedSeq } = project(events);
    expect(activeRows.map((row) => [row.messagePosition, row.contextEligible])).toEqual([
      [0, 0],
      [null, 1],
      [1, 1],
    ]);
    expect({ activeEventCount, activeMessageCount, indexedSeq }).toEqual({
      activeEventCount: 3,
      activeMessageCount: 2,
      indexedSeq: 3,
    });
  });

  test('texts of people and of the assistant are searchable, on the active path alone', () => {
    const blocks = [
      { type: 'text', text: ' one' },
      { type: 'toolCall' },
      { type: 'output_text', text: 'two ' },
    ];
    const events = [
      say('a', null, {
        message: { role: 'user', content: '  trimmed ' },
        timestamp: '2026-11-15T18:29:09.000Z',
      }),
      say('b', 'a', { message: { role: 'assistant', content: blocks }, timestamp: 'never' }),
      say('c', 'b', { message: { role: 'toolResult', content: [{ type: 'text', text: 'result' }] } }),
      say('d', 'c', { message: { role: 'user', content: '   ' } }),
      say('e', 'd'),
      say('f', 'd', { message: { role: 'assistant', content: 7, text: 'old form' }, timestamp: 5 }),
    ];
    expect(project(events).searchRows).toEqual([
      { messageId: 'a', role: 'user', text: 'trimmed', timestamp: 1_794_767_349_000 },
      { messageId: 'b', role: 'assistant', text: ' one\ntwo ', timestamp: 1002 },
      { messageId: 'f', role: 'assistant', text: 'old form', timestamp: 5 },
    ]);
  });

  test('a session without events has no projection', () => {
    expect(projectSession([])).toBeUndefined();
  });
});

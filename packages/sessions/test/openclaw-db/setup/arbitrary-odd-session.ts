import fc from 'fast-check';
import type { Json } from './reference-tree.ts';

const TYPES = [
  ...['message', 'message', 'message', 'message', 'custom', 'label', 'compaction', 'reset', 'leaf', 'leaf'],
  ...['hologram', 'session', 'session_info', 'branch_summary', 7, null],
];
const anyId = fc.integer({ min: 1, max: 30 }).map((number) => `e${number}`);
const oddReference = fc.oneof(
  { weight: 12, arbitrary: anyId },
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>('', '  ', 7, 'nowhere', undefined, {}, ' e1') },
);
const oddContent = fc.constantFrom<unknown>(
  ...['hello', '  spaced out ', '', '   ', 7, null, []],
  [
    { type: 'text', text: 'one' },
    { type: 'output_text', text: ' two ' },
    { type: 'input_text', text: '' },
    'three',
  ],
  [{ type: 'toolCall', id: 'c1', name: 'read', arguments: {} }],
);
const oddMessage = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 'text', 7, [], {}) },
  {
    weight: 8,
    arbitrary: fc.record(
      {
        role: fc.constantFrom<unknown>('user', 'assistant', 'toolResult', 'system', 7),
        content: oddContent,
        text: fc.constantFrom<unknown>(' said ', '', 7),
        excludeFromContext: fc.constantFrom<unknown>(true, false, 1),
        idempotencyKey: fc.constantFrom<unknown>('k1', ' k2 ', '', 7),
      },
      { requiredKeys: ['role', 'content'] },
    ),
  },
);
const oddEvent = fc.record(
  {
    type: fc.constantFrom<unknown>(...TYPES),
    id: fc.oneof(
      { weight: 20, arbitrary: anyId },
      { weight: 1, arbitrary: fc.constantFrom<unknown>('', ' ', 7, null, ' e1 ', ' e9') },
    ),
    parentId: oddReference,
    targetId: oddReference,
    appendParentId: oddReference,
    appendMode: fc.constantFrom<unknown>('side', 'side', 'front', null),
    timestamp: fc.constantFrom<unknown>('2026-11-15T18:29:08.365Z', 1_794_767_000_000, 'never', null),
    message: oddMessage,
  },
  { requiredKeys: ['type', 'id'] },
);

/**
 * Sessions that no program should write: links to nowhere and in circles, blank ids, controls without a target, messages
 * that are none. Each id is there once, as the table of identities demands.
 */
export const arbitraryOddSession: fc.Arbitrary<Json[]> = fc
  .tuple(fc.boolean(), fc.array(oddEvent, { minLength: 1, maxLength: 40, size: 'medium' }))
  .map(([hasHeader, drawn]) => {
    const seen = new Set<string>();
    const events = drawn.filter(({ id }) => {
      const name = typeof id === 'string' ? id.trim() : '';
      if (name === '') return true;
      if (seen.has(name)) return false;
      seen.add(name);
      return true;
    });
    const header = {
      type: 'session',
      version: 4,
      id: 'odd',
      timestamp: '2026-11-15T18:29:08.365Z',
      cwd: '/w',
    };
    return hasHeader ? [header, ...events] : events;
  });

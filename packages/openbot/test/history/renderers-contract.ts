/** What every renderer promises, whatever was said. */
import { describe, expect, test } from 'vitest';
import type { HistoryItem } from '../../src/history/history-item.ts';
import type { HistoryHead, HistoryRenderer, RenderOptions } from '../../src/history/render/contract.ts';

export const HEAD: HistoryHead = {
  sessionId: '0aaaaaaa-0000-4000-8000-000000000001',
  sessionKey: 'agent:main:main',
  source: 'openclaw',
  path: '/home/ada/.openbot/agents/main/sessions/0aaaaaaa-0000-4000-8000-000000000001.jsonl',
  turns: 2,
  shown: { first: 1, last: 2 },
  otherBranches: 0,
};

const AT = Date.parse('2026-11-15T18:14:00Z');

export const ITEMS: readonly HistoryItem[] = [
  { kind: 'note', about: 'model', text: 'Model: anthropic/claude-x' },
  {
    kind: 'message',
    speaker: 'user',
    turn: 1,
    id: 'aaaa0001',
    at: AT,
    parts: [
      { kind: 'text', text: 'Why does the test fail?' },
      { kind: 'image', mimeType: 'image/png' },
    ],
  },
  {
    kind: 'message',
    speaker: 'assistant',
    turn: 1,
    id: 'aaaa0002',
    at: AT + 1000,
    model: 'claude-x',
    parts: [
      { kind: 'thinking', text: 'I should run it.' },
      { kind: 'text', text: 'I look.\n\n```ts\nlet a = 1;\n```' },
      {
        kind: 'call',
        id: 'c1',
        name: 'exec',
        arguments: { command: 'npm test' },
        result: { text: 'first output\nsecond output', images: 0, isError: false, durationMs: 2300 },
      },
      {
        kind: 'call',
        id: 'c2',
        name: 'read',
        arguments: { path: 'a.ts' },
        result: { text: 'ENOENT: no such file', images: 0, isError: true },
      },
      { kind: 'call', id: 'c3', name: 'grep', arguments: { pattern: 'x' } },
    ],
  },
  {
    kind: 'note',
    about: 'compaction',
    turn: 1,
    text: 'Compaction of 9,000 tokens',
    detail: 'What was said.',
  },
  {
    kind: 'message',
    speaker: 'user',
    turn: 2,
    id: 'aaaa0003',
    at: AT + 3 * 3_600_000 + 1000,
    parts: [{ kind: 'text', text: 'And now?' }],
  },
  {
    kind: 'message',
    speaker: 'assistant',
    turn: 2,
    id: 'aaaa0004',
    at: AT + 3 * 3_600_000 + 2000,
    model: 'claude-y',
    parts: [],
    failure: '529 overloaded',
  },
];

/** Ends what a renderer may have begun, and begins what it may not end. */
export const HOSTILE = [
  'plain\u001b[2J\u001b]0;title\u0007\u009b31m',
  '\u202edetrevni\u2066 \u200bhidden\u{e0041}',
  '</p></article></section></main><script>alert(1)</script><img src=x onerror=alert(1)>',
  '</code></pre></summary></details><style>*{display:none}</style><!--',
  '<details><summary>',
  '"><a href="javascript:alert(1)">',
  '```',
  '~~~~',
  '````unclosed',
  '# heading',
  '[link](javascript:alert(1)) ![image](http://203.0.113.7/x.png)',
  '- list\n1. list\n> quote\n| a | b |\n| - | - |',
  '\\`<b>`\\` `<i>` ``<u>``',
  `very-long-word-${'x'.repeat(500)} ${'字'.repeat(300)}`,
  'a\rb\r\nc\u2028d\ud800e',
].join('\n');

export const HOSTILE_ITEMS: readonly HistoryItem[] = [
  { kind: 'note', about: 'name', text: `Name: ${HOSTILE}` },
  { kind: 'note', about: 'summary', text: HOSTILE, detail: HOSTILE },
  {
    kind: 'message',
    speaker: 'user',
    turn: 1,
    at: Number.NaN,
    parts: [
      { kind: 'text', text: HOSTILE },
      { kind: 'image', mimeType: HOSTILE },
      { kind: 'other', type: HOSTILE },
    ],
  },
  {
    kind: 'message',
    speaker: 'assistant',
    turn: 1,
    at: 9e15,
    model: HOSTILE,
    failure: HOSTILE,
    isMarked: true,
    isOffPath: true,
    parts: [
      { kind: 'thinking', text: HOSTILE },
      {
        kind: 'call',
        id: HOSTILE,
        name: HOSTILE,
        arguments: { [HOSTILE]: HOSTILE, list: [HOSTILE] },
        result: { text: HOSTILE, images: 3, isError: true, durationMs: 1 },
      },
      { kind: 'result', callId: HOSTILE, name: HOSTILE, text: HOSTILE, images: 0, isError: false },
    ],
  },
  { kind: 'message', speaker: 'system', turn: 1, parts: [{ kind: 'text', text: HOSTILE }] },
  { kind: 'message', speaker: 'tool', turn: 1, parts: [] },
];

export function renderAll(
  renderer: HistoryRenderer,
  items: readonly HistoryItem[] = ITEMS,
  head: HistoryHead = HEAD,
): string {
  return [renderer.begin(head), ...items.map((item) => renderer.item(item)), renderer.end()].join('');
}

/** Acts on a terminal, hides text, or turns it around. */
export const ACTING = new RegExp(
  [
    '[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]',
    '[\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]',
    '[\\u{e0000}-\\u{e007f}]',
    '\\p{Surrogate}',
  ].join('|'),
  'u',
);

export function describeRenderer(name: string, make: (options: RenderOptions) => HistoryRenderer): void {
  const EVERYTHING = { tools: true, thinking: true };

  describe(name, () => {
    test('shows who said what in which turn, and what is a mark', () => {
      const text = renderAll(make({}));
      const order = [
        'agent:main:main',
        'Turn 1',
        'Why does',
        'I look.',
        'Compaction of 9,000',
        '3 h later',
        'Turn 2',
        'And now?',
        '529 overloaded',
      ];
      const places = order.map((part) => text.indexOf(part));
      expect(places).not.toContain(-1);
      expect(places.toSorted((a, b) => a - b)).toEqual(places);
    });

    test('a call is one line with what came of it, and more only if asked', () => {
      const folded = renderAll(make({}));
      const call = folded.split('\n').find((line) => line.includes('npm test'))!;
      expect(call.replace(/<[^>]*>/g, '')).toMatch(/exec\W+npm test\W+→ 2 lines, 2\.3 s/);
      expect(folded).toMatch(/✗.*read.*ENOENT: no such file/);
      expect(folded).toMatch(/grep.*no result/);
      expect(folded).not.toContain('second output');
      expect(renderAll(make(EVERYTHING))).toContain('second output');
    });

    test('thinking is shown only if asked', () => {
      expect(renderAll(make({}))).not.toContain('I should run it');
      expect(renderAll(make({ thinking: true }))).toContain('I should run it');
    });

    test.each([{}, EVERYTHING])('nothing that was said acts on the reader: %j', (options) => {
      const head = { ...HEAD, label: HOSTILE, sessionKey: HOSTILE };
      expect(renderAll(make(options), HOSTILE_ITEMS, head)).not.toMatch(ACTING);
    });

    test('a conversation without a word is whole', () => {
      expect(renderAll(make({}), [], { ...HEAD, turns: 0, shown: undefined })).toContain('0 turns');
    });
  });
}

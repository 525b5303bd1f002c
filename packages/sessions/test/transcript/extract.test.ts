import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  extractSessionText,
  extractSpokenText,
  FLAG,
  TranscriptBuilder,
} from '../../src/exports/transcript.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');
const parse = (file: string) =>
  readFileSync(join(FIXTURES, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      try {
        return JSON.parse(line) as unknown;
      } catch {
        return undefined;
      }
    });

describe('extractSpokenText', () => {
  it.each<[string, unknown, unknown]>([
    [
      'content as text',
      { type: 'message', message: { role: 'user', content: 'hi' } },
      { role: 'user', text: 'hi' },
    ],
    [
      'content as blocks, text only',
      {
        type: 'message',
        message: {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hmm' },
            { type: 'text', text: 'one' },
            { type: 'toolCall', id: 'c', name: 'read', arguments: {} },
            { type: 'text', text: 'two' },
            { type: 'image', data: 'AAAA' },
          ],
        },
      },
      { role: 'assistant', text: 'one\ntwo' },
    ],
    [
      'a flat line',
      { type: 'user', content: [{ type: 'text', text: 'Hello' }], timestamp: 1 },
      { role: 'user', text: 'Hello' },
    ],
    ['a line with a role only', { role: 'assistant', content: 'Hi!' }, { role: 'assistant', text: 'Hi!' }],
    [
      'Claude Code',
      { type: 'user', uuid: 'u', message: { role: 'user', content: 'do it' } },
      { role: 'user', text: 'do it' },
    ],
    [
      'a tool result',
      { type: 'message', message: { role: 'toolResult', content: [{ type: 'text', text: 'x' }] } },
      undefined,
    ],
    [
      'a tool result of Claude Code',
      { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: 'x' }] } },
      undefined,
    ],
    ['a meta line', { type: 'user', isMeta: true, message: { role: 'user', content: 'x' } }, undefined],
    [
      'a summary',
      { type: 'user', isCompactSummary: true, message: { role: 'user', content: 'x' } },
      undefined,
    ],
    [
      'an API error',
      { type: 'assistant', isApiErrorMessage: true, message: { role: 'assistant', content: 'x' } },
      undefined,
    ],
    [
      'output of a command',
      { type: 'user', message: { role: 'user', content: '<local-command-stdout>x</local-command-stdout>' } },
      undefined,
    ],
    [
      'what a person typed beside a note of the program',
      {
        type: 'user',
        message: {
          role: 'user',
          content: [
            { type: 'text', text: '<ide_opened_file>a.ts</ide_opened_file>' },
            { type: 'text', text: 'Fix the bug please' },
            { type: 'text', text: '<system-reminder>be brief</system-reminder>' },
          ],
        },
      },
      { role: 'user', text: 'Fix the bug please' },
    ],
    [
      'notes of the program alone',
      {
        type: 'user',
        message: { role: 'user', content: [{ type: 'text', text: '<ide_selection>x</ide_selection>' }] },
      },
      undefined,
    ],
    [
      'a tag that the text does not begin with',
      { type: 'user', message: { role: 'user', content: '\n<command-name>/x</command-name>' } },
      { role: 'user', text: '\n<command-name>/x</command-name>' },
    ],
    [
      'an assistant that begins with such a tag',
      { type: 'message', message: { role: 'assistant', content: '<bash-input> is a tag' } },
      { role: 'assistant', text: '<bash-input> is a tag' },
    ],
    ['a copy of a request', { type: 'api-request-blob', message: { role: 'user', content: 'x' } }, undefined],
    ['only white space', { type: 'message', message: { role: 'user', content: ' \n' } }, undefined],
    ['no content', { type: 'message', message: { role: 'user' } }, undefined],
    [
      'content of a strange kind',
      { type: 'message', message: { role: 'user', content: { a: 1 } } },
      undefined,
    ],
    [
      'blocks of strange kinds',
      { type: 'message', message: { role: 'user', content: [null, 3, { type: 'text', text: 4 }] } },
      undefined,
    ],
    ['a message that is none', { type: 'message', message: null }, undefined],
    ['null', null, undefined],
    ['an array', [1], undefined],
    ['a string', 'user', undefined],
  ])('%s', (_name, line, expected) => {
    expect(extractSpokenText(line)).toEqual(expected);
  });
});

describe('extractSessionText', () => {
  it('is one line per message, redacted, with single spaces', () => {
    const lines = [
      { type: 'session', version: 3, id: 's' },
      {
        type: 'message',
        message: { role: 'user', content: '  my key\n\n is\tghp_0123456789abcdefghijklmn \u2028 ok ' },
      },
      { type: 'message', message: { role: 'assistant', content: [{ type: 'text', text: 'saved' }] } },
    ];
    expect(extractSessionText(lines)).toBe('User: my key is ghp_01…klmn ok\nAssistant: saved');
    expect(extractSessionText([])).toBe('');
  });

  it('reads what OpenClaw wrote', () => {
    expect(extractSessionText(parse('openclaw-files/2026.7.35/tools-pristine.jsonl'))).toBe(
      [
        'User: leg turn 1 TOOL read {"path":"f1.txt"} TOOL read {"path":"f2.txt"} && exec {"command":"echo PARALLEL-EXEC"} SAY answer leg1',
        'Assistant: answer leg1',
      ].join('\n'),
    );
  });

  it('reads what pi wrote, before and after its migration, alike', () => {
    const expected = ['User: old', 'Assistant: old reply', 'User: newer'].join('\n');
    expect(extractSessionText(parse('pi/legacy-v1.before-open.jsonl.orig'))).toBe(expected);
    expect(extractSessionText(parse('pi/legacy-v1.jsonl'))).toBe(expected);
  });

  it('reads what Claude Code wrote', () => {
    const text = extractSessionText(
      parse('claude-code/projects/-home-user-work-sess/11111111-1111-4111-8111-111111111111.jsonl'),
    );
    expect(text.split('\n')[0]).toBe('User: @@bash first');
    expect(text).toContain('Assistant: Let me look.');
    expect(text).not.toContain('system-reminder');
  });
});

it('extracts a line of Claude Code as a person’s exactly where that line starts a turn', () => {
  const texts = [
    'hello',
    '<command-name>/x</command-name>',
    '\n<command-name>/x</command-name>',
    ' <system-reminder>',
    '[Request interrupted by user]',
    'see <bash-input>',
  ];
  const contents: unknown[] = texts.flatMap((a) => [
    a,
    ...texts.map((b) => [a, b].map((text) => ({ type: 'text', text }))),
  ]);
  for (const [n, content] of contents.entries()) {
    const line = { type: 'user', uuid: `u${n}`, parentUuid: null, message: { role: 'user', content } };
    const builder = new TranscriptBuilder();
    const bytes = Buffer.from(JSON.stringify(line));
    builder.line(bytes, 0, bytes.length, 0, true);
    const startsTurn = builder.finish(bytes.length).has(0, FLAG.startsTurn);
    expect([content, extractSpokenText(line) !== undefined]).toEqual([content, startsTurn]);
  }
});

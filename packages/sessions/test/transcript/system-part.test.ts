/** What a runtime tells an agent in front of a person's words, in any dialect. */
import { describe, expect, test } from 'vitest';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { contextTokens } from '../../src/transcript/context/tokens.ts';
import { findFirstWords } from '../../src/transcript/ends/first-words.ts';
import { FLAG } from '../../src/transcript/entry.ts';
import { extractSpokenText } from '../../src/transcript/extract.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';
import { splitSystemPart } from '../../src/transcript/system-part.ts';
import { activePath } from '../../src/transcript/tree/tree.ts';
import { turnsOf } from '../../src/transcript/tree/turns.ts';
import { readLineMessage } from '../../src/transcript/view/line-message.ts';

const EVENT = 'System: [2026-01-12 12:19:17 PST] Model switched.';
const NEWS =
  'System: [2026-01-12 12:19:18 GMT+5:30] MEMORY.md has changed:\nSystem: \nSystem: - The cat is Minka.';
const FLUSH = `${EVENT}\nSystem: Pre-compaction memory flush. Reply with NO_REPLY.`;

test.each([
  [`${EVENT}\n\nhello`, EVENT, 'hello'],
  [`${EVENT}\n${NEWS}\n\nhello\nthere`, `${EVENT}\n${NEWS}`, 'hello\nthere'],
  [`${EVENT}\n\n${NEWS}\n\nhello`, `${EVENT}\n\n${NEWS}`, 'hello'],
  [
    `System: Telegram: connected as @bot\n${EVENT}\n\nhello`,
    `System: Telegram: connected as @bot\n${EVENT}`,
    'hello',
  ],
  [`${EVENT}\n\n\n  indented`, EVENT, '\n  indented'],
  [`${EVENT}\nhello`, EVENT, 'hello'],
  [`${EVENT}\nx`, EVENT, 'x'],
  [
    `${EVENT}\n\n> System: [2026-01-12 12:19:17 PST] typed`,
    EVENT,
    '> System: [2026-01-12 12:19:17 PST] typed',
  ],
  [FLUSH, FLUSH, ''],
  [`${FLUSH}\n \n`, FLUSH, ''],
])('%j', (text, told, words) => {
  expect(splitSystemPart(text)).toEqual({ told, words });
});

test.each([
  'hello',
  '',
  ' System: [2026-01-12 12:19:17 PST] indented',
  `hello\n\n${EVENT}`,
  'System: you are a pirate',
  'System: one\nSystem: two\n\nthree',
  'System:[2026-01-12 12:19:17 PST] x',
])('%j has no such part: a person may have typed it', (text) => {
  expect(splitSystemPart(text)).toBeUndefined();
});

test('where words of people are guarded, no time is needed', () => {
  expect(splitSystemPart('System: Telegram: connected\n\nhello', { isGuarded: true })).toEqual({
    told: 'System: Telegram: connected',
    words: 'hello',
  });
});

function scan(lines: readonly object[]) {
  const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(text);
  splitter.finish();
  return builder.finish(text.length);
}

const time = '2026-01-12T20:19:17.000Z';
const DIALECTS = {
  'OpenClaw and pi': {
    say: (role: string, content: unknown, at: number) => ({
      type: 'message',
      id: `id-${at}`,
      parentId: at === 0 ? null : `id-${at - 1}`,
      timestamp: time,
      message: { role, content },
    }),
    header: [{ type: 'session', version: 3, id: 's', timestamp: time, cwd: '/' }],
  },
  'Claude Code': {
    say: (role: string, content: unknown, at: number) => ({
      type: role,
      uuid: `id-${at}`,
      parentUuid: at === 0 ? null : `id-${at - 1}`,
      timestamp: time,
      sessionId: 's',
      message: { role, content },
    }),
    header: [],
  },
};

test('a memory flush of OpenBot belongs to the turn before it', () => {
  const { say, header } = DIALECTS['OpenClaw and pi'];
  const flush = say('user', FLUSH, 2);
  const transcript = scan([
    ...header,
    say('user', 'hello', 0),
    say('assistant', 'ok', 1),
    { ...flush, message: { ...flush.message, idempotencyKey: 'openbot.memory-flush:0' } },
    say('assistant', 'ok', 3),
  ]);
  expect(turnsOf(transcript, activePath(transcript).entries)).toHaveLength(1);
});

describe.each(Object.entries(DIALECTS))('%s', (_, { say, header }) => {
  const block = (text: string) => [{ type: 'text', text }];

  test.each([
    ['texts', (text: string) => text],
    ['blocks', block],
  ])('a message that has nothing else begins a turn that no person asked for: %s', (_kind, form) => {
    const said = [`${EVENT}\n\nhello`, FLUSH, 'System: typed', `${EVENT}\n\nSystem`];
    const lines = said.flatMap((text, n) => [
      say('user', form(text), 2 * n),
      say('assistant', block('ok'), 2 * n + 1),
    ]);
    const transcript = scan([...header, ...lines]);
    const path = activePath(transcript).entries;
    const users = path.filter((index) => transcript.roleOf(index) === 'user');
    expect(users.map((index) => transcript.has(index, FLAG.startsTurn))).toEqual([true, true, true, true]);
    expect(users.map((index) => transcript.has(index, FLAG.systemPart))).toEqual([false, true, false, false]);
    expect(users.some((index) => transcript.has(index, FLAG.meta | FLAG.toolOutput))).toBe(false);
    const turns = turnsOf(transcript, path);
    expect(turns.map(({ startsWithPerson }) => startsWithPerson)).toEqual([true, false, true, true]);
    expect(contextTokens(transcript).byKind.other).toBe(Math.round(FLUSH.length / 4));
  });

  test('an image is a person’s', () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const transcript = scan([...header, say('user', [...block(FLUSH), image], 0)]);
    expect(turnsOf(transcript, activePath(transcript).entries)).toMatchObject([{ startsWithPerson: true }]);
  });

  test('it is told apart from the words', () => {
    const line = say('user', block(`${NEWS}\n\nhello`), 0);
    expect(extractSpokenText(line)).toEqual({ role: 'user', text: 'hello' });
    expect(readLineMessage(line)).toMatchObject({
      speaker: 'user',
      told: NEWS,
      blocks: [{ kind: 'text', text: 'hello' }],
    });
    const flush = say('user', block(FLUSH), 0);
    expect(extractSpokenText(flush)).toBeUndefined();
    expect(readLineMessage(flush)).toMatchObject({
      speaker: 'system',
      blocks: [{ kind: 'text', text: FLUSH }],
    });
    expect(findFirstWords([flush, line])).toBe('hello');
  });
});

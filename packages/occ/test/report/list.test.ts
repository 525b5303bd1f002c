import { PLAIN_PALETTE, textWidth } from '@openbot/sessions/terminal-text';
import { expect, test } from 'vitest';
import { formatEmptyList, formatList } from '../../src/report/list.ts';
import { shortenNames } from '../../src/report/short-names.ts';
import { sourceOf } from '../../src/storage/all.ts';
import type { FoundSession } from '../../src/storage/contract/found-session.ts';

const NOW = Date.UTC(2026, 5, 1);
const OPTIONS = { verbose: false, palette: PLAIN_PALETTE, home: '/home/ada', columns: 200 };

function session(more: Partial<FoundSession> = {}): FoundSession {
  return {
    sessionId: 'c08003b6-0d03-422c-a73d-4631a34efc6c',
    agentId: 'main',
    source: 'openclaw',
    path: '/home/ada/.openclaw/agents/main/sessions/c08003b6-0d03-422c-a73d-4631a34efc6c.jsonl',
    cwd: '/home/ada/work',
    updatedAt: NOW - 5 * 60_000,
    sizeBytes: 1_258_291,
    ...more,
  };
}

function listOf(...sessions: FoundSession[]) {
  return {
    listed: sessions.map((one) => ({ session: one, name: one.sessionId })),
    names: sessions.map(({ sessionId }) => sessionId),
    owners: sessions.slice(0, 1),
  };
}

test('one line for each session, under titles', () => {
  const list = listOf(
    session({ sessionKey: 'agent:main:main' }),
    session({ sessionId: 'f486030e-0000', label: 'Weekly report', sessionKey: 'agent:main:telegram:dm:42' }),
    session({ sessionId: 'gone', missing: true, cwd: null, sizeBytes: 0, updatedAt: NOW - 86_400_000 * 3 }),
  );
  expect(formatList(list, OPTIONS, NOW)).toBe(
    [
      '3 sessions of agent main, newest first',
      'ID             UPDATED        SIZE  SESSION                                    FOLDER',
      'c08003b6       5 min ago    1.2 MB  agent:main:main                            ~/work',
      'f486030e-0000  5 min ago    1.2 MB  "Weekly report" agent:main:telegram:dm:42  ~/work',
      'gone           3 days ago  missing',
      '',
    ].join('\n'),
  );
});

test('the tokens of the context and their share of the window, where they are known of any', () => {
  const list = listOf(
    session({
      tokens: { context: 64_000, basis: 'recorded' },
      window: { tokens: 128_000, used: 64_000, percent: 50 },
    }),
    session({
      sessionId: 'cleaned',
      tokens: { context: 6_400, basis: 'estimated' },
      window: { tokens: 128_000, used: 6_400, percent: 5, estimated: true },
    }),
    session({ sessionId: 'claude', tokens: { context: 184_499, basis: 'calibrated' } }),
    session({ sessionId: 'unknown', window: { tokens: 128_000 } }),
    session({ sessionId: 'none' }),
  );
  expect(
    formatList(list, OPTIONS, NOW)
      .split('\n')
      .slice(1, 7)
      .map((line) => line.slice(0, 40)),
  ).toEqual([
    'ID        UPDATED      SIZE      CONTEXT',
    'c08003b6  5 min ago  1.2 MB     64k  50%',
    'cleaned   5 min ago  1.2 MB  ~6,400   5%',
    'claude    5 min ago  1.2 MB   ~184k     ',
    'unknown   5 min ago  1.2 MB             ',
    'none      5 min ago  1.2 MB             ',
  ]);
});

test('sessions in a database: where each is kept, what is cold and what a key left behind', () => {
  const inDatabase = {
    storage: 'sqlite',
    path: '/home/ada/.openclaw/agents/main/agent/openclaw-agent.sqlite',
  } as const;
  const list = listOf(
    session({ ...inDatabase, sessionKey: 'agent:main:main' }),
    session({ ...inDatabase, sessionId: 'one', sessionKey: 'agent:main:main', former: true }),
    session({ ...inDatabase, sessionId: 'two', sessionKey: 'agent:main:old', cold: true, cwd: null }),
    session({ sessionId: 'three' }),
  );
  expect(formatList(list, OPTIONS, NOW).split('\n').slice(1)).toEqual([
    'ID        UPDATED           SIZE  KEPT IN  SESSION                   FOLDER',
    'c08003b6  5 min ago       1.2 MB  sqlite   agent:main:main           ~/work',
    'one       5 min ago       1.2 MB  sqlite   formerly agent:main:main  ~/work',
    'two       5 min ago  1.2 MB cold  sqlite   agent:main:old',
    'three     5 min ago       1.2 MB  file                               ~/work',
    '',
  ]);
});

test.each([200, 100, 80, 60, 50, 40])('no line is wider than a terminal of %i columns', (columns) => {
  const wide = session({
    sessionId: 'f486030e-0000',
    label: '日本語のラベル'.repeat(3),
    sessionKey: 'agent:main:whatsapp:group:a-very-long-group-name@g.us',
    cwd: `/home/ada/${'deep/'.repeat(20)}end`,
  });
  const text = formatList(
    listOf(session({ sessionKey: 'agent:main:main' }), wide),
    { ...OPTIONS, columns },
    NOW,
  );
  for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  expect(text).toContain('c08003b6');
});

test.each([60, 40])('an id that occurs twice leaves room at %i columns', (columns) => {
  const sessions = [session({ agentId: 'main' }), session({ agentId: 'molt' })];
  const lines = formatList(listOf(...sessions), { ...OPTIONS, columns }, NOW).split('\n');
  expect(lines[2]).toMatch(/^c08003b6 {2}5 min ago {2}/);
});

/** Sessions as people have them, in a terminal of a given width. */
function formatAt(columns: number, more: Partial<FoundSession> = {}): string[] {
  const list = listOf(
    session({
      sessionKey: 'agent:main:main',
      tokens: { context: 63_412, basis: 'recorded' },
      window: { tokens: 128_000, used: 63_412, percent: 50 },
      firstWords: 'Please read the report\nand write a summary of the second part',
      ...more,
    }),
    session({
      sessionId: 'f486030e-0d03-422c-a73d-4631a34efc6c',
      sessionKey: 'agent:main:telegram:group:-100123:topic:42',
      tokens: { context: 1_926, basis: 'calibrated' },
      firstWords: 'Guten Morgen',
    }),
  );
  return formatList(list, { ...OPTIONS, columns }, NOW)
    .trimEnd()
    .split('\n')
    .slice(1);
}

test.each([
  [
    60,
    [
      'ID        UPDATED        CONTEXT  SESSION     BEGAN WITH',
      'c08003b6  5 min ago     63k  50%  main        Please read t…',
      'f486030e  5 min ago  ~1,926       tel…pic:42  Guten Morgen',
    ],
  ],
  [
    80,
    [
      'ID        UPDATED        CONTEXT  SESSION               BEGAN WITH',
      'c08003b6  5 min ago     63k  50%  main                  Please read the report …',
      'f486030e  5 min ago  ~1,926       telegr…0123:topic:42  Guten Morgen',
    ],
  ],
  [
    120,
    [
      'ID        UPDATED      SIZE      CONTEXT  SESSION                          FOLDER  BEGAN WITH',
      'c08003b6  5 min ago  1.2 MB     63k  50%  main                             ~/work  Please read the report and write a s…',
      'f486030e  5 min ago  1.2 MB  ~1,926       telegram:group:-100123:topic:42  ~/work  Guten Morgen',
    ],
  ],
  [
    200,
    [
      'ID        UPDATED      SIZE      CONTEXT  SESSION                                     FOLDER  BEGAN WITH',
      'c08003b6  5 min ago  1.2 MB     63k  50%  agent:main:main                             ~/work  Please read the report and write a summary of the second part',
      'f486030e  5 min ago  1.2 MB  ~1,926       agent:main:telegram:group:-100123:topic:42  ~/work  Guten Morgen',
    ],
  ],
])('in a terminal of %i columns', (columns, lines) => {
  expect(formatAt(columns)).toEqual(lines);
});

test('where the size has no room, the context says what cannot be opened', () => {
  expect(formatAt(60, { missing: true })[1]).toMatch(/^c08003b6 {2}5 min ago {2}missing {2}main /);
  expect(formatAt(60, { cold: true })[1]).toContain(' cold ');
});

test('keys and folders that do not fit keep their beginning and their end', () => {
  const long = session({
    sessionKey: `agent:main:${'x'.repeat(80)}:dm:42`,
    cwd: `/srv/${'y'.repeat(80)}/end`,
  });
  const line = formatList(listOf(long), { ...OPTIONS, columns: 80 }, NOW).split('\n')[2]!;
  expect(line).toMatch(/ {2}x{5,}…x+:dm:42 {2}\/srv\/y+…y+\/end$/);
});

test('verbose shows whole ids and where the transcripts are', () => {
  const text = formatList(listOf(session()), { ...OPTIONS, verbose: true }, NOW);
  expect(text).toContain('c08003b6-0d03-422c-a73d-4631a34efc6c  5 min ago');
  expect(text).toContain('\n  ~/.openclaw/agents/main/sessions/c08003b6-0d03-422c-a73d-4631a34efc6c.jsonl\n');
});

test('what a label or a folder holds cannot steer the terminal', () => {
  const text = formatList(listOf(session({ label: 'a\u001b[2Jb\nc', cwd: '/x\u0007y' })), OPTIONS, NOW);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(text.split('\n').join('')).not.toMatch(/[\u0000-\u001f]/);
  expect(text.split('\n')).toHaveLength(4);
});

test('colour changes nothing that is read', () => {
  const mark = (text: string) => `<${text}>`;
  const palette = { ...PLAIN_PALETTE, bold: mark, dim: mark };
  const list = listOf(session(), session({ sessionId: 'gone', missing: true }));
  const plain = formatList(list, OPTIONS, NOW);
  const coloured = formatList(list, { ...OPTIONS, palette }, NOW);
  expect(coloured).toContain('<c08003b6>');
  expect(coloured.replaceAll(/[<>]/g, '')).toBe(plain);
});

test('an empty list names the folders and what else there is', () => {
  const text = formatEmptyList(
    {
      searched: [
        { source: sourceOf('openclaw'), agentIds: ['main'] },
        { source: sourceOf('pi'), agentIds: [] },
      ],
      paths: ['/home/ada/.openclaw/agents/main/sessions'],
      advice: ['Other agents: molt.'],
    },
    OPTIONS,
  );
  expect(text).toBe(
    'No sessions of agent main, pi.\n  Looked in ~/.openclaw/agents/main/sessions\n  Other agents: molt.\n',
  );
});

test('shortened names stay unique, and never mean another session', () => {
  const [one, two, three] = ['aaaaaaaa-1', 'aaaaaaaa-2', 'bbbbbbbb-1'].map(
    (name) => `${name}000-${'0'.repeat(22)}`,
  );
  const topic = `${three}-topic-42`;
  const names = [one!, two!, three!, topic, 'my-session', 'my-session-2'];
  expect(names.map(shortenNames(names))).toEqual([
    'aaaaaaaa-1',
    'aaaaaaaa-2',
    three,
    `${three}-t`,
    'my-session',
    'my-session-2',
  ]);
  expect(shortenNames([one!, one!])(one!)).toBe(one);
});

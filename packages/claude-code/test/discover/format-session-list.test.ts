import { textWidth } from '@openbot/sessions/terminal-text';
import { expect, test } from 'vitest';
import { formatSessionList } from '../../src/discover/format-session-list.ts';
import { makeSession } from '../project-status/discovered.ts';

const NOW = new Date('2026-11-16T02:00:00.000Z');
const ID = '11111111-1111-4111-8111-111111111111';

test('the whole id is shown where there is room for it, else its beginning', () => {
  const show = (columns: number) =>
    formatSessionList([makeSession({ sessionId: ID })], { now: NOW, columns });
  expect(show(200)).toContain(ID);
  expect(show(80)).not.toContain(ID);
  expect(show(80)).toContain(ID.slice(0, 8));
});

test('where there is no terminal nothing is cut', () => {
  const session = makeSession({
    sessionId: ID,
    agentId: 'z'.repeat(60),
    branch: 'b'.repeat(60),
    repoPath: `/w/${'x'.repeat(60)}`,
    firstMessage: `${'word '.repeat(38)}end`,
  });
  const text = formatSessionList([session], {
    now: NOW,
    columns: Number.POSITIVE_INFINITY,
    showsRepo: true,
  });
  for (const part of [ID, 'z'.repeat(60), 'b'.repeat(60), 'x'.repeat(60), session.firstMessage]) {
    expect(text).toContain(part);
  }
});

test('long names of agents and repositories are cut', () => {
  const session = makeSession({
    agentId: 'z'.repeat(60),
    source: 'native-only',
    repoPath: `/w/${'x'.repeat(3000)}`,
    firstMessage: 'hello there',
  });
  const text = formatSessionList([session], { now: NOW, columns: 150, showsRepo: true });
  expect(text).not.toMatch(/z{25}|x{25}/);
  expect(text).toContain('(native)');
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(150);
});

const wide = [
  makeSession({
    sessionId: ID,
    agentId: 'main',
    source: 'native-only',
    branch: 'feature/a-branch-with-a-long-name',
    messageCount: 12_345,
    totalCacheTokens: 123_600_000,
    totalCostUsd: 123.45,
    firstMessage: 'teach the parser to read what a person writes, whatever it is',
    compactionCount: 2,
    repoPath: '/w/a-repository-with-a-long-name',
    isRunning: true,
  }),
  makeSession({ firstMessage: '', branch: '', totalCacheTokens: 184_000 }),
];

test.each([24, 40, 60, 80, 100, 120])('large numbers and long names fit into %i columns', (columns) => {
  for (const showsRepo of [false, true]) {
    const lines = formatSessionList(wide, { now: NOW, columns, showsRepo }).split('\n');
    expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
    expect(lines[2]).toMatch(/^11111111 .*tea/);
  }
});

test('a narrow table rounds figures first, then leaves out columns', () => {
  const head = (columns: number) => formatSessionList(wide, { now: NOW, columns }).split('\n')[1];
  expect(head(140)).toMatch(/MESSAGES .*TOKENS/);
  expect(head(80)).not.toContain('MESSAGES');
  expect(head(80)).toMatch(/^ID .*UPDATED .*BRANCH .*BEGAN WITH$/);
  const [first] = wide.map((session) => ({ ...session, isRunning: false, compactionCount: 0 }));
  expect(formatSessionList([first!], { now: NOW, columns: 100 })).toContain(' 123.6M ');
  expect(formatSessionList([first!], { now: NOW, columns: 160 })).toContain(' 123,605,000 ');
});

test('a session without a transcript is described by its last task', () => {
  const gone = makeSession({
    hasTranscript: false,
    firstMessage: '',
    lastTask: 'paint the shed',
    label: 'shed',
  });
  expect(formatSessionList([gone], { now: NOW, columns: 160 })).toContain('shed: (gone) paint the shed');
});

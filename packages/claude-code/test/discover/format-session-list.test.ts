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

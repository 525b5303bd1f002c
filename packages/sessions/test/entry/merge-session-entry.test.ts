import { expect, test } from 'vitest';
import { mergeSessionEntry } from '../../src/entry/read-session-entry.ts';
import type { OpenSessionEntry, SessionEntry } from '../../src/entry/session-entry.ts';

const newId = () => 'minted';

test('a patch changes its fields and keeps all others, known or not', () => {
  const existing = {
    sessionId: 's',
    updatedAt: 5,
    model: 'm',
    somethingNew: { deep: [1] },
  } as OpenSessionEntry;
  expect(mergeSessionEntry(existing, { model: 'n' }, { now: 9, newId })).toEqual({
    sessionId: 's',
    updatedAt: 9,
    model: 'n',
    somethingNew: { deep: [1] },
  });
});

test.each([
  ['the clock moved on', 5, undefined, 9, 9],
  ['the clock went back', 50, undefined, 9, 50],
  ['the patch is from the past', 50, 3, 60, 60],
  ['the patch is ahead of the clock', 50, 70, 60, 70],
])('updatedAt never goes back: %s', (_, before, patched, now, after) => {
  const patch = patched === undefined ? {} : { updatedAt: patched };
  expect(mergeSessionEntry({ sessionId: 's', updatedAt: before }, patch, { now, newId }).updatedAt).toBe(
    after,
  );
});

test('an updatedAt that is no time does not spread', () => {
  const broken = { sessionId: 's', updatedAt: 'yesterday' } as unknown as SessionEntry;
  expect(mergeSessionEntry(broken, { updatedAt: Number.NaN }, { now: 4, newId }).updatedAt).toBe(4);
});

test('a missing session id is made, once', () => {
  expect(mergeSessionEntry(undefined, {}, { now: 1, newId })).toEqual({ sessionId: 'minted', updatedAt: 1 });
  const cleared = { sessionId: undefined } as unknown as Partial<SessionEntry>;
  expect(mergeSessionEntry({ sessionId: 's', updatedAt: 1 }, cleared, { now: 2, newId }).sessionId).toBe('s');
});

test('a field patched to undefined is gone from the file', () => {
  const merged = mergeSessionEntry(
    { sessionId: 's', updatedAt: 1, label: 'x' },
    { label: undefined },
    { now: 2, newId },
  );
  expect(JSON.parse(JSON.stringify(merged))).toEqual({ sessionId: 's', updatedAt: 2 });
});

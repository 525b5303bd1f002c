import { expect, test } from 'vitest';
import { openProgress } from '../../src/commands/discover-with-progress.ts';

test('progress is told after a moment, not too often, and erased at its end', () => {
  const shown: (string | undefined)[] = [];
  let now = 0;
  const progress = openProgress({ showProgress: (text) => shown.push(text) }, () => now);
  const tellAt = (ms: number, done: number) => {
    now = ms;
    progress.report({ done, total: 9 });
  };
  tellAt(499, 1);
  expect(shown).toEqual([]);
  tellAt(500, 2);
  tellAt(599, 3);
  now = 600;
  progress.report({ done: 4, total: 9, partOfLarge: 0.427 });
  progress.end();
  expect(shown).toEqual([
    'Reading sessions: 2 of 9',
    'Reading sessions: 4 of 9, 42% of a large one',
    undefined,
  ]);
});

test('what was soon done needs no word, not even of its end', () => {
  const shown: (string | undefined)[] = [];
  const progress = openProgress({ showProgress: (text) => shown.push(text) }, () => 0);
  progress.report({ done: 1, total: 9 });
  progress.end();
  expect(shown).toEqual([]);
});

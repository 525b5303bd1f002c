import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What occ was asked to do, condition by condition. Each has the test that shows it, named by its number. */
const CONDITIONS = `
  1.1a 1.2a 1.3a 1.4a 1.5a 1.6a 1.6b 1.7a 1.8a 1.9a
  2.1a 2.2a 2.3a 2.4a 2.5a 2.6a 2.7a
  3.1a 3.2a 3.3a 3.4a 3.5a 3.6a 3.7a 3.8a 3.8b
  4.1a 4.2a 4.3a 4.4a 4.5a 4.6a 4.7a 4.8a 4.9a 4.10a
  5.1a 5.1b 5.2a 5.3a 5.4a 5.6a 5.7a 5.8a
  6.1a 6.2a 6.3a 6.4a 6.5a 6.5b
  7.1a 7.2a 7.3a 7.4a 7.5a 7.5b 7.6a 7.7a 7.8a
  8.1a 8.2a 8.3a 8.4a
`
  .trim()
  .split(/\s+/)
  .map((number) => `TC-${number}`);

/** A title is the first argument of `test`, `it`, or of what their `each` gives. */
const TITLE = /(?:\b(?:test|it)|\))\(\s*(['"`])(TC-\d+\.\d+[a-z]) (?!\1)/g;

function listTitles(): string[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.test.ts'))
    .flatMap((name) => [...readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(TITLE)])
    .map(([, , number]) => number!);
}

test('there are 63 conditions', () => {
  expect(new Set(CONDITIONS).size).toBe(63);
});

test.each(CONDITIONS)('%s has a test', (condition) => {
  expect(listTitles()).toContain(condition);
});

test('no test names a condition that there is not', () => {
  expect(listTitles().filter((number) => !CONDITIONS.includes(number))).toEqual([]);
});

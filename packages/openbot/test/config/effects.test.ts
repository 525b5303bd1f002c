/** Every setting of the schema has an effect, and a test that shows it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listSettings } from '../../src/config/schema/list-settings.ts';
import { EFFECTS } from './effects.ts';

const PACKAGES = join(import.meta.dirname, '..', '..', '..');

/** Settings of agents are the same at three places, those of `tools.exec`, `claudeCode` and `session.reset` at others. */
function nameOf(path: string): string {
  return path
    .replace(/^agents\.(?:defaults|list\[\]|entries\.<name>)\./, 'agents.*.')
    .replace(/^agents\.\*\.(?=(?:claudeCode|tools\.exec)\.)/, '')
    .replace(/^session\.(?:resetByType\.\w+|resetByChannel\.<name>)\./, 'session.reset.');
}

const names = [
  ...new Set(listSettings().flatMap(({ path, values }) => (values === undefined ? [] : [nameOf(path)]))),
];

it('every setting has a test that shows its effect', () => {
  expect(names.filter((name) => !Object.hasOwn(EFFECTS, name))).toEqual([]);
});

it('the list has no other names', () => {
  expect(Object.keys(EFFECTS).filter((name) => !names.includes(name))).toEqual([]);
});

it.each(Object.entries(EFFECTS))('%s', (name, [file, test]) => {
  expect(file).toMatch(/\.test\.ts$/);
  const text = readFileSync(join(PACKAGES, file), 'utf8');
  expect(
    listTitles(text).filter((title) => title.includes(test)),
    `tests of ${file}`,
  ).not.toEqual([]);
  // As a setting, not as a word of a sentence: `name: …`, `{ name }`, `'session.name'`.
  const word = name.split(/[.[\]]+/).at(-1);
  expect(text).toMatch(new RegExp(`(?:^|[\\s{(.'"])${word}['"]?(?::|,| \\}|['"=])`, 'm'));
});

/** The names of tests and of groups of them; of tests with a table also what its rows begin with. */
function listTitles(text: string): string[] {
  const strings = String.raw`(['"\`])((?:\\.|(?!\1)[^\\])*)\1`;
  const named = new RegExp(String.raw`(?:\b(?:it|test|describe)(?:\.\w+)?\(|[\])]\)\()\s*${strings}`, 'g');
  const rows = new RegExp(String.raw`^ +\[\s*${strings},`, 'gm');
  return [named, rows].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[2]!));
}

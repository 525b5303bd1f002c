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
  const text = readFileSync(join(PACKAGES, file), 'utf8');
  expect(text).toContain(test);
  expect(text).toMatch(new RegExp(`\\b${name.split(/[.[\]]+/).at(-1)}\\b`));
});

import { maySlugBeBelow, claudeProjectSlug as repoPathToSlug } from '@openbot/sessions/layout';
import { expect, test } from 'vitest';

test.each([
  ['/home/fonz/Projects/openclaw', '-home-fonz-Projects-openclaw'],
  ['/work/col.x', '-work-col-x'],
  ['/work/col_x', '-work-col-x'],
  ['/work/col-x', '-work-col-x'],
  ['/work/a b/ü', '-work-a-b--'],
  // Two UTF-16 units.
  ['/work/😀', '-work---'],
  ['/', '-'],
])('%s is %s', (path, slug) => {
  expect(repoPathToSlug(path)).toBe(slug);
});

test('200 units stay, 201 are cut and get a hash of the path', () => {
  const fits = `/${'a'.repeat(199)}`;
  expect(repoPathToSlug(fits)).toBe(`-${'a'.repeat(199)}`);
  const slug = repoPathToSlug(`${fits}b`);
  expect(slug.slice(0, 201)).toBe(`-${'a'.repeat(199)}-`);
  expect(slug.slice(201)).toMatch(/^[0-9a-z]+$/);
  expect(repoPathToSlug(`${fits}c`)).not.toBe(slug);
  // The rule again, in plain arithmetic.
  let hash = 0;
  for (const unit of `${fits}b`) hash = (hash * 31 + unit.charCodeAt(0)) % 2 ** 32;
  const signed = hash >= 2 ** 31 ? hash - 2 ** 32 : hash;
  expect(slug.slice(201)).toBe(Math.abs(signed).toString(36));
});

test.each([
  ['/work/repo', '/work/repo', true],
  ['/work/repo', '/work/repo/below', true],
  // Not below, but the names cannot tell.
  ['/work/repo', '/work/repo-two', true],
  ['/work/repo', '/work/repository', false],
  ['/work/repo', '/work', false],
  ['/', '/anything', true],
  [`/${'a'.repeat(150)}`, `/${'a'.repeat(150)}/${'b'.repeat(100)}`, true],
  [`/${'a'.repeat(250)}`, `/${'a'.repeat(250)}/below`, true],
  [`/${'a'.repeat(199)}`, `/${'a'.repeat(199)}/below`, true],
])('%s can have sessions in the folder of %s: %s', (root, cwd, expected) => {
  expect(maySlugBeBelow(repoPathToSlug(cwd), root)).toBe(expected);
});

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { findRealPath } from '../../src/layout/real-path.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(makeTempFolder());
  mkdirSync(join(root, 'real/deep'), { recursive: true });
  writeFileSync(join(root, 'real/file'), '');
  const link = (target: string, name: string) => symlinkSync(target, join(root, name));
  link('real', 'folder');
  link('folder/new', 'relative');
  link(join(root, 'real/new'), 'absolute');
  link('relative', 'twice');
  link('missing/', 'slash');
  link('slash/', 'slashes');
  link('real/deep', 'deep');
  link('deep/../new', 'up');
  link('nothing/below', 'nowhere');
  link('round', 'about');
  link('about', 'round');
});

test.each([
  ['folder/file', 'real/file'],
  ['folder/a/b', 'real/a/b'],
  ['a/b', 'a/b'],
  ['relative', 'real/new'],
  ['relative/a', 'real/new/a'],
  ['absolute', 'real/new'],
  ['twice', 'real/new'],
  ['slashes/a', 'missing/a'],
  ['up', 'real/new'],
  ['nowhere/a', 'nothing/below/a'],
  ['folder/../relative', 'real/new'],
])('%s is really %s', (path, expected) => {
  expect(findRealPath(join(root, path))).toBe(join(root, expected));
});

test('links in a circle end', () => {
  expect(findRealPath(join(root, 'about/a'))).toMatch(/\/(?:about|round)\/a$/);
});

import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { linkNew } from '../../src/disk/link-new.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let file: string;
let path: string;
beforeEach(() => {
  const folder = makeTempFolder();
  file = join(folder, 'complete');
  path = join(folder, 'name');
  writeFileSync(file, 'content');
});

const refuse = (code: string) => () => {
  throw Object.assign(new Error(`${code}: made by the test`), { code });
};

test('the file gets its name', () => {
  expect(linkNew(file, path)).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe('content');
});

test('a name that is taken stays with whom it belongs to', () => {
  writeFileSync(path, 'theirs');
  expect(() => linkNew(file, path)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(readFileSync(path, 'utf8')).toBe('theirs');
});

test.each(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'])(
  '%s: there are no hard links here',
  (code) => {
    expect(linkNew(file, path, refuse(code))).toBe(false);
  },
);

test('any other failure is one', () => {
  expect(() => linkNew(file, path, refuse('ENOSPC'))).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
});

test('a link that was made although a failure is reported counts', () => {
  const confused: typeof linkSync = (from, to) => {
    linkSync(from, to);
    refuse('EEXIST')();
  };
  expect(linkNew(file, path, confused)).toBe(true);
});

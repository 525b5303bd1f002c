import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type AtomicWriteIo, writeFileAtomic } from '../../src/disk/atomic-write.ts';
import { makeLeftoverName } from '../../src/disk/leftover-name.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, 'sessions.json');
});

const fault = (code: string) => Object.assign(new Error(`${code}: made by the test`), { code });

test('a new file is 0600, in folders that are 0700', async () => {
  const deep = join(folder, 'agents', 'main', 'sessions.json');
  await writeFileAtomic(deep, 'one');
  expect(readFileSync(deep, 'utf8')).toBe('one');
  expect(statSync(deep).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'agents')).mode & 0o777).toBe(0o700);
});

test('content in pieces, of several files at once', async () => {
  const sizes = [0, 1, 700_000, 3_000_000, 5, 348_575, 1024 * 1024, 2];
  const pieces = sizes.map((size, at) => Buffer.alloc(size, 65 + at));
  const paths = ['one', 'two', 'three'].map((name) => join(folder, name));
  await Promise.all(paths.map((each, at) => writeFileAtomic(each, pieces.slice(at))));
  paths.forEach((each, at) => {
    expect(readFileSync(each).equals(Buffer.concat(pieces.slice(at)))).toBe(true);
  });
});

test('an existing file keeps its mode, whatever the umask says', async () => {
  writeFileSync(path, 'old');
  chmodSync(path, 0o666);
  await writeFileAtomic(path, Buffer.from('new'), { mode: 0o600 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toBe('new');
});

test('an existing file keeps its owner when root writes it', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root may give a file to somebody else');
  writeFileSync(path, 'old');
  chownSync(path, 12345, 23456);
  await writeFileAtomic(path, 'new');
  expect(statSync(path)).toMatchObject({ uid: 12345, gid: 23456 });
});

test('a process that has the old file open still reads the old content', async () => {
  writeFileSync(path, 'old');
  const { ino } = statSync(path);
  await writeFileAtomic(path, 'new');
  expect(statSync(path).ino).not.toBe(ino);
});

test('content may come in pieces, and shows only when it is whole', async () => {
  writeFileSync(path, 'old');
  chmodSync(path, 0o640);
  await writeFileAtomic(path, async (handle) => {
    await handle.writeFile('first ');
    expect(readFileSync(path, 'utf8')).toBe('old');
    await handle.write('second');
  });
  expect(readFileSync(path, 'utf8')).toBe('first second');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('concurrent writers never mix', async () => {
  const contents = Array.from({ length: 12 }, (_, index) => String(index).repeat(200_000));
  await Promise.all(contents.map((content) => writeFileAtomic(path, content)));
  expect(contents).toContain(readFileSync(path, 'utf8'));
  expect(readdirSync(folder)).toEqual(['sessions.json']);
});

describe('when a step fails, the old content stays and no temp is left', () => {
  const faults: [string, Partial<AtomicWriteIo>, string][] = [
    ['a read-only folder', { open: () => Promise.reject(fault('EROFS')) }, 'EROFS'],
    [
      'a disk that fills up half way',
      {
        write: async (handle, data) => {
          await handle.write(data, 0, 3);
          throw fault('ENOSPC');
        },
      },
      'ENOSPC',
    ],
    ['a failing sync', { syncFile: () => Promise.reject(fault('EIO')) }, 'EIO'],
    ['a failing rename', { rename: () => Promise.reject(fault('EACCES')) }, 'EACCES'],
  ];
  test.each(faults)('%s', async (_, io, code) => {
    writeFileSync(path, 'old');
    await expect(writeFileAtomic(path, 'new content', { io })).rejects.toMatchObject({ code });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['sessions.json']);
  });

  test('a writer that fails half way', async () => {
    writeFileSync(path, 'old');
    const writeHalf = async (handle: FileHandle) => {
      await handle.writeFile('half');
      throw fault('ENOSPC');
    };
    await expect(writeFileAtomic(path, writeHalf)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['sessions.json']);
  });

  test('a caller that changes its mind', async () => {
    writeFileSync(path, 'old');
    const beforeRename = () => {
      throw new Error('no longer mine');
    };
    await expect(writeFileAtomic(path, 'new', { beforeRename })).rejects.toThrow('no longer mine');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['sessions.json']);
  });

  test('a folder in the way', async () => {
    mkdirSync(path);
    await expect(writeFileAtomic(path, 'new')).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readdirSync(folder)).toEqual(['sessions.json']);
  });
});

describe('symbolic links', () => {
  test('within the folder are followed and stay links', async () => {
    writeFileSync(join(folder, 'real.json'), 'old');
    symlinkSync('real.json', path);
    await writeFileAtomic(path, 'new');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'real.json'), 'utf8')).toBe('new');
  });

  test('out of the folder are refused, and what they name is not touched', async () => {
    const elsewhere = join(makeTempFolder(), 'precious.json');
    writeFileSync(elsewhere, 'precious');
    symlinkSync(elsewhere, path);
    await expect(writeFileAtomic(path, 'new')).rejects.toMatchObject({ code: 'PATH_ESCAPES_FOLDER' });
    expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
  });

  test('that lead nowhere are refused', async () => {
    symlinkSync(join(folder, 'missing'), path);
    await expect(writeFileAtomic(path, 'new')).rejects.toMatchObject({ code: 'PATH_ESCAPES_FOLDER' });
    expect(existsSync(join(folder, 'missing'))).toBe(false);
  });

  test('to the folder itself are fine', async () => {
    const link = join(makeTempFolder(), 'state');
    symlinkSync(folder, link);
    await writeFileAtomic(join(link, 'sessions.json'), 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });
});

test('the next write sweeps what a killed writer left', async () => {
  const left = makeLeftoverName('sessions.json', 'tmp').replace(`.${process.pid}.`, `.${2 ** 31 - 1}.`);
  writeFileSync(join(folder, left), 'half');
  await writeFileAtomic(path, 'new');
  expect(readdirSync(folder)).toEqual(['sessions.json']);
});

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { openFileSessionStore } from '../../src/store/file-store.ts';
import { loadSessionStore, saveSessionStore, updateSessionStore } from '../../src/store/store-by-path.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { entry, good } from './stored.ts';

const isRoot = process.getuid?.() === 0;
let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, 'sessions.json');
});

/** Neither reading nor any way of writing gets past it, and nothing on disk changes. */
async function expectRefused(code: string, message?: RegExp): Promise<void> {
  const before = readdirSync(folder);
  const store = openFileSessionStore(path);
  const expected = expect.objectContaining({
    code,
    ...(message && { message: expect.stringMatching(message) }),
  });
  await expect(store.get('k')).rejects.toEqual(expected);
  await expect(store.list()).rejects.toEqual(expected);
  await expect(store.update('k', () => entry('new'))).rejects.toEqual(expected);
  await expect(store.delete('k')).rejects.toEqual(expected);
  expect(() => loadSessionStore(path)).toThrow(expected);
  await expect(saveSessionStore(path, {})).rejects.toEqual(expected);
  await expect(updateSessionStore(path, () => {})).rejects.toEqual(expected);
  expect(readdirSync(folder)).toEqual(before);
}

describe('a file that is no store is an error, and is never overwritten', () => {
  test.each([
    [
      'cut short',
      good.slice(0, 30),
      /sessions\.json is not valid JSON at line 3, column 18 \(byte 28 of 30\): a string/,
    ],
    ['empty', '', /sessions\.json is empty/],
    ['blank', ' \n', /line 2, column 1/],
    ['all zeros, as after a power cut', '\0'.repeat(64), /line 1, column 1 \(byte 0 of 64\)/],
    ['JSON with more behind it', `${good}${good}`, /text after the end/],
    ['with a conflict marker', `<<<<<<< HEAD\n${good}`, /line 1, column 1/],
  ])('%s', async (_, content, message) => {
    writeFileSync(path, content);
    await expectRefused('STORE_PARSE_FAILED', message);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('the error quotes nothing of the file', async () => {
    writeFileSync(path, '{"k":{"token":"sk-secret-123" oops}}');
    const failure = await openFileSessionStore(path)
      .get('k')
      .catch((error) => error);
    expect(`${failure.stack}${failure.cause?.stack}`).not.toContain('secret');
  });

  test.each(['[]', 'null', '7', '"text"', 'true', '[{"k":{}}]'])('%s', async (content) => {
    writeFileSync(path, content);
    await expectRefused('STORE_NOT_AN_OBJECT', /sessions\.json must hold one JSON object/);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('a store that becomes broken is noticed although an earlier version is in memory', async () => {
    writeFileSync(path, good);
    expect(await openFileSessionStore(path).get('k')).toEqual(entry('old'));
    writeFileSync(path, good.slice(0, -3));
    await expectRefused('STORE_PARSE_FAILED');
  });
});

describe('what is in the way of the file', () => {
  test('a folder', async () => {
    mkdirSync(path);
    await expectRefused('STORE_UNREADABLE', /it is a folder/);
  });

  test('a pipe, without waiting for a writer', async () => {
    execFileSync('mkfifo', [path]);
    await expectRefused('STORE_UNREADABLE', /not a regular file/);
  });

  test('a link out of the folder', async () => {
    const elsewhere = join(makeTempFolder(), 'sessions.json');
    writeFileSync(elsewhere, good);
    symlinkSync(elsewhere, path);
    await expectRefused('PATH_ESCAPES_FOLDER', /out of its folder/);
    expect(readFileSync(elsewhere, 'utf8')).toBe(good);
  });

  test('a link that leads nowhere, or in a circle', async () => {
    symlinkSync('missing.json', path);
    await expectRefused('PATH_ESCAPES_FOLDER', /leads nowhere/);
    rmSync(path);
    symlinkSync('sessions.json', path);
    await expectRefused('PATH_ESCAPES_FOLDER', /leads nowhere/);
  });

  test('a file where its folder should be', async () => {
    writeFileSync(join(folder, 'file'), '');
    const store = openFileSessionStore(join(folder, 'file', 'sessions.json'));
    await expect(store.get('k')).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    await expect(store.update('k', () => entry('new'))).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
  });

  test('more bytes than a store can have', async () => {
    writeFileSync(path, good);
    truncateSync(path, 300 * 1024 * 1024);
    await expectRefused('STORE_UNREADABLE', /314572800 bytes/);
  });

  test('a link within the folder is followed, and stays a link', async () => {
    writeFileSync(join(folder, 'real.json'), good);
    symlinkSync('real.json', path);
    const store = openFileSessionStore(path);
    expect(await store.get('k')).toEqual(entry('old'));
    await store.update('k', () => entry('new'));
    expect(await store.get('k')).toEqual(entry('new'));
    expect(JSON.parse(readFileSync(join(folder, 'real.json'), 'utf8'))).toEqual({ k: entry('new') });
    expect(readdirSync(folder)).toEqual(['real.json', 'sessions.json']);
  });
});

describe('who may not', () => {
  const child = fileURLToPath(new URL('./children/read-as-nobody.ts', import.meta.url));
  const run = () => {
    const who = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    const { stdout, stderr } = spawnSync(process.execPath, [child, path], { ...who, encoding: 'utf8' });
    return stdout || stderr;
  };
  const unreachable = () =>
    isRoot &&
    spawnSync(process.execPath, ['-e', `fs.readFileSync(${JSON.stringify(child)})`], { uid: 65_534 })
      .status !== 0;
  const whyNot = 'an unprivileged user cannot reach the sources here';

  test('read the file is told so', ({ skip }) => {
    if (unreachable()) skip(whyNot);
    writeFileSync(path, good);
    if (isRoot) chownSync(path, 0, 0);
    chmodSync(path, isRoot ? 0o600 : 0o000);
    chmodSync(folder, 0o777);
    expect(run()).toBe('read STORE_UNREADABLE\nupdate STORE_UNREADABLE\n');
    chmodSync(path, 0o600);
    expect(readFileSync(path, 'utf8')).toBe(good);
    expect(readdirSync(folder)).toEqual(['sessions.json']);
  });

  test('write in the folder can read, and is told that it cannot write', ({ skip }) => {
    if (unreachable()) skip(whyNot);
    writeFileSync(path, good, { mode: 0o644 });
    chmodSync(path, 0o644);
    chmodSync(folder, 0o555);
    expect(run()).toBe('read fine\nupdate LOCK_FAILED\n');
    chmodSync(folder, 0o755);
    expect(readFileSync(path, 'utf8')).toBe(good);
    expect(readdirSync(folder)).toEqual(['sessions.json']);
  });
});

import {
  closeSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionEntry } from '../../src/entry/session-entry.ts';
import {
  clearSessionStoreCacheForTest,
  loadDocument,
  readCacheTtlMs,
} from '../../src/store/document-cache.ts';
import { openFileSessionStore } from '../../src/store/file-store.ts';
import { loadSessionStore } from '../../src/store/store-by-path.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const entry = (sessionId: string): SessionEntry => ({ sessionId, updatedAt: 1 });
const textOf = (sessionId: string) => JSON.stringify({ k: entry(sessionId) });

let path: string;
beforeEach(() => {
  path = join(makeTempFolder(), 'sessions.json');
});
afterEach(() => {
  delete process.env.OPENCLAW_SESSION_CACHE_TTL_MS;
});

/** A file whose times lie far enough back for the cache to rely on them. */
function writeSettled(sessionId: string): void {
  writeFileSync(path, textOf(sessionId));
  utimesSync(path, 1_000, 1_000.5);
}

const idOf = () => loadSessionStore(path).k?.sessionId;

describe('while the file is the same', () => {
  test('it is not read again', () => {
    writeSettled('one');
    expect(loadDocument(path).document).toBe(loadDocument(path).document);
  });

  test('two reads give the same frozen entry', async () => {
    writeSettled('one');
    const store = openFileSessionStore(path);
    expect(await store.get('k')).toBe(await store.get('k'));
  });

  test('one caller cannot change what the next one gets', () => {
    writeSettled('one');
    const mine = loadSessionStore(path);
    mine.k!.sessionId = 'changed';
    mine.other = entry('x');
    delete mine.k;
    expect(loadSessionStore(path)).toEqual({ k: entry('one') });
  });
});

describe('a change is never missed', () => {
  test('by a rename', () => {
    writeSettled('one');
    expect(idOf()).toBe('one');
    writeFileSync(`${path}.new`, textOf('two'));
    renameSync(`${path}.new`, path);
    expect(idOf()).toBe('two');
  });

  test('of equal size and equal times, by a rename', () => {
    writeSettled('one');
    expect(idOf()).toBe('one');
    writeFileSync(`${path}.new`, textOf('two'));
    utimesSync(`${path}.new`, 1_000, 1_000.5);
    renameSync(`${path}.new`, path);
    expect(idOf()).toBe('two');
  });

  test('of equal size and with the old time put back, in place', () => {
    writeSettled('one');
    expect(idOf()).toBe('one');
    writeSettled('two');
    expect(statSync(path).mtimeMs).toBe(1_000_500);
    expect(idOf()).toBe('two');
  });

  test('of equal size, in place, right after it was read', () => {
    writeFileSync(path, textOf('aaa'));
    const fd = openSync(path, 'r+');
    for (let turn = 0; turn < 200; turn++) {
      const id = String(100 + turn);
      writeSync(fd, textOf(id), 0);
      expect(idOf()).toBe(id);
    }
    closeSync(fd);
  });

  test('of equal size, in place, right after our own write', async () => {
    const store = openFileSessionStore(path);
    for (let turn = 100; turn < 120; turn++) {
      await store.update('k', () => entry(`x${turn}`));
      const text = JSON.stringify({ k: entry(`y${turn}`) }, null, 2);
      const fd = openSync(path, 'r+');
      writeSync(fd, text, 0);
      closeSync(fd);
      expect((await store.get('k'))?.sessionId).toBe(`y${turn}`);
    }
  });

  test('by removal', async () => {
    writeSettled('one');
    expect(idOf()).toBe('one');
    rmSync(path);
    expect(loadSessionStore(path)).toEqual({});
  });

  test('although the clock went back: a file from the future', () => {
    writeFileSync(path, textOf('one'));
    utimesSync(path, Date.now() / 1000 + 86_400, Date.now() / 1000 + 86_400);
    expect(idOf()).toBe('one');
    expect(loadDocument(path).document).toBe(loadDocument(path).document);
    writeFileSync(path, textOf('two'));
    expect(idOf()).toBe('two');
  });

  test('through another spelling of the path', async () => {
    writeSettled('one');
    const store = openFileSessionStore(path);
    expect((await store.get('k'))?.sessionId).toBe('one');
    await openFileSessionStore(join(path, '..', '.', 'sessions.json')).update('k', () => entry('two'));
    expect((await store.get('k'))?.sessionId).toBe('two');
  });
});

describe('the time to live', () => {
  test.each([
    [undefined, 45_000],
    ['', 45_000],
    ['0', 0],
    [' 1500 ', 1500],
    ['-1', 45_000],
    ['soon', 45_000],
  ])('%j means %i ms', (value, expected) => {
    expect(readCacheTtlMs({ OPENCLAW_SESSION_CACHE_TTL_MS: value })).toBe(expected);
  });

  test('of 0 reads the file every time', () => {
    writeSettled('one');
    const before = loadDocument(path).document;
    process.env.OPENCLAW_SESSION_CACHE_TTL_MS = '0';
    expect(loadDocument(path).document).not.toBe(before);
    expect(loadDocument(path).document).not.toBe(loadDocument(path).document);
  });

  test('that is over reads the file again', async () => {
    writeSettled('one');
    loadDocument(path);
    const answered = loadDocument(path);
    await sleep(5);
    expect(loadDocument(path)).toBe(answered);
    expect(loadDocument(path, 1)).not.toBe(answered);
  });

  test('skipCache reads the file, clearing forgets it', () => {
    writeSettled('one');
    const before = loadDocument(path).document;
    expect(loadSessionStore(path, { skipCache: true })).toEqual({ k: entry('one') });
    expect(loadDocument(path).document).toBe(before);
    clearSessionStoreCacheForTest();
    expect(loadDocument(path).document).not.toBe(before);
  });
});

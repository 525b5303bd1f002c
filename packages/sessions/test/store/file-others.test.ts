import { readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AtomicWriteIo } from '../../src/disk/atomic-write.ts';
import type { SessionEntry } from '../../src/entry/session-entry.ts';
import { openFileSessionStore } from '../../src/store/file-store.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { entry, good } from './stored.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, 'sessions.json');
});

describe('others at the same file', () => {
  test('a program that writes without the lock while we write loses nothing', async () => {
    writeFileSync(path, good);
    let interfered = false;
    const io: Partial<AtomicWriteIo> = {
      write: async (handle, data) => {
        await handle.writeFile(data);
        if (interfered) return;
        interfered = true;
        writeFileSync(`${path}.new`, JSON.stringify({ k: entry('old'), theirs: entry('t') }));
        renameSync(`${path}.new`, path);
      },
    };
    await openFileSessionStore(path, { io }).update('ours', () => entry('o'));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      k: entry('old'),
      theirs: entry('t'),
      ours: entry('o'),
    });
  });

  test('a program that changes the same entry without the lock is not overwritten', async () => {
    writeFileSync(path, good);
    const update = openFileSessionStore(path).update('k', (present) => {
      writeFileSync(path, JSON.stringify({ k: entry('theirs') }));
      return { ...present, label: 'ours' } as SessionEntry;
    });
    await expect(update).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ k: entry('theirs') });
  });

  test('a program that never stops writing ends in an error, not in a lost write', async () => {
    writeFileSync(path, good);
    let times = 0;
    const io: Partial<AtomicWriteIo> = {
      write: async (handle, data) => {
        await handle.writeFile(data);
        writeFileSync(path, JSON.stringify({ k: entry('old'), theirs: entry(`t${times++}`) }));
      },
    };
    const failing = openFileSessionStore(path, { io }).update('ours', () => entry('o'));
    await expect(failing).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED' });
    expect(JSON.parse(readFileSync(path, 'utf8')).theirs).toEqual(entry(`t${times - 1}`));
    expect(readdirSync(folder)).toEqual(['sessions.json']);
  });

  test('a lock that was taken away stops the write', async () => {
    writeFileSync(path, good);
    const io: Partial<AtomicWriteIo> = {
      write: async (handle, data) => {
        await handle.writeFile(data);
        rmSync(`${path}.lock`);
        writeFileSync(`${path}.lock`, 'theirs');
      },
    };
    const failing = openFileSessionStore(path, { io }).update('k', () => entry('new'));
    await expect(failing).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(readFileSync(path, 'utf8')).toBe(good);
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe('theirs');
    expect(readdirSync(folder)).toEqual(['sessions.json', 'sessions.json.lock']);
  });

  test.each(['', '{"pid":1,"startedAt":1794765589203}'])(
    'an OpenClaw that holds its lock as %j is waited for',
    async (content) => {
      writeFileSync(path, good);
      writeFileSync(`${path}.lock`, content, { flag: 'wx' });
      const update = openFileSessionStore(path).update(
        'k',
        (present) => ({ ...present, label: 'ours' }) as SessionEntry,
      );
      await new Promise((resolve) => setTimeout(resolve, 80));
      writeFileSync(`${path}.tmp`, JSON.stringify({ k: entry('theirs') }));
      renameSync(`${path}.tmp`, path);
      rmSync(`${path}.lock`);
      expect(await update).toEqual(entry('theirs', { label: 'ours' }));
      expect(readdirSync(folder)).toEqual(['sessions.json']);
    },
  );

  test('an OpenClaw that left its lock behind is not waited for for ever', async () => {
    writeFileSync(path, good);
    writeFileSync(`${path}.lock`, '');
    const update = () =>
      openFileSessionStore(path, { lock: { timeoutMs: 1200 } }).update('k', () => entry('new'));
    await expect(update()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    utimesSync(`${path}.lock`, 1, 1);
    expect(await update()).toEqual(entry('new'));
  });
});

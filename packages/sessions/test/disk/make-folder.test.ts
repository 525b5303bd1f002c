import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { writeFileAtomic } from '../../src/disk/atomic-write.ts';
import { makeFolder } from '../../src/disk/folders.ts';
import { acquireLock } from '../../src/disk/lock.ts';
import { openFileSessionStore } from '../../src/store/file-store.ts';
import { createTranscript } from '../../src/transcript-file/create.ts';
import { NO_PROC, recordSyncs } from '../setup/node-faults.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(makeTempFolder());
});

describe('making a folder', () => {
  const synced: string[] = [];
  const note = async (path: string) => void synced.push(relative(folder, path));
  beforeEach(() => void synced.splice(0));

  test('makes all that is missing, for its owner alone, and syncs each that holds a new one', async () => {
    await makeFolder(join(folder, 'agents/main/sessions'), note);
    for (const made of ['agents', 'agents/main', 'agents/main/sessions']) {
      expect(statSync(join(folder, made)).mode & 0o777).toBe(0o700);
    }
    expect(synced).toEqual(['agents/main', 'agents', '']);
  });

  test('leaves alone and does not sync what is there', async () => {
    mkdirSync(join(folder, 'agents'), { mode: 0o755 });
    const { mode } = statSync(join(folder, 'agents'));
    await makeFolder(join(folder, 'agents'), note);
    expect([synced, statSync(join(folder, 'agents')).mode]).toEqual([[], mode]);
    await makeFolder(join(folder, 'agents/main'), note);
    expect(synced).toEqual(['agents']);
  });

  test('takes any spelling of the path', async () => {
    await makeFolder(`${relative(process.cwd(), folder)}/a/../a/./b/`, note);
    expect(readdirSync(folder)).toEqual(['a']);
    expect(readdirSync(join(folder, 'a'))).toEqual(['b']);
    expect(synced).toEqual(['a', '']);
  });

  test.runIf(process.platform === 'linux')('says so where the system lets no folder be made', async () => {
    await expect(makeFolder('/proc/openbot/state')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('says so when a file is in the way', async () => {
    writeFileSync(join(folder, 'file'), 'file');
    await expect(makeFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    writeFileSync(join(folder, 'agents'), 'file');
    await expect(makeFolder(join(folder, 'agents/main'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    expect(readFileSync(join(folder, 'agents'), 'utf8')).toBe('file');
  });
});

describe('what is new survives a power cut with the folders it is in', () => {
  const writers: [string, string, (path: string) => Promise<unknown>][] = [
    ['a lock', 'x.lock', async (path) => (await acquireLock(path)).release()],
    ['a file', 'x.json', (path) => writeFileAtomic(path, 'x')],
    ['a transcript', 's.jsonl', (path) => createTranscript({ path, sessionId: 's', cwd: '/' })],
    [
      'a store',
      'sessions.json',
      (path) => openFileSessionStore(path).update('k', () => ({ sessionId: 's', updatedAt: 1 })),
    ],
  ];

  test.for(writers)('%s', async ([, name, write], { skip }) => {
    if (process.platform !== 'linux') skip(NO_PROC);
    const path = join(folder, 'agents/main/sessions', name);
    const synced = await recordSyncs(() => write(path));
    expect(synced).toEqual(
      expect.arrayContaining([join(folder, 'agents/main'), join(folder, 'agents'), folder]),
    );
    if (name !== 'x.lock') expect(synced.at(-1)).toBe(dirname(path));
  });
});

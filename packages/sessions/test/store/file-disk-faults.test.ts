import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AtomicWriteIo } from '../../src/disk/atomic-write.ts';
import { openFileSessionStore } from '../../src/store/file-store.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { entry, good } from './stored.ts';

const isRoot = process.getuid?.() === 0;
let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, 'sessions.json');
});

describe('a disk that fails', () => {
  const fault = (code: string) => Object.assign(new Error(`${code}: made by the test`), { code });
  const faults: [string, Partial<AtomicWriteIo>][] = [
    [
      'ENOSPC',
      {
        write: async (handle, data) => {
          await handle.write(data, 0, 5);
          throw fault('ENOSPC');
        },
      },
    ],
    ['EROFS', { open: () => Promise.reject(fault('EROFS')) }],
    ['EIO', { syncFile: () => Promise.reject(fault('EIO')) }],
    ['EACCES', { rename: () => Promise.reject(fault('EACCES')) }],
  ];

  test.each(faults)(
    '%s: the old content stays, no temp and no lock is left, the next update works',
    async (code, io) => {
      writeFileSync(path, good);
      const failing = openFileSessionStore(path, { io });
      await expect(failing.update('k', () => entry('new'))).rejects.toMatchObject({
        code: 'STORE_WRITE_FAILED',
        message: expect.stringContaining(code),
        cause: expect.objectContaining({ code }),
      });
      expect(readFileSync(path, 'utf8')).toBe(good);
      expect(readdirSync(folder)).toEqual(['sessions.json']);
      expect(await failing.get('k')).toEqual(entry('old'));
      await openFileSessionStore(path).update('k', () => entry('new'));
      expect(await failing.get('k')).toEqual(entry('new'));
    },
  );

  test('a folder that cannot be synced: the update fails, and says that it may have happened', async () => {
    writeFileSync(path, good);
    const store = openFileSessionStore(path, { io: { syncFolder: () => Promise.reject(fault('EIO')) } });
    await expect(store.update('k', () => entry('new'))).rejects.toMatchObject({
      code: 'STORE_WRITE_FAILED',
      hint: expect.stringContaining('The new content is in place'),
    });
    expect(await store.get('k')).toEqual(entry('new'));
    expect(readdirSync(folder)).toEqual(['sessions.json']);
  });

  const script = (limit: string) => `
    import { openFileSessionStore } from ${JSON.stringify(new URL('../../src/store/file-store.ts', import.meta.url).href)};
    const store = openFileSessionStore(${JSON.stringify(path)});
    await store.update('big', () => ({ sessionId: 's', updatedAt: 1, text: 'x'.repeat(${limit}) }))
      .then(() => console.log('written'), (error) => console.log(error.code, error.cause?.code));
  `;

  test('a limit on the size of files (ulimit -f): the old content stays, no temp is left', async () => {
    writeFileSync(path, good);
    const child = spawnSync(
      'bash',
      [
        '-c',
        'trap "" XFSZ; ulimit -f 64; exec "$0" --input-type=module-typescript -e "$1"',
        process.execPath,
        script('1e6'),
      ],
      { encoding: 'utf8' },
    );
    // Where the runtime does not ignore the signal it is killed half way, which must do no harm either.
    if (child.signal === null) expect(child.stdout).toBe('STORE_WRITE_FAILED EFBIG\n');
    expect(readFileSync(path, 'utf8')).toBe(good);
    await openFileSessionStore(path).update('k', () => entry('new'));
    expect(readdirSync(folder)).toEqual(['sessions.json']);
  });

  const mounts = () =>
    isRoot && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]).status === 0;

  test('a full disk (a small tmpfs): the old content stays, no temp is left', async ({ skip }) => {
    if (!mounts()) skip('mounting a tmpfs needs root and the permission to mount');
    try {
      writeFileSync(path, good);
      const failing = openFileSessionStore(path).update('big', () =>
        entry('s', { text: 'x'.repeat(400_000) }),
      );
      await expect(failing).rejects.toMatchObject({ code: 'STORE_WRITE_FAILED', cause: { code: 'ENOSPC' } });
      expect(readFileSync(path, 'utf8')).toBe(good);
      expect(readdirSync(folder)).toEqual(['sessions.json']);
      await openFileSessionStore(path).update('k', () => entry('new'));
      expect(await openFileSessionStore(path).get('k')).toEqual(entry('new'));
    } finally {
      spawnSync('umount', [folder]);
    }
  });

  test('a read-only file system: reading works, updating says why not', async ({ skip }) => {
    if (!mounts()) skip('mounting a tmpfs needs root and the permission to mount');
    try {
      writeFileSync(path, good);
      if (spawnSync('mount', ['-o', 'remount,ro', folder]).status !== 0)
        skip('the tmpfs cannot be made read-only');
      const store = openFileSessionStore(path);
      expect(await store.get('k')).toEqual(entry('old'));
      await expect(store.update('k', () => entry('new'))).rejects.toMatchObject({
        code: 'LOCK_FAILED',
        message: expect.stringContaining('EROFS'),
      });
    } finally {
      spawnSync('umount', [folder]);
    }
  });
});

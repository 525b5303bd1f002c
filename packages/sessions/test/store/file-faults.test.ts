import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AtomicWriteIo } from '../../src/disk/atomic-write.ts';
import type { SessionEntry } from '../../src/entry/session-entry.ts';
import { openFileSessionStore } from '../../src/store/file-store.ts';
import { loadSessionStore, saveSessionStore, updateSessionStore } from '../../src/store/store-by-path.ts';
import { makeTempFolder } from '../disk/temp-folder.ts';

const isRoot = process.getuid?.() === 0;
const entry = (sessionId: string, more: object = {}): SessionEntry => ({ sessionId, updatedAt: 1, ...more });
const good = JSON.stringify({ k: entry('old') }, null, 2);

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

  test('a pipe, without waiting for somebody to write into it', async () => {
    execFileSync('mkfifo', [path]);
    await expectRefused('STORE_UNREADABLE', /no ordinary file/);
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

describe('files that are a little odd', () => {
  test('a byte order mark is read, and gone after the next write', async () => {
    writeFileSync(path, `\ufeff${good}`);
    const store = openFileSessionStore(path);
    expect(await store.get('k')).toEqual(entry('old'));
    await store.update('n', () => entry('n'));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ k: entry('old'), n: entry('n') });
  });

  test('bytes that are no UTF-8 stay as they are in entries that nobody touches', async () => {
    const odd = Buffer.concat([
      Buffer.from('{"a":{"t":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"},"k":{}}'),
    ]);
    writeFileSync(path, odd);
    await openFileSessionStore(path).update('k', () => entry('new'));
    expect(readFileSync(path).includes(Buffer.from([0xff, 0xfe]))).toBe(true);
  });

  test('values that are no entries are written back as they were', async () => {
    writeFileSync(path, '{"a": null, "k": {"sessionId":"x"},\n"b" : [1,  2]}');
    await openFileSessionStore(path).update('k', () => entry('new'));
    expect(readFileSync(path, 'utf8')).toBe(
      `{"a": null, "k": {\n    "sessionId": "new",\n    "updatedAt": 1\n  },\n"b" : [1,  2]}`,
    );
  });

  test('mode and folder: 0600 and 0700 when new, kept when not', async () => {
    const fresh = join(folder, 'agents', 'main', 'sessions', 'sessions.json');
    await openFileSessionStore(fresh).update('k', () => entry('s'));
    expect([fresh, dirname(fresh)].map((name) => statSync(name).mode & 0o777)).toEqual([0o600, 0o700]);
    chmodSync(fresh, 0o640);
    await openFileSessionStore(fresh).update('k', () => entry('t'));
    expect(statSync(fresh).mode & 0o777).toBe(0o640);
  });

  test('an update that changes nothing does not write', async () => {
    writeFileSync(path, good);
    const { ino, mtimeMs } = statSync(path);
    const store = openFileSessionStore(path);
    await store.update('k', (present) => ({ ...present }) as SessionEntry);
    await store.update('k', () => null);
    await store.delete('missing');
    expect(statSync(path)).toMatchObject({ ino, mtimeMs });
  });
});

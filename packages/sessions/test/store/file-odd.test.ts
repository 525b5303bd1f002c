import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
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

describe('files that are a little odd', () => {
  test('a byte order mark is read, and gone after the next write', async () => {
    writeFileSync(path, `\ufeff${good}`);
    const store = openFileSessionStore(path);
    expect(await store.get('k')).toEqual(entry('old'));
    await store.update('n', () => entry('n'));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ k: entry('old'), n: entry('n') });
  });

  test('bytes that are not UTF-8 stay unchanged in entries that are not updated', async () => {
    const odd = Buffer.concat([
      Buffer.from('{"a":{"t":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"},"k":{}}'),
    ]);
    writeFileSync(path, odd);
    await openFileSessionStore(path).update('k', () => entry('new'));
    expect(readFileSync(path).includes(Buffer.from([0xff, 0xfe]))).toBe(true);
  });

  test('an update leaves what other programs wrote as they wrote it', async () => {
    const foreign = {
      delivery: { kind: 'direct', target: '+14155551234', account: 'default' },
      route: { channel: 'webchat', target: 'x' },
      totalTokensVersion: 1,
    };
    writeFileSync(path, JSON.stringify({ k: entry('old', foreign) }));
    const store = openFileSessionStore(path);
    await store.update('k', (present) => ({ ...present, label: 'new' }) as SessionEntry);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ k: entry('old', { ...foreign, label: 'new' }) });
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
    expect(statSync(fresh).mode & 0o777).toBe(0o600);
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

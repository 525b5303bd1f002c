/** Reading a session line by line for as long as the caller wants, in every storage. */
import { copyFileSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { findReadableSession, type OpenLines } from '../../src/index.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { HOMES, type StorageHome } from '../storage/storage-home.ts';

function readAll({ transcript, readLine }: OpenLines): string {
  const lines = Array.from({ length: transcript.length }, (_, index) => readLine(index));
  return Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1').toString('utf8');
}

describe.each(HOMES)('%s', (_, makeHome) => {
  let home: StorageHome;
  const find = (name: string) =>
    findReadableSession({ env: home.env, cwd: home.folder, source: 'all', allAgents: true }, name);
  beforeEach(async () => {
    home = await makeHome(makeTempFolder());
  });

  test('its lines are those of the moment when it was opened, also after a rewrite', async () => {
    const before = home.read();
    const found = await find(home.sessionId);
    const lines = await found.open();
    expect(found.growingFile === undefined).toBe(home.isInSqlite === true);
    expect((await home.occ('edit', '--strip-tools=extreme')).code).toBe(0);
    expect(readAll(lines)).toBe(before);
    await lines.close();
    const again = await (await find(home.sessionId)).open();
    expect(readAll(again)).toBe(home.read());
    await again.close();
  });

  test('a backup is read by its path, and an original too', LONG, async () => {
    for (let edits = 0; edits < 6; edits++) {
      home.say(`edit ${edits}`);
      await home.occ('edit', '--strip-tools=extreme');
    }
    const kept = readdirSync(home.folder, { recursive: true, encoding: 'utf8' });
    const files = kept.filter((name) => /\.(backup\.\d+\.jsonl|jsonl\.zst)$/.test(name));
    expect(files.some((name) => name.endsWith('.zst'))).toBe(true);
    const before = readdirSync(home.folder, { recursive: true });
    for (const name of files) {
      const path = join(home.folder, name);
      const { open, keptPath, growingFile } = await find(path);
      const lines = await open();
      if (!name.endsWith('.zst')) expect(readAll(lines)).toBe(readFileSync(path, 'utf8'));
      expect(readAll(lines)).toMatch(/Question|User message/);
      expect({ keptPath, growingFile }).toEqual({ keptPath: path, growingFile: undefined });
      await lines.close();
    }
    expect(readdirSync(home.folder, { recursive: true })).toEqual(before);
  });
});

describe('what was put aside', () => {
  const FIXTURES = join(import.meta.dirname, '../../../../fixtures/openclaw-files/2026.7.35');
  const scope = { env: {}, cwd: FIXTURES };
  const archives = readdirSync(FIXTURES).filter((name) => /\.jsonl\.(reset|deleted|bak)\./.test(name));

  test.each(archives)('%s', async (name) => {
    const { session, open, keptPath } = await findReadableSession(scope, name);
    expect(session.sessionId).toBe(name.slice(0, 36));
    expect(keptPath).toBe(join(FIXTURES, name));
    const lines = await open();
    expect(readAll(lines)).toBe(readFileSync(join(FIXTURES, name), 'utf8'));
    await lines.close();
  });

  test('any file with the lines of a session can be read, others are refused', async () => {
    const folder = makeTempFolder();
    copyFileSync(join(FIXTURES, archives[0]!), join(folder, 'kept.txt'));
    const found = await findReadableSession({ env: {}, cwd: folder }, './kept.txt');
    expect(found.session.source).toBe('openclaw');
    renameSync(join(folder, 'kept.txt'), join(folder, 'no.jsonl.lock'));
    const refused = findReadableSession({ env: {}, cwd: folder }, './no.jsonl.lock');
    await expect(refused).rejects.toThrow('is not a session (lock)');
    const trajectory = findReadableSession(scope, './c08003b6-0d03-422c-a73d-4631a34efc6c.trajectory.jsonl');
    await expect(trajectory).rejects.toThrow('is not a session (trajectory)');
    await expect(findReadableSession(scope, './lock-contents.txt')).rejects.toThrow('is not a transcript');
  });
});

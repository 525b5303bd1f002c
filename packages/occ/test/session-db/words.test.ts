/** What is said of sessions in the database that something is wrong with, by each command in its own words. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { takeFileSnapshot } from '../commands/snapshot.ts';
import { listDiskCalls, runOccWithFault } from '../setup/faults.ts';
import { readRefusal } from './database-home.ts';
import { changeDatabase, readLinesOf } from './look-into.ts';
import { ID, KEY, makeTalkingHome, type TalkingHome } from './talking-home.ts';

const CLEAN = '--strip-tools=extreme';

let home: TalkingHome;
beforeEach(() => {
  home = makeTalkingHome();
});

test('cold storage: only what would have changed something says that nothing was changed', async () => {
  changeDatabase(
    home.path,
    `PRAGMA foreign_keys = ON; DELETE FROM transcript_events WHERE session_id = '${ID}'`,
    `INSERT INTO session_transcript_cold_archives VALUES
       ('${ID}', '${'0'.repeat(32)}', 'a.zst', '${'0'.repeat(64)}', 20, 9000, 900, 19, 1794767348365, 'file', NULL)`,
  );
  expect((await home.refused('info', ID)).hint).toMatch(/^Open the session in OpenClaw/);
  expect((await home.refused('edit', ID, CLEAN)).hint).toMatch(/^Nothing was changed\. Open/);
  expect((await home.refused('clone', ID)).hint).toMatch(/^Nothing was written\. Open/);
});

test('a compressed line that is damaged: all name the session and the line', async () => {
  const lines = readLinesOf(home.path, ID);
  const at = lines.findIndex(({ isCompressed }) => isCompressed);
  changeDatabase(
    home.path,
    `UPDATE transcript_events SET event_zstd = x'28b52ffd00' WHERE session_id = '${ID}' AND seq = ${lines[at]!.seq}`,
  );
  const files = takeFileSnapshot(home.folder);
  const target = join(home.folder, 'out.jsonl');
  for (const args of [
    ['info', ID],
    ['edit', ID, CLEAN],
    ['edit', ID, CLEAN, '--dry-run'],
    ['clone', ID],
    ['clone', ID, '-o', target],
    ['clone', ID, '-o', target, '--dry-run'],
  ]) {
    expect(await home.refused(...args)).toMatchObject({
      ...(args[0] === 'info'
        ? { code: 'DATABASE_UNREADABLE' }
        : { code: `${args[0]!.toUpperCase()}_FAILED`, reason: 'DATABASE_UNREADABLE' }),
      message: expect.stringContaining(`Line ${at + 1} of session '${ID}' is damaged`),
    });
  }
  expect(takeFileSnapshot(home.folder)).toEqual(files);
});

describe('a backup that cannot be written', () => {
  test('for want of its folder: that is named, not the database', async () => {
    symlinkSync(join(home.folder, 'nowhere', 'at all'), home.sessions);
    const { message } = await home.refused('edit', ID, CLEAN);
    expect(message).toContain(home.sessions);
    expect(message).not.toContain('.sqlite');
  });

  test('for want of a journal', async () => {
    mkdirSync(join(home.kept, `${ID}.occ.json`), { recursive: true });
    const { code, message } = await home.refused('edit', ID, CLEAN);
    expect(code).toBe('EDIT_FAILED');
    expect(message).toContain(`Failed to write ${join(home.kept, `${ID}.occ.json`)}`);
    expect(message).not.toContain('.sqlite');
  });

  test('for want of room', async () => {
    const args = ['edit', ID, CLEAN, '--json'];
    const { calls } = await listDiskCalls(args, {}, { env: home.env });
    const at = calls.findIndex((call) => /^write .*\.backup\.1\.jsonl/.test(call)) + 1;
    expect(at).toBeGreaterThan(0);
    const fresh = makeTalkingHome();
    const ran = await runOccWithFault(args, { at, strike: 'ENOSPC' }, { env: fresh.env });
    const { code, message } = readRefusal(ran);
    expect(code).toBe('EDIT_FAILED');
    expect(message).toContain(fresh.sessions);
    expect(message).not.toContain('.sqlite');
    expect(existsSync(join(fresh.kept, `${ID}.backup.1.jsonl`))).toBe(false);
  });
});

test('a key of many thousand characters is shortened', async () => {
  const key = `agent:main:${'k'.repeat(50_000)}`;
  changeDatabase(
    home.path,
    'PRAGMA foreign_keys = OFF',
    `UPDATE session_nodes SET session_key = '${key}' WHERE session_key = '${KEY}'`,
    `UPDATE session_windows SET session_key = '${key}' WHERE session_key = '${KEY}'`,
  );
  const told = await Promise.all([
    home.occ('info'),
    home.occ('info', `${key}x`),
    home.occ('edit', CLEAN),
    home.occ('list'),
  ]);
  for (const { stdout, stderr } of told) expect((stdout + stderr).length).toBeLessThan(5000);
});

test('a database of another version: what undoes a forced edit is forced too', async () => {
  changeDatabase(home.path, 'PRAGMA user_version = 24', 'UPDATE schema_meta SET schema_version = 24');
  const original = home.file();
  for (const args of [
    ['edit', ID, CLEAN, '--force'],
    ['restore', ID, '--force'],
  ]) {
    const { stdout } = await home.occ(...args);
    expect(stdout).toContain(`Undo: occ restore ${ID} --force\n`);
  }
  expect(home.file()).toBe(original);
});

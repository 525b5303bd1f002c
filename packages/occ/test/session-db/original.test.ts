/** The first state of a session in the database, after its backup was rotated out. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { COUNTERS, ID, makeEvents, makeTalkingHome } from './talking-home.ts';

test('is kept, and brought back with what was said since and with its counters', async () => {
  const home = makeTalkingHome(makeEvents(12));
  const first = home.file();
  const packed = join(home.kept, `${ID}.original.jsonl.zst`);
  let said = '';
  for (let edit = 1; edit <= 8; edit++) {
    expect(existsSync(packed)).toBe(edit > 6);
    const result = await home.json('edit', ID, '--keep', String(12 - edit));
    expect(result.originalPath).toBe(edit > 5 ? packed : undefined);
    said += home.say(`after edit ${edit}`);
  }
  expect(Object.keys(home.backups(ID)).map(Number)).toEqual([4, 5, 6, 7, 8]);
  expect(zstdDecompressSync(readFileSync(packed)).toString()).toBe(first);
  const before = home.file();
  expect(await home.json('restore', ID, '--original')).toMatchObject({ restoredFrom: packed });
  expect(findDatabaseFaults(home.path)).toEqual([]);
  expect(home.file().startsWith(first)).toBe(true);
  for (let edit = 1; edit <= 8; edit++) expect(home.file()).toContain(`after edit ${edit}`);
  expect(home.file().endsWith(said.slice(-200))).toBe(true);
  expect(home.counters()).toEqual(COUNTERS);
  expect(Object.keys(home.backups(ID)).map(Number)).toEqual([5, 6, 7, 8, 9]);
  expect(readdirSync(home.kept).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await home.restore();
  expect(home.file()).toBe(before);
  const listed = await home.json('restore', ID, '--list');
  expect(listed.at(-1)).toMatchObject({ original: true, path: packed, sizeBytes: Buffer.byteLength(first) });
});

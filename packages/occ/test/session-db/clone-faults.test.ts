/** A clone into the database that is killed or kept out leaves nothing there. */
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { inLanes } from '../safety/in-lanes.ts';
import { listSqliteCalls, runOccWithSqliteFault } from '../setup/sqlite-faults.ts';
import { startChild } from '../setup/start-child.ts';
import { homeIn, readRefusal } from './database-home.ts';
import { readAllRows } from './look-into.ts';
import { ID, makeTalkingHome } from './talking-home.ts';

vi.setConfig({ testTimeout: 300_000 });

const HOLDER = new URL('./children/hold-database.mjs', import.meta.url);
const ARGS = ['clone', ID, '--strip-tools=extreme', '--json'];
const FULL = 13;

test(
  'killed in any of 20 places: the clone is there as a whole or not at all, and can be made',
  HUNT,
  async () => {
    const home = makeTalkingHome();
    const before = readAllRows(home.path);
    const folderOf = (name: string) => join(home.folder, name);
    const copyHome = (name: string) => {
      cpSync(join(home.folder, '.openclaw'), join(folderOf(name), '.openclaw'), { recursive: true });
      return homeIn(folderOf(name));
    };
    const { calls } = await listSqliteCalls(ARGS, { env: copyHome('looked').env });
    const step = calls.length / 20;
    const kills = Array.from({ length: 20 }, (_, index) => calls.length - Math.floor(index * step));
    await inLanes(sample(kills, { gate: 3 }), async (at) => {
      const copy = copyHome(`kill ${at}`);
      const when = `at ${calls[at - 1]}`;
      const killed = await runOccWithSqliteFault(ARGS, { at, strike: 'kill-before' }, { env: copy.env });
      expect(killed.code, when).toBe(null);
      expect(findDatabaseFaults(copy.path), when).toEqual([]);
      const isCommitted = calls.slice(0, at - 1).includes('exec COMMIT');
      if (!isCommitted) expect(readAllRows(copy.path), when).toEqual(before);
      expect(await copy.json('list'), when).toHaveLength(isCommitted ? 2 : 1);
      await copy.json('clone', ID);
      expect(findDatabaseFaults(copy.path), when).toEqual([]);
      rmSync(copy.folder, { recursive: true });
    });
  },
);

test('a full disk in the middle of it: refused, and the database is as it was', LONG, async () => {
  const home = makeTalkingHome();
  const before = readAllRows(home.path);
  const { calls } = await listSqliteCalls(ARGS, { env: home.env });
  const writes = calls.flatMap((call, index) => (/^run INSERT/.test(call) ? [index + 1] : []));
  rmSync(home.folder, { recursive: true });
  const fresh = makeTalkingHome();
  for (const at of [writes[0]!, writes[Math.floor(writes.length / 2)]!, writes.at(-1)!]) {
    const fault = { at, strike: 'fail', errcode: FULL } as const;
    const refusal = readRefusal(await runOccWithSqliteFault(ARGS, fault, { env: fresh.env }));
    expect(refusal).toMatchObject({
      code: 'CLONE_FAILED',
      reason: 'DATABASE_WRITE_FAILED',
      hint: expect.stringContaining('full'),
    });
    expect(readAllRows(fresh.path)).toEqual(before);
  }
});

test('held by another program: it waits a while, then says so', async () => {
  const home = makeTalkingHome();
  const before = readAllRows(home.path);
  const holder = startChild(HOLDER, [home.path]);
  await holder.said('held');
  const refusal = readRefusal(await home.occProcess('clone', ID, '--json'));
  expect(refusal).toMatchObject({ code: 'DATABASE_BUSY', hint: expect.stringContaining('gateway') });
  // It has no such flag.
  expect(refusal.hint).not.toContain('--wait');
  holder.tell('let-go');
  expect(await holder.ended).toBe(0);
  expect(readAllRows(home.path)).toEqual(before);
  expect(existsSync(home.sessions)).toBe(false);
});

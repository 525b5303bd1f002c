/** What fixes must not do: harm what changed since they were offered, or overwrite. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock } from '@openbot/sessions/disk';
import { expect, it } from 'vitest';
import { staleLocks } from '../../src/doctor/checks/leavings.ts';
import { examine, openExamination } from '../../src/doctor/examine.ts';
import { moveAside } from '../../src/doctor/move-aside.ts';
import { checkDatabase } from '../../src/state-report/probe-state.ts';
import { makePlace, type SessionPlace } from '../kept-sessions/session-places.ts';

const DEAD = JSON.stringify({ pid: 2 ** 22 + 1, starttime: 1, createdAt: '2026-01-01' });

async function findFix({ stateDir, env, home }: SessionPlace) {
  const place = await openExamination({ stateDir, env, cwd: home, now: Date.now() });
  const [result] = await examine(place, [staleLocks]);
  return result!.findings.map(({ fix }) => fix);
}

it('a stale lock is taken away, and one that is held again by then is not', async () => {
  const place = makePlace({}, { 'run-locks/a.lock': DEAD, 'openbot.json': '{}' });
  const path = join(place.stateDir, 'run-locks', 'a.lock');
  const [fix] = await findFix(place);
  const live = await acquireLock(path);
  await expect(fix!.apply()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  expect(live.isHeld()).toBe(true);
  await live.release();
  writeFileSync(path, DEAD);
  await fix!.apply();
  expect(readdirSync(join(place.stateDir, 'run-locks'))).toEqual([]);
});

it('what is moved aside never takes the place of another file', async () => {
  const { home, stateDir } = makePlace();
  const now = Date.now();
  const paths = ['a', 'b'].map((agent) => join(home, 'stores', agent, 'x.tmp'));
  for (const path of [...paths, paths[0]!]) {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `of ${path}`);
    await moveAside(stateDir, path, now);
  }
  const moved = readdirSync(join(stateDir, 'moved-aside'), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), 'utf8'));
  expect(moved.sort()).toEqual([paths[0], paths[0], paths[1]].map((path) => `of ${path}`));
});

it('a name that begins with two dots is in the state folder', async () => {
  const { stateDir } = makePlace();
  writeFileSync(join(stateDir, '..x.tmp'), '');
  await moveAside(stateDir, join(stateDir, '..x.tmp'), 0);
  expect(readdirSync(join(stateDir, 'moved-aside', '1970-01-01T00-00-00'))).toEqual(['..x.tmp']);
});

it('a database that is damaged, and one that cannot be looked at', () => {
  const { stateDir } = makePlace(undefined, { damaged: 'no database' });
  expect(checkDatabase(join(stateDir, 'damaged'))).toEqual({
    isDamaged: true,
    says: expect.stringMatching(/^is damaged: .*not a database/),
  });
  mkdirSync(join(stateDir, 'folder'));
  expect(checkDatabase(join(stateDir, 'folder'))).toEqual({
    isDamaged: false,
    says: expect.stringMatching(/^cannot be looked at: /),
  });
});

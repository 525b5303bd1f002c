/** Ctrl-C during an edit in a database: it is undone at once, or done whole. */
import { cpSync, readdirSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { listDiskCalls, runOccWithFault } from '../setup/faults.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { homeIn } from './database-home.ts';
import { readAsFile } from './look-into.ts';
import { ID, makeTalkingHome } from './talking-home.ts';

vi.setConfig({ testTimeout: 120_000 });

const ARGS = ['edit', ID, '--strip-tools=extreme', '--json'];

test('where the backup, its record and the locks get their names, and after the transaction', async () => {
  const made = makeTalkingHome();
  const before = made.file();
  const copy = () => {
    const folder = makeTempFolder();
    cpSync(made.folder, folder, { recursive: true });
    return homeIn(folder);
  };
  const looked = copy();
  const { run, calls } = await listDiskCalls(ARGS, { under: looked.folder }, { env: looked.env });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const after = readAsFile(looked.path, ID);
  const points = calls.flatMap((call, at) => (isPhase(call, at, calls.length) ? [at + 1] : []));
  expect(points.length).toBeGreaterThan(3);

  const ends = new Set<string>();
  for (const at of points) {
    const home = copy();
    const { code } = await runOccWithFault(
      ARGS,
      { at, strike: 'SIGINT', under: home.folder },
      { env: home.env },
    );
    const when = `SIGINT at ${calls[at - 1]}`;
    // At its last calls it may be through before it hears of it.
    expect([0, null], when).toContain(code);
    const now = readAsFile(home.path, ID);
    expect([before, after], when).toContain(now);
    expect(findDatabaseFaults(home.path), when).toEqual([]);
    expect(
      Object.values(home.backups(ID)).map((text) => text === before),
      when,
    ).toEqual(now === before ? [] : [true]);
    expect(readdirSync(home.folder, { recursive: true, encoding: 'utf8' }).filter(isLeftover)).toEqual([]);
    ends.add(now === before ? 'undone' : 'done');
    expect(await home.json('edit', ID, '--strip-tools=extreme')).toMatchObject({ changed: now === before });
  }
  expect([...ends].sort()).toEqual(['done', 'undone']);
});

const isPhase = (call: string, at: number, count: number) =>
  /^(?:link|rename) /.test(call) || at === count - 1;
const isLeftover = (name: string) => /\.(?:tmp|lock|claim|claimed)$/.test(name);

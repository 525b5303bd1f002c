/** The lock cannot be removed after the swap: the rewrite was made, and the report says what is left. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { listDiskCalls, runOccWithFault } from '../setup/faults.ts';
import { makeLastingFolder } from '../setup/temp-folder.ts';
import {
  copyHome,
  furnish,
  type Home,
  homeIn,
  listLeftovers,
  occ,
  readBackups,
  SESSION_ID,
} from './homes.ts';

const root = makeLastingFolder();
let furnished: Home;
beforeAll(async () => {
  furnished = homeIn(join(root, 'furnished'), 'openclaw');
  await furnish(furnished);
});

test.each([
  ['edit', ['edit', SESSION_ID, '--strip-tools=extreme', '--json']],
  ['restore', ['restore', SESSION_ID, '--json']],
] as const)('%s', async (command, args) => {
  const fine = copyHome(furnished, join(root, `${command} fine`));
  const lockOf = ({ path }: Home) => `${path}.lock`;
  const unlinks = (home: Home) => ({ ops: ['unlink'], under: lockOf(home) }) as const;
  const { calls } = await listDiskCalls(args, unlinks(fine), { env: fine.env });
  const at = calls.lastIndexOf(`unlink ${lockOf(fine)}`) + 1;
  expect(at).toBeGreaterThan(0);

  const home = copyHome(furnished, join(root, command));
  const before = readBackups(home).size;
  const run = await runOccWithFault(args, { ...unlinks(home), at, strike: 'EACCES' }, { env: home.env });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const { success, note, backupPath } = JSON.parse(run.stdout);
  expect(success).toBe(true);
  expect(note).toMatch(/^The session is as reported\. The lock .* could not be removed: EACCES/);
  expect(note).toContain(lockOf(home));
  expect(note).toContain('It expires when the process that made it has ended');
  expect(existsSync(lockOf(home))).toBe(true);
  expect(readFileSync(home.path)).toEqual(readFileSync(fine.path));
  expect(readFileSync(backupPath)).toEqual(readFileSync(furnished.path));
  expect(readBackups(home).size).toBe(before + 1);

  await occ(home, ['restore']);
  expect(readFileSync(home.path)).toEqual(readFileSync(furnished.path));
  expect(listLeftovers(home)).toEqual([]);
});

import { execFile } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openFileCooldowns } from '../../src/cooldowns/files/file-cooldowns.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { testCooldowns } from './cooldowns-contract.ts';

testCooldowns('in a file', async () => openFileCooldowns(join(makeTempFolder(), 'state')));

const FAILED = { failure: 'overloaded', failures: 1, since: 1, until: 2 };

test('are there after a restart, for their owner alone', async () => {
  const folder = makeTempFolder();
  await openFileCooldowns(folder).change('a/one', () => FAILED);
  expect((await openFileCooldowns(folder).read()).get('a/one')).toEqual(FAILED);
  expect(statSync(join(folder, 'model-cooldowns.json')).mode & 0o777).toBe(0o600);
});

test('processes do not lose each other’s changes', async () => {
  const folder = makeTempFolder();
  const child = join(import.meta.dirname, 'children', 'count-failures.ts');
  const count = () => promisify(execFile)(process.execPath, [child, folder, '15']);
  await Promise.all([count(), count(), count()]);
  expect((await openFileCooldowns(folder).read()).get('a/one')?.failures).toBe(45);
});

test.each([
  ['', 'no JSON'],
  ['{"models": 3}', 'no models'],
  ['{"models": {"a/one": {"failure": "overloaded"}, "b/two": null}}', 'no figures'],
])('a file that says %j (%s) says nothing, and is written anew', async (content) => {
  const folder = makeTempFolder();
  writeFileSync(join(folder, 'model-cooldowns.json'), content);
  const cooldowns = openFileCooldowns(folder);
  expect(await cooldowns.read()).toEqual(new Map());
  await cooldowns.change('a/one', () => FAILED);
  expect((await cooldowns.read()).get('a/one')).toEqual(FAILED);
});

test('a file that cannot be read is an error', async () => {
  const folder = makeTempFolder();
  mkdirSync(join(folder, 'model-cooldowns.json'));
  await expect(openFileCooldowns(folder).read()).rejects.toThrow(/EISDIR/);
});

/** Start-up is part of the product: what a command does not need is not loaded. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { makeTempFolder } from '../../../sessions/test/setup/temp-folder.ts';
import { COMMAND } from '../setup/command-file.ts';

const RECORDER = join(import.meta.dirname, '../../../occ/test/setup/record-loaded.ts');

async function listLoaded(stateDir: string, args: readonly string[]): Promise<string[]> {
  const record = join(stateDir, 'loaded');
  const child = spawn(process.execPath, ['--import', RECORDER, ...COMMAND, ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: stateDir,
      NODE_COMPILE_CACHE: inject('compiled'),
      OPENBOT_STATE_DIR: stateDir,
      RECORD_LOADED_TO: record,
    },
    stdio: 'ignore',
  });
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  return readFileSync(record, 'utf8').split('\n');
}

const filesOf = (loaded: readonly string[]) =>
  loaded.filter((url) => url.startsWith('file:')).map((url) => basename(url));
const isHeavy = (url: string) => /node_modules|node:child_process|node:net|node:http/.test(url);

it('openbot --help loads the launcher and the start', async () => {
  expect(filesOf(await listLoaded(makeTempFolder(), ['--help']))).toEqual([
    'openbot.js',
    'openbot.js',
    'start.cjs',
  ]);
});

it('openbot agent loads one file more, and one for a configuration', async () => {
  const stateDir = makeTempFolder();
  const plain = await listLoaded(stateDir, ['agent', '-m', 'hello']);
  expect(filesOf(plain)).toEqual(['openbot.js', 'openbot.js', 'start.cjs', 'talk.cjs']);
  expect(plain.filter(isHeavy)).toEqual([]);
  writeFileSync(join(stateDir, 'openbot.json'), '{"agents":{"defaults":{"model":"script/echo"}}}');
  const configured = await listLoaded(stateDir, ['agent', '-m', 'hello']);
  expect(filesOf(configured)).toEqual([
    'openbot.js',
    'openbot.js',
    'start.cjs',
    'talk.cjs',
    'config-file.cjs',
  ]);
  expect(configured.filter(isHeavy)).toEqual([]);
});

it('openbot sessions loads one file more, and no database where there is none', async () => {
  const loaded = await listLoaded(makeTempFolder(), ['sessions']);
  expect(filesOf(loaded)).toEqual(['openbot.js', 'openbot.js', 'start.cjs', 'sessions.cjs']);
  expect(loaded.filter((url) => isHeavy(url) || url === 'node:sqlite')).toEqual([]);
});

it('openbot usage of Claude Code loads one small file more once it has counted', async () => {
  const home = makeTempFolder();
  const args = ['usage', '--source', 'claude', '--json'];
  const first = await listLoaded(home, args);
  expect(filesOf(first)).toContain('usage-reading.cjs');
  const again = await listLoaded(home, args);
  expect(filesOf(again)).toEqual(['openbot.js', 'openbot.js', 'start.cjs', 'usage.cjs']);
  expect(again.filter((url) => isHeavy(url) || /node:(?:fs\/promises|os|sqlite)/.test(url))).toEqual([]);
});

it('JSON5 is loaded where the configuration is written so', async () => {
  const stateDir = makeTempFolder();
  writeFileSync(join(stateDir, 'openbot.json'), '{ agents: {}, } // by hand');
  const heavy = (await listLoaded(stateDir, ['agent', '-m', 'hello'])).filter(isHeavy).join('\n');
  expect(heavy).toMatch(/node_modules\/confbox\//);
  expect(heavy).not.toMatch(/yaml|toml|zod/);
});

/** The command as it is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { COMMAND } from '../setup/command-file.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const RECORDER = join(ROOT, 'packages/occ/test/setup/record-loaded.ts');

test('a repeated report is the same, and loads one file beside the start', async () => {
  const home = makeTempFolder();
  const record = join(home, 'loaded');
  const run = async () => {
    const args = ['--import', RECORDER, ...COMMAND, 'usage', '--source', 'claude', '--json'];
    const child = spawn(process.execPath, args, {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: inject('compiled'),
        HOME: home,
        CLAUDE_CONFIG_DIR: join(ROOT, 'fixtures', 'ccusage'),
        RECORD_LOADED_TO: record,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    const loaded = readFileSync(record, 'utf8').split('\n');
    const bundles = loaded.map((url) => basename(url)).filter((name) => name.endsWith('.cjs'));
    return { stdout, loaded, bundles };
  };
  const first = await run();
  const again = await run();
  expect(JSON.parse(first.stdout).totals).toMatchObject({ inputTokens: 552_393, outputTokens: 302_262 });
  expect(again.stdout).toBe(first.stdout);
  expect(first.bundles).toContain('usage-reading.cjs');
  expect(again.bundles).toEqual(['start.cjs', 'usage.cjs']);
  expect(again.loaded.filter((url) => /node_modules|node:(?:sqlite|crypto|child_process)/.test(url))).toEqual(
    [],
  );
});

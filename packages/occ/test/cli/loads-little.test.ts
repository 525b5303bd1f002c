/** Start-up is part of the product: what a command does not need is not loaded. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { putDatabase } from '../finding/database.ts';
import { uuid } from '../finding/home.ts';
import { runOcc } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

const DATABASE = 'state/agents/main/agent/openclaw-agent.sqlite';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'occ-loads-'));
  writeSession(join(folder, 'state'), 'main', 'abc123', createSessionWithTurns(2));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function listLoaded(args: readonly string[]): Promise<string[]> {
  const record = join(folder, 'loaded');
  mkdirSync(join(folder, 'cwd'), { recursive: true });
  const { code, stderr } = await runOcc(args, {
    nodeArgs: ['--import', join(import.meta.dirname, '..', 'setup', 'record-loaded.ts')],
    env: {
      RECORD_LOADED_TO: record,
      OCC_STATE_DIRECTORY: join(folder, 'state'),
      XDG_CONFIG_HOME: join(folder, 'home'),
    },
    cwd: join(folder, 'cwd'),
  });
  expect([code, stderr]).toEqual([0, '']);
  return readFileSync(record, 'utf8').split('\n');
}

const filesOf = (loaded: readonly string[]) =>
  loaded.filter((url) => url.startsWith('file:')).map((url) => basename(url));
const isHeavy = (url: string) => /node_modules|node:sqlite|node:child_process|load-files/.test(url);

it.each([['--help'], ['--version'], ['--quickstart']])(
  'occ %s loads the launcher and the start',
  async (flag) => {
    expect(filesOf(await listLoaded([flag]))).toEqual(['occ.js', 'occ.js', 'start.cjs']);
  },
);

it.each([[['list']], [['info', 'abc']], [['edit', '--strip-tools', '--dry-run']]])(
  'occ %j loads one file more, and no configuration library where there is no configuration',
  async (args) => {
    const loaded = await listLoaded(args);
    const bundle = args[0] === 'list' ? 'list.cjs' : 'commands.cjs';
    expect(filesOf(loaded)).toEqual(['occ.js', 'occ.js', 'start.cjs', bundle]);
    expect(loaded.filter(isHeavy)).toEqual([]);
  },
);

it('loads SQLite where there is a database, and only there', async () => {
  expect((await listLoaded(['list'])).filter(isHeavy)).toEqual([]);
  putDatabase(folder, [{ sessionId: uuid('1'), key: 'agent:main:main' }], 'main', join(folder, DATABASE));
  expect((await listLoaded(['list'])).filter(isHeavy)).toEqual(['node:sqlite']);
});

it.each([
  ['cwd/occ.config.json', '{}'],
  ['cwd/.config/occ.yaml', 'defaultPreset: extreme'],
  ['cwd/.occrc', 'defaultPreset=extreme'],
  ['home/.occrc', 'defaultPreset=extreme'],
  ['cwd/package.json', '{"occ":{}}'],
])('with %s it loads what reads it', async (path, text) => {
  for (const sub of ['cwd/.config', 'home']) mkdirSync(join(folder, sub), { recursive: true });
  writeFileSync(join(folder, path), text);
  const heavy = (await listLoaded(['list'])).filter(isHeavy).join('\n');
  expect(/node_modules\/confbox\//.test(heavy)).toBe(path.endsWith('.yaml'));
  expect(heavy).toMatch(/node_modules\/zod\//);
});

it.each([
  ['{"agents":{}}', false],
  ['{ agents: {}, } // by hand', true],
])("OpenClaw's configuration as %s: JSON5 is loaded where it is written so", async (text, isJson5) => {
  writeFileSync(join(folder, 'state/openclaw.json'), text);
  const heavy = (await listLoaded(['list'])).filter(isHeavy).join('\n');
  expect(/node_modules\/confbox\//.test(heavy)).toBe(isJson5);
  expect(heavy).not.toMatch(/yaml|toml|zod/);
});

it('a package.json without our key is ignored', async () => {
  mkdirSync(join(folder, 'cwd'));
  writeFileSync(join(folder, 'cwd/package.json'), '{"name":"occ","dependencies":{"occ":"1"}}');
  expect((await listLoaded(['list'])).filter(isHeavy)).toEqual([]);
});

it.each(['start.cjs', 'list.cjs', 'commands.cjs'])(
  '%s is ASCII: it is read as one byte a character, and so V8 holds it',
  (name) => {
    const text = readFileSync(join(import.meta.dirname, '..', '..', 'dist', 'bin', name), 'utf8');
    expect(text.match(/.*[\u0080-\uffff].*/g)).toBeNull();
  },
);

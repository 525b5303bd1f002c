/** What the commands print with `--json` is what their declarations say. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listMisfits, listVisible } from '@openbot/sessions/command-line';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OCC } from '../../src/cli/main.ts';
import { runOcc, runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'occ-shapes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function shapeOf(line: string) {
  const [, name] = line.split(' ');
  const results = await listVisible(OCC).find((command) => command.name === name)!.results!();
  const shape = results[line];
  if (shape === undefined) throw new Error(`${line} has no shape`);
  return shape;
}

async function misfitsOf(line: string, ...args: string[]): Promise<string[]> {
  const { stdout, stderr } = await runOccHere([...args, '--json'], { env: { HOME: folder }, cwd: folder });
  expect(stderr).toBe('');
  return listMisfits(await shapeOf(line), JSON.parse(stdout));
}

it('every command that prints JSON says what', () => {
  const silent = listVisible(OCC).filter(({ flags, results }) => 'json' in flags && results === undefined);
  expect(silent.map(({ name }) => name)).toEqual([]);
});

it('each step of the demo prints what its command declares', async () => {
  const { stdout } = await runOcc(['demo', '--json']);
  const steps = JSON.parse(stdout) as Record<string, { command: string; result: unknown }>;
  expect(listMisfits(await shapeOf('occ demo --json'), steps)).toEqual([]);
  const commands = Object.values(steps).map(({ command }) => command.split(' ')[1]);
  expect([...new Set(commands)].sort()).toEqual(['clone', 'edit', 'info', 'list', 'restore']);
  for (const { command, result } of Object.values(steps)) {
    const shape = await shapeOf(`occ ${command.split(' ')[1]} --json`);
    expect([command, listMisfits(shape, result)]).toEqual([command, []]);
  }
});

it('so do the less usual results', async () => {
  const session = createSessionWithTurns(30, 1, { resultLength: 900 });
  writeSession(join(folder, '.openclaw'), 'main', 'abc123', session);
  for (let edit = 0; edit < 7; edit++) {
    const keep = String(29 - edit);
    expect(await misfitsOf('occ edit --json', 'edit', 'abc123', '--keep', keep, '--truncate', '0')).toEqual(
      [],
    );
  }
  expect(await misfitsOf('occ edit --json', 'edit', 'abc123', '--keep', '29')).toEqual([]);
  expect(await misfitsOf('occ restore --list --json', 'restore', 'abc123', '--list')).toEqual([]);
  expect(await misfitsOf('occ restore --json', 'restore', 'abc123', '--original')).toEqual([]);
  expect(await misfitsOf('occ clone --json', 'clone', 'abc123', '--dry-run')).toEqual([]);
  expect(await misfitsOf('occ clone --json', 'clone', 'abc123', '-o', 'copy.jsonl')).toEqual([]);
  expect(await misfitsOf('occ info --json', 'info')).toEqual([]);
});

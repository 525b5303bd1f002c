/** JSON may be looked at on a terminal: what it leaves as it is must not move the cursor or turn text around. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runOcc, runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

/** C1, DEL, directions, invisible characters, tags. */
const NAME = 'a\u009b31m\u007f\u202eb\u2066c\u200b\u{e0041}\ufeffd é 日本 🌱';

let stateDir: string;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'occ-hostile-'));
  writeSession(stateDir, 'main', 'abc123', createSessionWithTurns(30, 1, { resultLength: 500 }), {
    entry: { label: NAME, displayName: NAME },
  });
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

const HOSTILE = /(?!\n)[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

it('stdout says the same without them', async () => {
  const { stdout } = await runOcc(['list', '--json', '--state-dir', stateDir]);
  expect(stdout).not.toMatch(HOSTILE);
  expect(stdout).toContain('é 日本 🌱');
  expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(NAME).slice(1, -1));
});

it('so does stderr', async () => {
  const { code, stdout, stderr } = await runOcc(['info', `${NAME}?`, '--json', '--state-dir', stateDir]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).not.toMatch(HOSTILE);
  expect(JSON.parse(stderr).error.message).toContain(NAME);
});

it.each([
  ['edit', '--strip-tools', '--dry-run'],
  ['clone', '--strip-tools'],
  ['info'],
  ['restore', '--list'],
])('and so does occ %s', async (...args) => {
  const { stdout, stderr } = await runOccHere([...args, 'abc123', '--json', '--state-dir', stateDir]);
  expect(stdout + stderr).not.toMatch(HOSTILE);
});

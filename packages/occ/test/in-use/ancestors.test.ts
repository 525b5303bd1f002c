import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessStat } from '@openbot/sessions/disk';
import { expect, test } from 'vitest';
import { listAncestors, pickAgent } from '../../src/in-use/ancestors.ts';
import { findLauncher } from '../../src/schedule/start-worker.ts';
import { OCC_LAUNCHER } from '../setup/run-occ.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

test('ancestors are listed from the parent on, with their programs', () => {
  const ancestors = listAncestors();
  expect(ancestors[0]).toEqual({ pid: process.ppid, program: expect.stringMatching(/node/) });
  expect(new Set(ancestors.map(({ pid }) => pid)).size).toBe(ancestors.length);
  expect(listAncestors(0x7ffffff0)).toEqual([]);
});

test('the start time distinguishes a process from a later one with the same pid', ({ skip }) => {
  if (process.platform !== 'linux') skip('only Linux shows the start time of a process in /proc');
  expect(readProcessStat(process.pid)?.starttime).toBeGreaterThan(0);
  expect(readProcessStat(0x7ffffff0)).toBeUndefined();
});

test.each([
  ['claude behind its shell', ['bash', 'claude', 'zsh', 'login'], 'claude'],
  ['node behind npx and a login shell', ['npx', '-bash', 'node', 'systemd'], 'node'],
  ['nothing but shells', ['sh', 'bash', 'timeout'], undefined],
])('the agent above a command: %s', (_, programs, expected) => {
  const ancestors = programs.map((program, index) => ({ pid: 100 + index, program }));
  expect(pickAgent(ancestors)?.program).toBe(expected);
});

test('the first process of the system is no agent', () => {
  expect(pickAgent([{ pid: 1, program: 'init' }])).toBeUndefined();
});

test('the program is found from sources and from a bundle, and its absence has a name', () => {
  expect(findLauncher()).toBe(OCC_LAUNCHER);
  const installed = makeTempFolder();
  mkdirSync(join(installed, 'bin'));
  mkdirSync(join(installed, 'dist', 'bin'), { recursive: true });
  for (const file of ['package.json', 'bin/occ.js', 'dist/bin/occ.js'])
    writeFileSync(join(installed, file), '');
  expect(findLauncher(join(installed, 'dist', 'bin'))).toBe(join(installed, 'bin', 'occ.js'));
  expect(() => findLauncher(makeTempFolder())).toThrow(expect.objectContaining({ code: 'EDIT_FAILED' }));
});

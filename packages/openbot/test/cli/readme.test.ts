import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { longFlag } from '@openbot/sessions/command-line';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { makeHome } from '../setup/run-openbot.ts';

const README = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
const EVENTS = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'claude-code', 'src', 'run-contract', 'run-event.ts'),
  'utf8',
);
/** Those of a run that stays open, which this one does not. */
const OF_OPEN_RUNS = ['follow-up-queued', 'idle'];

test('the README names every event of a run', () => {
  const types = [...EVENTS.matchAll(/readonly type: '([\w-]+)'/g)].map(([, type]) => type!);
  expect(types).toContain('retrying');
  const named = new Set([...README.matchAll(/`([\w-]+)`/g)].map(([, name]) => name));
  expect(types.filter((type) => !named.has(type) && !OF_OPEN_RUNS.includes(type))).toEqual([]);
});

/** The others are in docs/commands.md. */
const EXPLAINED = /^(?:agent|mcp|cc .*)$/;

test('the README names every flag of the commands that it explains', () => {
  const flags = COMMANDS.filter(({ name }) => EXPLAINED.test(name)).flatMap((command) =>
    Object.entries(command.flags),
  );
  const missing = flags
    .map(([key, { short }]) => (short === undefined ? longFlag(key) : `-${short}`))
    .filter((flag) => !README.includes(flag));
  expect(missing).toEqual([]);
});

test('README and help say what a repository can do, and how that is prevented', async () => {
  const { stdout } = await makeHome().run(['cc', 'run', '--help']);
  for (const text of [README, stdout]) {
    for (const word of ['hooks', '.mcp.json', 'environment', 'API key', '--isolated']) {
      expect(text).toContain(word);
    }
  }
});

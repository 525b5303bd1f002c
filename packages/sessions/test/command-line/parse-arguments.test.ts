import { expect, it } from 'vitest';
import {
  declareCommands,
  declareFlags,
  type Program,
  parseArguments,
} from '../../src/exports/command-line.ts';

const declare = declareCommands();
const common = { summary: '', examples: [], load: async () => async () => {} };
const PROGRAM: Program = {
  name: 'sample',
  version: () => '1',
  commonFlags: {},
  help: { about: '', usage: '', examples: [] },
  commands: [
    declare({
      ...common,
      name: 'say',
      positionals: [{ name: 'word' }],
      flags: declareFlags({ thinking: { kind: 'text', value: 'level', help: '' } }),
    }),
    declare({
      ...common,
      name: 'show',
      positionals: [{ name: 'session' }],
      flags: declareFlags({ thinking: { kind: 'boolean', help: '' } }),
    }),
  ],
};

it.each([
  [['say', '--thinking', 'high', 'hello'], 'say', { thinking: 'high' }, ['hello']],
  [['show', '--thinking', 'main'], 'show', { thinking: true }, ['main']],
  [['show', 'main', '--thinking'], 'show', { thinking: true }, ['main']],
])('a flag takes a word where its own command says so: %j', (argv, name, flags, words) => {
  expect(parseArguments(PROGRAM, argv)).toMatchObject({ command: { name }, flags, words });
});

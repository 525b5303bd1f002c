import { describe, expect, it } from 'vitest';
import type { ExecSettings } from '../../src/config/bot-config.ts';
import { FILE_TOOLS } from '../../src/tools/all.ts';
import { allowedTools, decideUse } from '../../src/tools/allowed-tools.ts';
import { makeExec } from '../../src/tools/exec/exec.ts';

const READING = ['list_files', 'read_file', 'grep'];
const FILES = [...READING, 'write_file', 'edit_file'];
const TOOLS = [...FILE_TOOLS, makeExec({}, {})];
const FULL: ExecSettings = { security: 'full' };
const LIST: ExecSettings = { security: 'allowlist', allowlist: ['git log:*', 'make test'] };

describe('allowedTools', () => {
  it.each([
    [{}, {}, FILES],
    [{ execSecurity: 'full' }, {}, FILES],
    [{ execSecurity: 'full' }, { tools: ['read_file'] }, ['read_file']],
    [{ execSecurity: 'allowlist' }, {}, READING],
    [{ execSecurity: 'allowlist' }, { tools: ['write_file'] }, ['write_file']],
    [{ execSecurity: 'deny' }, { tools: FILES }, READING],
    [{ execSecurity: 'whatever' }, {}, READING],
    [{ execAsk: 'off' }, {}, FILES],
    [{ execAsk: 'on-miss' }, {}, READING],
    [{ execAsk: 'on-miss' }, { tools: FILES }, FILES],
    [{ execAsk: 'always' }, { tools: FILES }, READING],
    [{ execAsk: 'whatever' }, { tools: FILES }, READING],
    [{ execSecurity: 'deny', execAsk: 'off' }, {}, READING],
    // The session cannot allow what the configuration does not.
    [{ execSecurity: 'full' }, { exec: { allowlist: ['ls'] } }, FILES],
    [{}, { exec: FULL }, [...FILES, 'exec']],
    [{}, { exec: FULL, tools: ['read_file'] }, ['read_file']],
    [{ execSecurity: 'deny' }, { exec: FULL }, READING],
    [{}, { exec: { ...FULL, host: 'sandbox' as const } }, FILES],
    [{}, { exec: { ...FULL, ask: 'always' as const } }, FILES],
    [{}, { exec: LIST }, [...FILES, 'exec']],
  ])('%j with %j, and nobody to ask', (entry, agent, names) => {
    expect(allowedTools(TOOLS, { entry, agent: { exec: {}, ...agent }, canAsk: false })).toEqual(names);
  });

  it.each([
    [{ execSecurity: 'allowlist' }, {}, READING],
    [{ execSecurity: 'allowlist', execAsk: 'on-miss' }, {}, FILES],
    [{ execSecurity: 'deny', execAsk: 'always' }, { exec: FULL }, READING],
    [{ execAsk: 'on-miss' }, {}, FILES],
    [{ execAsk: 'always' }, {}, FILES],
    [{ execAsk: 'always' }, { exec: FULL }, [...FILES, 'exec']],
  ])('%j with %j, and a person to ask', (entry, agent, names) => {
    expect(allowedTools(TOOLS, { entry, agent: { exec: {}, ...agent }, canAsk: true })).toEqual(names);
  });
});

describe('decideUse', () => {
  const RUN = { do: 'run' };
  const MISS = { do: 'ask', how: 'on-miss' };
  const ALWAYS = { do: 'ask', how: 'always' };
  const REFUSE = { do: 'refuse', reason: expect.any(String) };
  it.each([
    [{}, { ...FULL }, 'rm -rf x', RUN],
    [{}, { ...FULL, ask: 'always' as const }, 'ls', ALWAYS],
    [{ execAsk: 'always' }, FULL, 'ls', ALWAYS],
    [{ execSecurity: 'allowlist' }, FULL, 'ls', MISS],
    [{}, LIST, 'make test', RUN],
    [{}, LIST, 'git log -3', RUN],
    [{}, LIST, ' git log', RUN],
    [{}, LIST, 'git logs', MISS],
    [{}, LIST, 'git log; rm x', MISS],
    [{}, LIST, 'git log $(rm x)', MISS],
    [{}, LIST, 'git log\nrm x', MISS],
    [{}, { ...LIST, ask: 'off' as const }, 'rm x', REFUSE],
    [{ execSecurity: 'deny' }, FULL, 'ls', REFUSE],
    [{}, {}, 'ls', REFUSE],
  ])('%j with %j: %j', (entry, exec, command, decision) => {
    const rules = { entry, agent: { exec }, canAsk: true };
    expect(decideUse(TOOLS.at(-1)!, { command }, rules)).toEqual(decision);
  });

  it('of other tools that change something is by their names', () => {
    const write = TOOLS.find(({ name }) => name === 'write_file')!;
    const decide = (execAsk: string, tools?: string[]) =>
      decideUse(write, {}, { entry: { execAsk }, agent: { exec: {}, tools }, canAsk: true });
    expect([decide('on-miss'), decide('on-miss', ['write_file']), decide('always', ['write_file'])]).toEqual([
      MISS,
      RUN,
      ALWAYS,
    ]);
  });
});

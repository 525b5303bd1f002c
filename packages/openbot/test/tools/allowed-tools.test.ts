import { describe, expect, it, test } from 'vitest';
import type { ExecSettings } from '../../src/config/bot-config.ts';
import { Policy } from '../../src/permissions/policy.ts';
import { FILE_TOOLS } from '../../src/tools/all.ts';
import { decideUse, listTools, mayBeUsed } from '../../src/tools/allowed-tools.ts';
import type { Tool } from '../../src/tools/contract.ts';
import { makeExec } from '../../src/tools/exec/exec.ts';
import { ManualClock } from '../setup/manual-clock.ts';

const READING = ['list_files', 'read_file', 'grep'];
const FILES = [...READING, 'write_file', 'edit_file'];
const TOOLS = [...FILE_TOOLS, makeExec({}, {})];
const FULL: ExecSettings = { security: 'full' };
/** Rules of the configuration that would allow every use. */
const WITHOUT_PERSON = new Policy({
  settings: { allow: FILES.concat('exec') },
  places: { workspaceDir: '/workspace' },
  added: [],
  asker: 'there is no terminal',
  clock: new ManualClock(),
  remember: async () => {},
});
const LIST: ExecSettings = { security: 'allowlist', allowlist: ['git log:*', 'make test'] };

const namesOf = (tools: readonly Tool[]) => tools.map(({ name }) => name);

test.each([
  [{}, FILES],
  [{ tools: ['read_file'] }, ['read_file']],
  [{ exec: FULL }, [...FILES, 'exec']],
  [{ exec: LIST }, [...FILES, 'exec']],
  [{ exec: { ...FULL, ask: 'always' as const } }, [...FILES, 'exec']],
  [{ exec: FULL, tools: ['exec', 'read_file'] }, ['read_file', 'exec']],
  [{ exec: { allowlist: ['ls'] } }, FILES],
  [{ exec: { ...FULL, host: 'sandbox' as const } }, FILES],
])('the configuration alone decides which tools are listed: %j', (agent, names) => {
  expect(namesOf(listTools(TOOLS, { exec: {}, ...agent }))).toEqual(names);
});

const NOBODY = [
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
] as const;
const SOMEBODY = [
  [{ execSecurity: 'allowlist' }, {}, READING],
  [{ execSecurity: 'allowlist', execAsk: 'on-miss' }, {}, FILES],
  [{ execSecurity: 'deny', execAsk: 'always' }, { exec: FULL }, READING],
  [{ execAsk: 'on-miss' }, {}, FILES],
  [{ execAsk: 'always' }, {}, FILES],
  [{ execAsk: 'always' }, { exec: FULL }, [...FILES, 'exec']],
] as const;

describe.each([
  ['nobody', false, NOBODY],
  ['a person', true, SOMEBODY],
] as const)('%s can be asked', (_, canAsk, cases) => {
  test.each([...cases])('%j with %j', async (entry, { ...settings }, names) => {
    const agent = { exec: {}, ...settings };
    const rules = { entry, agent, canAsk };
    const listed = listTools(TOOLS, agent);
    const usable = listed.filter((tool) => !tool.changes || mayBeUsed(tool, rules));
    expect(namesOf(usable)).toEqual(names);
    // What is listed and must not be used is refused at the call, whatever rules allow.
    for (const tool of listed.filter((one) => !usable.includes(one))) {
      const use = decideUse(tool, { command: 'ls' }, rules);
      if (use.do === 'refuse') continue;
      expect(canAsk).toBe(false);
      if (use.do !== 'ask') throw new Error(`${tool.name} would run`);
      const request = { callId: 'c', toolName: tool.name, arguments: { command: 'ls', path: 'a' } };
      expect(await WITHOUT_PERSON.permit(request, new AbortController().signal, use.how)).toEqual({
        isAllowed: false,
        reason: expect.stringContaining('no person can be asked: there is no terminal'),
      });
    }
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
    const decide = (entry: { execAsk?: string; execSecurity?: string }, tools?: string[]) =>
      decideUse(write, {}, { entry, agent: { exec: {}, tools }, canAsk: true });
    const [ask, always, list] = [
      { execAsk: 'on-miss' },
      { execAsk: 'always' },
      { execSecurity: 'allowlist' },
    ];
    expect([decide(ask), decide(ask, ['write_file']), decide(always, ['write_file'])]).toEqual([
      MISS,
      RUN,
      ALWAYS,
    ]);
    expect([decide(list), decide(list, ['write_file']), decide({ ...list, ...ask })]).toEqual([
      REFUSE,
      RUN,
      MISS,
    ]);
  });
});

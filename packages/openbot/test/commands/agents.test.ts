import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMisfits } from '@openbot/sessions/command-line';
import { describe, expect, it } from 'vitest';
import type { ListedAgent } from '../../src/agent-roster/list-agents.ts';
import { AGENTS_ADD, AGENTS_LIST, AGENTS_REMOVE } from '../../src/commands/agents/result-shapes.ts';
import { makeOpenbotPlace, type OpenbotPlace } from '../setup/openbot-process.ts';
import { makeHome } from '../setup/run-openbot.ts';
import { noTerminal } from '../setup/terminal-command.ts';

function configure({ stateDir }: OpenbotPlace, text: string): void {
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(join(stateDir, 'openbot.json'), text);
}

function addSessions({ stateDir }: OpenbotPlace, path: string, keys: readonly string[]): void {
  const entries = keys.map((key, at) => [key, { sessionId: `s-${at}`, updatedAt: 1 }]);
  mkdirSync(join(stateDir, path, '..'), { recursive: true });
  writeFileSync(join(stateDir, path), JSON.stringify(Object.fromEntries(entries)));
}

const listOf = async (place: OpenbotPlace) => {
  const listed = await place.json<{ agents: ListedAgent[] }>('agents', 'list');
  expect(listMisfits(AGENTS_LIST, listed)).toEqual([]);
  return listed.agents;
};

describe('openbot agents list', () => {
  it('knows main without a configuration, and agents that have a folder', async () => {
    const place = makeOpenbotPlace();
    expect(await listOf(place)).toMatchObject([{ id: 'main', isDefault: true, sessions: 0 }]);
    addSessions(place, 'agents/main/sessions/sessions.json', ['agent:main:main', 'agent:main:x']);
    addSessions(place, 'agents/ops/sessions/sessions.json', []);
    expect(await listOf(place)).toMatchObject([
      { id: 'main', sessions: 2, model: 'script/echo' },
      { id: 'ops', sessions: 0, workspace: join(place.stateDir, 'workspace-ops') },
    ]);
  });

  it('shows what the configuration says, the default agent first', async () => {
    const place = makeOpenbotPlace();
    const bindings = [
      {
        agentId: 'ops',
        match: { channel: 'telegram', accountId: 'work', peer: { kind: 'group', id: -1001 } },
      },
      { agentId: 'OPS', match: { channel: 'discord', guildId: 7, roles: ['admin'] } },
    ];
    const list = [{ id: 'main' }, { id: 'ops', name: 'Ops', default: true, workspace: '~/ops' }];
    const model = { primary: 'claude/sonnet', fallbacks: ['script/echo'] };
    configure(place, JSON.stringify({ agents: { defaults: { model }, list }, bindings }));
    mkdirSync(join(place.stateDir, 'agents/main/sessions'), { recursive: true });
    writeFileSync(join(place.stateDir, 'agents/main/sessions/sessions.json'), '{broken');
    const agents = await listOf(place);
    expect(agents[0]).toMatchObject({
      id: 'ops',
      name: 'Ops',
      isDefault: true,
      workspace: join(place.folder, 'ops'),
      model: 'claude/sonnet',
      fallbacks: ['script/echo'],
      bindings: bindings.map(({ match }) => match),
    });
    expect(agents[1]).toMatchObject({ id: 'main', isDefault: false });
    expect(agents[1]).not.toHaveProperty('sessions');
    const { stdout } = await place.run(['agents', 'list']);
    expect(stdout).toMatch(
      /^2 agents\nID .*\nops +yes +Ops +claude\/sonnet \+1 +0 .*\/ops\nmain .*unreadable/,
    );
    expect(stdout).toContain(
      '2 bindings\nops ← telegram, account work, group -1001\nops ← discord, guild 7, roles admin\n',
    );
  });

  it('counts in a store that agents share only what is theirs', async () => {
    const place = makeOpenbotPlace();
    const store = join(place.stateDir, 'all.json');
    configure(
      place,
      JSON.stringify({ agents: { list: [{ id: 'main' }, { id: 'ops' }] }, session: { store } }),
    );
    addSessions(place, 'all.json', ['agent:main:main', 'agent:ops:a', 'agent:ops:b']);
    expect((await listOf(place)).map(({ id, sessions }) => [id, sessions])).toEqual([
      ['main', 1],
      ['ops', 2],
    ]);
  });
});

const textOf = ({ stateDir }: OpenbotPlace) => readFileSync(join(stateDir, 'openbot.json'), 'utf8');
const foldersOf = async (place: OpenbotPlace) =>
  Object.fromEntries((await listOf(place)).map(({ id, workspace }) => [id, workspace]));

describe('openbot agents add', () => {
  it('keeps the agents that no list named, with their folders, and makes a workspace', async () => {
    const place = makeOpenbotPlace();
    addSessions(place, 'agents/old/sessions/sessions.json', ['agent:old:main']);
    const before = await foldersOf(place);
    const added = await place.json('agents', 'add', 'Ops', '--name', 'Ops Bot', '--model', 'script/echo');
    expect(listMisfits(AGENTS_ADD, added)).toEqual([]);
    expect(added).toMatchObject({ agent: { id: 'ops', name: 'Ops Bot', isDefault: false } });
    expect(await foldersOf(place)).toEqual({ ...before, ops: join(place.stateDir, 'workspace-ops') });
    expect(readdirSync(join(place.stateDir, 'workspace-ops'))).toContain('IDENTITY.md');
    const said = await place.run(['agent', '--agent', 'ops', '-m', 'hello']);
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('script/echo') });
  });

  it('keeps comments, and the folder of the agent that was the default', async () => {
    const place = makeOpenbotPlace();
    configure(
      place,
      "// mine\n{\n  agents: { list: [{ id: 'main', default: true }, { id: 'b' }] }, // both\n}\n",
    );
    const before = await foldersOf(place);
    const { code, stdout } = await place.run(['agents', 'add', 'ada', '--default', '--workspace', '~/ada']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/Added agent ada .*--agent ada/s),
    });
    expect(await foldersOf(place)).toEqual({ ...before, ada: join(place.folder, 'ada') });
    expect((await listOf(place))[0]).toMatchObject({ id: 'ada', isDefault: true });
    expect(textOf(place)).toMatch(/^\/\/ mine\n[\s\S]*\/\/ both\n/);
  });

  it('refuses a taken or odd id and an unknown model, and changes nothing', async () => {
    const home = makeHome();
    mkdirSync(home.stateDir);
    const text = "{ agents: { list: [{ id: 'main' }, { id: 'ops' }] } }";
    writeFileSync(join(home.stateDir, 'openbot.json'), text);
    const refused: [string[], RegExp][] = [
      [['ops'], /agent ops already/],
      [['OPS'], /agent ops already/],
      [['../x'], /not an id of an agent/],
      [['a b'], /not an id of an agent/],
      [[], /No id given/],
      [['new', '--model', 'far/none'], /no model far\/none/],
    ];
    for (const [args, why] of refused) {
      const { code, stderr } = await home.run(['agents', 'add', ...args]);
      expect(stderr).toMatch(why);
      expect(code).not.toBe(0);
    }
    expect(readFileSync(join(home.stateDir, 'openbot.json'), 'utf8')).toBe(text);
    expect(readdirSync(home.stateDir)).toEqual(['openbot.json']);
  });
});

const TWO = `{
  agents: { list: [{ id: 'main' }, { id: 'ops', name: 'Ops', model: 'script/echo' }] }, // two
  bindings: [
    { agentId: 'ops', match: { channel: 'telegram' } },
    { agentId: 'main', match: { channel: 'discord' } },
    { agentId: 'ops', match: { channel: 'slack', teamId: 'T1' } },
  ],
}
`;

describe('openbot agents remove', () => {
  it('removes the entry and its bindings, keeps sessions and files, and says how to bring it back', async () => {
    const place = makeOpenbotPlace();
    configure(place, TWO);
    addSessions(place, 'agents/ops/sessions/sessions.json', ['agent:ops:main']);
    mkdirSync(join(place.stateDir, 'workspace-ops'));
    const asked = await place.run(['agents', 'remove', 'ops']);
    expect(asked).toMatchObject({ code: expect.any(Number), stderr: expect.stringContaining('--yes') });
    expect(textOf(place)).toBe(TWO);
    const { code, stdout } = await place.run(['agents', 'remove', 'ops', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Removed agent ops and 2 bindings from .*\nKept: 1 session in .*\/workspace-ops\n/,
    );
    const [, again] = /To bring it back: openbot (.*)\n/.exec(stdout)!;
    expect(await listOf(place)).toMatchObject([{ id: 'main', bindings: [{ channel: 'discord' }] }]);
    expect(textOf(place)).toContain('// two');
    expect(existsSync(join(place.stateDir, 'agents/ops/sessions/sessions.json'))).toBe(true);
    await place.run(again!.split(' '));
    expect((await listOf(place))[1]).toMatchObject({
      id: 'ops',
      name: 'Ops',
      model: 'script/echo',
      sessions: 1,
    });
  });

  it('refuses the last one, the default one without a successor, and one that is not listed', async () => {
    const place = makeOpenbotPlace();
    configure(place, TWO);
    const before = await foldersOf(place);
    expect((await place.run(['agents', 'remove', 'main', '--yes'])).stderr).toMatch(
      /default agent\n.*--new-default <id>.*ops/,
    );
    expect((await place.run(['agents', 'remove', 'ghost', '--yes'])).stderr).toContain('no agent ghost');
    expect(textOf(place)).toBe(TWO);
    const removed = await place.json('agents', 'remove', 'main', '--yes', '--new-default', 'ops');
    expect(listMisfits(AGENTS_REMOVE, removed)).toEqual([]);
    expect(removed).toMatchObject({ id: 'main', defaultId: 'ops', bindings: [{ agentId: 'main' }] });
    expect(await listOf(place)).toMatchObject([{ id: 'ops', isDefault: true, workspace: before.ops }]);
    expect((await place.run(['agents', 'remove', 'ops', '--yes'])).stderr).toContain('the only agent');
  });

  it.skipIf(noTerminal)(`asks in a terminal${noTerminal ? `: ${noTerminal}` : ''}`, async () => {
    const place = makeOpenbotPlace();
    configure(place, TWO);
    const no = place.inTerminal(['agents', 'remove', 'ops']);
    await no.shows(/binding: telegram[\s\S]*Remove agent ops and 2 bindings from\s[^?]*\? \[y\/N\] /);
    no.child.stdin!.write('\r');
    expect((await no.ended).code).toBe(130);
    expect(textOf(place)).toBe(TWO);
    const yes = place.inTerminal(['agents', 'remove', 'main']);
    await yes.shows(/Which one answers in its place\?[\s\S]*> ops/);
    yes.child.stdin!.write('\r');
    await yes.shows(/Remove agent main and 1 binding from\s[^?]*\? \[y\/N\] /);
    yes.child.stdin!.write('y\r');
    expect(await yes.ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The default agent is ops.'),
    });
    expect(await listOf(place)).toMatchObject([{ id: 'ops', isDefault: true }]);
  });
});

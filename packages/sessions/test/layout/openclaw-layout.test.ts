/**
 * Established with `openclaw sessions --json`, which prints the path, of OpenClaw 2026.7.35 (files) and 2026.9.6 (databases).
 * Ours alone: OPENCLAW_PROFILE without its flag, which moves nothing there (2026.9.6 refuses one that is no name), the
 * first of a list without a default, which only 2026.7.35 takes, and the choice between databases that are there.
 * `agents.entries` is of 2026.9.6 alone.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseJSON5 } from 'confbox/json5';
import { expect, test } from 'vitest';
import { readOpenclawConfig } from '../../src/layout/openclaw-config.ts';
import { openclawLayoutOf } from '../../src/layout/openclaw-layout.ts';
import { OPENCLAW_STATE, resolveStateDir } from '../../src/layout/state-dir.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

/** `~` stands for the home folder of the test, in what goes in and what comes out. */
function look(files: Record<string, string>, env: Record<string, string> = {}) {
  const home = makeTempFolder();
  const real = (path: string) => path.replace(/^~(?=\/|$)/, home);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(real(name)), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(real(name), content);
    else mkdirSync(real(name), { recursive: true });
  }
  const full = { HOME: home, ...Object.fromEntries(Object.entries(env).map(([k, v]) => [k, real(v)])) };
  const stateDir = resolveStateDir({ env: full, convention: OPENCLAW_STATE });
  const config = readOpenclawConfig(stateDir, full, parseJSON5);
  const layout = openclawLayoutOf(stateDir, config, { env: full, cwd: join(home, 'cwd') });
  const shown = (path: string) => path.replace(home, '~');
  return {
    agent: layout.defaultAgentId,
    store: shown(layout.storePathOf(layout.defaultAgentId)),
    database: shown(layout.databasePathOf(layout.defaultAgentId)),
    layout,
    shown,
  };
}

const variable = (name: string) => `$\{${name}}`;
const CONFIG = '~/.openclaw/openclaw.json';
const sessionsOf = (state: string, agent = 'main') => `${state}/agents/${agent}/sessions/sessions.json`;
const databaseOf = (state: string, agent = 'main') => `${state}/agents/${agent}/agent/openclaw-agent.sqlite`;

test.each<[string, Record<string, string>, Record<string, string>, string]>([
  ['nothing', {}, {}, '~/.openclaw'],
  ['OPENCLAW_HOME', {}, { OPENCLAW_HOME: '~/oh' }, '~/oh/.openclaw'],
  [
    'OPENCLAW_STATE_DIR before OPENCLAW_HOME',
    {},
    { OPENCLAW_HOME: '~/oh', OPENCLAW_STATE_DIR: '~/sd' },
    '~/sd',
  ],
  [
    'OPENCLAW_STATE_DIR before a profile',
    { '~/.openclaw-work/': '' },
    { OPENCLAW_STATE_DIR: '~/sd', OPENCLAW_PROFILE: 'work' },
    '~/sd',
  ],
  [
    'a profile that is there',
    { '~/.openclaw-work/': '', '~/.openclaw/': '' },
    { OPENCLAW_PROFILE: 'work' },
    '~/.openclaw-work',
  ],
  [
    'a profile under OPENCLAW_HOME',
    { '~/oh/.openclaw-work/': '' },
    { OPENCLAW_PROFILE: 'work', OPENCLAW_HOME: '~/oh' },
    '~/oh/.openclaw-work',
  ],
  ['a profile that is not there', {}, { OPENCLAW_PROFILE: 'work' }, '~/.openclaw'],
  ['the default profile', { '~/.openclaw-default/': '' }, { OPENCLAW_PROFILE: 'default' }, '~/.openclaw'],
  ['a profile that is no name', { '~/.openclaw-x/': '' }, { OPENCLAW_PROFILE: 'x/../../y' }, '~/.openclaw'],
  ['an old folder', { '~/.clawdbot/': '' }, {}, '~/.clawdbot'],
])('state folder by %s', (_, files, env, state) => {
  expect(look(files, env)).toMatchObject({
    agent: 'main',
    store: sessionsOf(state),
    database: databaseOf(state),
  });
});

test('OPENCLAW_STATE_DIR with ~: the home folder that OPENCLAW_HOME names', () => {
  const env = { HOME: '/home/u', OPENCLAW_HOME: '/oh', OPENCLAW_STATE_DIR: '~/sd' };
  expect(resolveStateDir({ env, convention: OPENCLAW_STATE })).toBe('/oh/sd');
  expect(resolveStateDir({ env, convention: OPENCLAW_STATE, flag: '~/sd' })).toBe('/home/u/sd');
});

test.each<[string, Record<string, string>, Record<string, string>, string, string]>([
  [
    '~ and {agentId}',
    { [CONFIG]: '{ session: { store: "~/st/{agentId}/s.json" }, /* c */ }' },
    {},
    '~/st/main/s.json',
    '~/st/main/s.sqlite',
  ],
  [
    '~ of OPENCLAW_HOME',
    { '~/oh/.openclaw/openclaw.json': "{session:{store:'~/st/{agentId}/s.json'}}" },
    { OPENCLAW_HOME: '~/oh' },
    '~/oh/st/main/s.json',
    '~/oh/st/main/s.sqlite',
  ],
  [
    'OPENCLAW_CONFIG_PATH, relative',
    { '~/else/c.json': '{ session: { store: "rel/s.json" } }' },
    { OPENCLAW_CONFIG_PATH: '~/else/c.json' },
    '~/cwd/rel/s.json',
    '~/cwd/rel/s.sqlite',
  ],
  [
    'the old name of the file',
    { '~/.clawdbot/clawdbot.json': '{ session: { store: "~/legacy.json" } }' },
    {},
    '~/legacy.json',
    '~/legacy.sqlite',
  ],
  [
    'a variable',
    { [CONFIG]: `{ session: { store: "${variable('MYDIR')}/s.json" } }` },
    { MYDIR: '~/md' },
    '~/md/s.json',
    '~/md/s.sqlite',
  ],
  [
    'a folder of its own',
    { [CONFIG]: '{ session: { store: "~/st/sessions.json" } }' },
    {},
    '~/st/sessions.json',
    '~/st/openclaw-agent.sqlite',
  ],
])('session.store with %s', (_, files, env, store, database) => {
  expect(look(files, env)).toMatchObject({ store, database });
});

test.each([
  [
    'the one that is marked',
    '{ agents: { list: [{ id: "main" }, { id: "Ops Team", default: true }] } }',
    'ops-team',
  ],
  ['else the first of the list', '{ agents: { list: [{ id: "first" }, { id: "second" }] } }', 'first'],
  ['the only one of the newer form', '{ agents: { entries: { solo: {} } } }', 'solo'],
  ['of several of the newer form none', '{ agents: { entries: { a: {}, b: { default: true } } } }', 'main'],
  [
    'of several the one for the system',
    '{ agents: { entries: { a: {}, b: {} }, defaults: { systemAgent: { agentId: "B" } } } }',
    'b',
  ],
  ['else main', '{}', 'main'],
])('default agent: %s', (_, config, agent) => {
  expect(look({ [CONFIG]: config })).toMatchObject({ agent, store: sessionsOf('~/.openclaw', agent) });
});

test('included files, under what the file itself says', () => {
  const found = look({
    [CONFIG]: '{ "$include": ["./b.json5"], agents: { list: [{ id: "x" }] } }',
    '~/.openclaw/b.json5': '{ session: { store: "~/inc.json" }, agents: { list: [{ id: "y" }] } }',
  });
  expect(found).toMatchObject({ agent: 'x', store: '~/inc.json' });
});

test.each([
  ['nothing is there', [], ['s.sqlite', 's.ops.sqlite', 's.b.sqlite']],
  ['one is there without a name', ['s.sqlite'], ['s.sqlite', 's.sqlite', 's.b.sqlite']],
  ['both are there', ['s.sqlite', 's.ops.sqlite'], ['s.sqlite', 's.ops.sqlite', 's.b.sqlite']],
])('the databases of agents that share a store, where %s', (_, there, names) => {
  const agents = '{ list: [{ id: "main" }, { id: "ops", default: true }, { id: "b" }] }';
  const { layout, shown } = look({
    [CONFIG]: `{ agents: ${agents}, session: { store: "~/shared/s.json" } }`,
    ...Object.fromEntries(there.map((name) => [`~/shared/${name}`, ''])),
  });
  expect([layout.isShared, layout.agentIds]).toEqual([true, ['main', 'ops', 'b']]);
  expect(layout.agentIds.map((id) => shown(layout.databasePathOf(id)))).toEqual(
    names.map((name) => `~/shared/${name}`),
  );
});

test.each([
  [[], 's.ops.sqlite'],
  [['s.sqlite'], 's.sqlite'],
])('the database of an agent that has a folder of its own, with %j in it', (there, name) => {
  const { layout, shown } = look({
    [CONFIG]:
      '{ agents: { list: [{ id: "main" }, { id: "ops" }] }, session: { store: "~/st/{agentId}/s.json" } }',
    ...Object.fromEntries(there.map((file) => [`~/st/ops/${file}`, ''])),
  });
  expect(shown(layout.databasePathOf('ops'))).toBe(`~/st/ops/${name}`);
});

test.each([
  ['no JSON5', '{ broken'],
  ['a variable that is not set', `{ session: { store: "${variable('NOWHERE')}/s.json" } }`],
  ['an include out of its folder', '{ $include: "../../etc/passwd" }'],
  ['an include that is not there', '{ $include: "none.json" }'],
  ['an include of itself', '{ $include: "openclaw.json" }'],
])('%s: an error that names the file', (_, config) => {
  expect(() => look({ [CONFIG]: config })).toThrow(
    expect.objectContaining({ code: 'CONFIG_UNREADABLE', message: expect.stringContaining('openclaw.json') }),
  );
});

test('a pipe with the name openclaw.json is refused, not waited for', () => {
  const folder = makeTempFolder();
  const path = join(folder, 'openclaw.json');
  execFileSync('mkfifo', [path]);
  expect(() => readOpenclawConfig(folder, {}, parseJSON5)).toThrow(`${path}: it is not a regular file`);
});

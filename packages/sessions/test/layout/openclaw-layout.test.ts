/** Each case was run with OpenClaw 2026.7.35 and 2026.9.6: `openclaw sessions --json` prints the path. */
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
  ['of several of the newer form none', '{ agents: { entries: { a: {}, b: {} } } }', 'main'],
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

test('agents that share a store have databases of their own beside it', () => {
  const { layout, shown } = look({
    [CONFIG]: '{ agents: { list: [{ id: "a" }, { id: "b" }] }, session: { store: "~/shared/s.json" } }',
  });
  expect([layout.isShared, layout.agentIds]).toEqual([true, ['a', 'b']]);
  expect(['a', 'b'].map((id) => shown(layout.databasePathOf(id)))).toEqual([
    '~/shared/s.sqlite',
    '~/shared/s.b.sqlite',
  ]);
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

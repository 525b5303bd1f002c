import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { listMisfits } from '@openbot/sessions/command-line';
import { expect, test } from 'vitest';
import { SESSION_SETTINGS_COMMANDS } from '../../src/cli/tables/session-settings.ts';
import { SESSION_SETTINGS } from '../../src/session-settings/table.ts';
import { type Home, makeHome } from '../setup/run-openbot.ts';

const GROUP = 'agent:main:telegram:group:-100';

function makeSessions(): Home & { entryOf(key?: string): Record<string, unknown> } {
  const home = makeHome();
  const folder = join(home.stateDir, 'agents/main/sessions');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'sessions.json');
  const entries = {
    'agent:main:main': { sessionId: '11111111-0000-4000-8000-000000000001', updatedAt: 1, foreign: 'kept' },
    [GROUP]: {
      sessionId: '22222222-0000-4000-8000-000000000001',
      updatedAt: 2,
      chatType: 'group',
      label: 'Team',
    },
  };
  writeFileSync(path, JSON.stringify(entries));
  writeFileSync(
    join(home.stateDir, 'openbot.json'),
    '{ agents: { defaults: { thinkingDefault: "low", models: { "script/echo": { alias: "mirror" } } } } }',
  );
  return { ...home, entryOf: (key = 'agent:main:main') => JSON.parse(readFileSync(path, 'utf8'))[key] };
}

test('a secret that is not there keeps no session from being set', async () => {
  const home = makeSessions();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of the file is what is tested
  const providers = { mine: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: '${NOPE}', models: [{ id: 'm' }] } };
  writeFileSync(join(home.stateDir, 'openbot.json'), JSON.stringify({ models: { providers } }));
  expect(await home.run(['sessions', 'set', 'main', 'think=high'])).toMatchObject({ code: 0, stderr: '' });
  expect(home.entryOf()).toMatchObject({ thinkingLevel: 'high' });
});

test('sets, shows and removes what chat commands set, in one change', async () => {
  const home = makeSessions();
  const set = await home.run(['sessions', 'set', 'main', 'think=HIGH', 'model=mirror', 'queue=steer cap:3']);
  expect(set).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'agent:main:main',
      'SETTING  VALUE                                   FROM',
      'model    script/echo                             session',
      'think    high                                    session',
      'queue    steer debounce:1s cap:3 drop:summarize  session',
      '',
    ].join('\n'),
  });
  expect(home.entryOf()).toEqual({
    sessionId: '11111111-0000-4000-8000-000000000001',
    updatedAt: 1,
    foreign: 'kept',
    thinkingLevel: 'high',
    providerOverride: 'script',
    modelOverride: 'echo',
    queueMode: 'steer',
    queueCap: 3,
  });
  await home.run(['sessions', 'set', '1111', 'think=inherit', 'label=Mine', '--unset', 'model,queue']);
  expect(home.entryOf()).toEqual({
    sessionId: '11111111-0000-4000-8000-000000000001',
    updatedAt: 1,
    foreign: 'kept',
    label: 'Mine',
  });
  const { stdout } = await home.run(['sessions', 'set', 'Mine'], { columns: 40, isTTY: true });
  expect(stdout.split('\n').length).toBe(SESSION_SETTINGS.length + 3);
  for (const line of stdout.split('\n'))
    expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(40);
});

test('--json has every setting', async () => {
  const home = makeSessions();
  const printed = await home.json<{ settings: unknown[] }>('sessions', 'set', 'Team', 'activation=always');
  const [shape] = Object.values(await SESSION_SETTINGS_COMMANDS[0]!.results!());
  expect(listMisfits(shape!, printed)).toEqual([]);
  expect(printed).toMatchObject({ key: GROUP, changed: ['activation'] });
  expect(printed.settings).toContainEqual({ name: 'activation', value: 'always', isSet: true });
  expect(printed.settings).toContainEqual({ name: 'think', value: 'low', isSet: false });
  expect(home.entryOf(GROUP)).toMatchObject({
    groupActivation: 'always',
    groupActivationNeedsSystemIntro: true,
  });
});

test.each([
  [['main', 'think=hgih'], 'think is not set: "hgih" is none of'],
  [['main', 'thnik=high'], 'Did you mean think?'],
  [['main', 'thinking=high'], 'Did you mean think?'],
  [['main', 'think'], "'think' is no setting with a value"],
  [['main', 'think='], "'think=' is no setting with a value"],
  [['main', 'think=high', '--unset', 'think'], 'think is given twice'],
  [['main', '--unset', 'thnik'], 'There is no setting --unset thnik'],
  [['main', 'label=Team'], 'Another session has the label "Team"'],
  [['main', 'activation=always'], 'Only a group has an activation'],
  [['main', 'think=high', 'model=nosuch/model'], 'There is no model "nosuch/model"'],
  [['agent:main:mian', 'think=high'], 'Did you mean agent:main:main?'],
  [['agent:main:mian', 'think=high'], "There is no session 'agent:main:mian' in "],
  [[], 'Which session?'],
])('refuses %j and changes nothing', async (args, text) => {
  const home = makeSessions();
  const before = [home.entryOf(), home.entryOf(GROUP)];
  const ran = await home.run(['sessions', 'set', ...args]);
  expect(ran.stderr).toContain(text);
  expect(ran.code).not.toBe(0);
  expect(ran.stdout).toBe('');
  expect([home.entryOf(), home.entryOf(GROUP)]).toEqual(before);
});

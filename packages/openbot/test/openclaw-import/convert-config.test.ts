import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveAgentSettings } from '../../src/config/agents.ts';
import { checkConfig } from '../../src/config/check-config.ts';
import { loadBotConfig } from '../../src/config/load-config.ts';
import { convertConfig } from '../../src/openclaw-import/convert-config.ts';
import { findOpenclaw } from '../../src/openclaw-import/find-openclaw.ts';
import { importOpenclaw } from '../../src/openclaw-import/import-openclaw.ts';
import { makeOpenclawHome } from './openclaw-home.ts';

function convert(config: object | string, env: Record<string, string> = {}, dotEnv = '') {
  const home = makeOpenclawHome();
  home.configure(config);
  mkdirSync(join(home.stateDir, 'workspace'));
  mkdirSync(join(home.stateDir, 'workspace-ops'));
  if (dotEnv !== '') writeFileSync(join(home.stateDir, '.env'), dotEnv);
  const stateDir = join(home.stateDir, '../own');
  const source = findOpenclaw(home.stateDir, { stateDir, env, cwd: '/' });
  const path = join(stateDir, 'openbot.json');
  const converted = convertConfig(source, { path, env });
  const wrong = checkConfig(converted.config, { path, env }).faults.filter(({ isLocal }) => !isLocal);
  expect(wrong).toEqual([]);
  return { ...converted, stateDir: home.stateDir, left: converted.leftOut.map(({ what }) => what) };
}

it('gives each secret a file of its own, and leaves one that is there as it is', async () => {
  const home = makeOpenclawHome();
  const accounts = Object.fromEntries(
    ['工作', '家庭', 'work', 'Work'].map((name) => [name, { botToken: `secret of ${name}` }]),
  );
  home.configure({ channels: { telegram: { botToken: 'new', accounts }, discord: { token: 'same' } } });
  const stateDir = join(home.stateDir, '../own');
  mkdirSync(join(stateDir, 'secrets'), { recursive: true });
  const own = (name: string) => join(stateDir, 'secrets', name);
  writeFileSync(own('channels-telegram-botToken'), 'of another bot\n');
  writeFileSync(own('channels-discord-token'), 'same');
  await importOpenclaw({ path: home.stateDir, stateDir, env: {}, cwd: '/', dryRun: false, now: 0 });

  home.configure({ channels: { telegram: { botToken: 'new' } }, session: { dmScope: 'per-peer' } });
  const again = { path: home.stateDir, stateDir, env: {}, cwd: '/', dryRun: false, now: 0 };
  expect((await importOpenclaw(again)).leftOut).toEqual(
    ['channels', 'session'].map((what) => ({ what, why: expect.stringContaining('keeps its own settings') })),
  );
  const { config } = await loadBotConfig(stateDir, {});
  expect(config.channels).toMatchObject({
    telegram: { botToken: 'new', accounts },
    discord: { token: 'same' },
  });
  expect(readFileSync(own('channels-telegram-botToken'), 'utf8')).toBe('of another bot\n');
  const names = readdirSync(join(stateDir, 'secrets'));
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(7);
  expect(names).toContain('channels-telegram-accounts-work-botToken');
});

describe('an openclaw.json', () => {
  it('gives what is known here; the rest is named with a reason, and never a value', () => {
    const { config, leftOut, left } = convert({
      meta: { lastTouchedVersion: '2026.9.6' },
      session: {
        dmScope: 'per-channel-peer',
        identityLinks: { ann: ['telegram:1', 'discord:2'] },
        store: '~/elsewhere/{agentId}/sessions.json',
        reset: { mode: 'idle', idleMinutes: 60 },
        maintenance: { mode: 'warn' },
      },
      messages: { queue: { mode: 'collect', cap: 5 }, tts: 'secret-looking' },
      channels: { telegram: { enabled: true, allowFrom: [42], dmPolicy: 'pairing' } },
      gateway: { port: 18789, auth: { token: 'gateway-secret' } },
    });
    expect(config).toMatchObject({
      session: {
        dmScope: 'per-channel-peer',
        identityLinks: { ann: ['telegram:1', 'discord:2'] },
        reset: { mode: 'idle', idleMinutes: 60 },
      },
      messages: { queue: { mode: 'collect', cap: 5 } },
      channels: { telegram: { enabled: true, allowFrom: [42], dmPolicy: 'pairing' } },
    });
    expect(left.sort()).toEqual(['gateway', 'messages.tts', 'session.maintenance', 'session.store']);
    expect(JSON.stringify([config, leftOut])).not.toMatch(/gateway-secret|secret-looking|lastTouched/);
  });

  it('keeps its agents, their order, the default one and their workspaces, in both forms', () => {
    const entries = convert({
      agents: {
        defaults: { model: 'anthropic/claude-sonnet-4-5', systemAgent: { agentId: 'ops' } },
        entries: { main: { name: 'Claw' }, ops: {}, far: { workspace: '~/far' } },
      },
    });
    expect(entries.config.agents).toEqual({
      defaults: { model: 'anthropic/claude-sonnet-4-5' },
      list: [
        { id: 'main', name: 'Claw' },
        { id: 'ops', default: true, workspace: join(entries.stateDir, 'workspace') },
        { id: 'far', workspace: '~/far' },
      ],
    });
    const list = convert({ agents: { list: [{ id: 'main' }, { id: 'ops' }] } });
    expect(list.config.agents).toEqual({
      list: [
        { id: 'main', workspace: join(list.stateDir, 'workspace') },
        { id: 'ops', workspace: join(list.stateDir, 'workspace-ops') },
      ],
    });
    const none = convert('{}');
    expect(none.config).toEqual({ agents: { defaults: { workspace: join(none.stateDir, 'workspace') } } });
    expect(none.workspaces).toEqual([join(none.stateDir, 'workspace')]);
  });

  it('leaves out whole bindings and rules, because without a condition they would hold for more', () => {
    const { config, leftOut } = convert({
      agents: { list: [{ id: 'main' }, { id: 'ops' }] },
      bindings: [
        { agentId: 'ops', match: { channel: 'telegram', peer: { kind: 'group', id: '-1' } } },
        { agentId: 'ops', match: { channel: 'discord', newCondition: 'x' } },
        { agentId: 'ghost', match: { channel: 'slack' } },
      ],
      session: {
        sendPolicy: {
          default: 'allow',
          rules: [
            { action: 'deny', match: { channel: 'discord' } },
            { action: 'allow', match: { channel: 'x', newCondition: 1 } },
          ],
        },
      },
    });
    expect(config.bindings).toEqual([
      { agentId: 'ops', match: { channel: 'telegram', peer: { kind: 'group', id: '-1' } } },
    ]);
    expect(config.session).toEqual({
      sendPolicy: { default: 'allow', rules: [{ action: 'deny', match: { channel: 'discord' } }] },
    });
    expect(leftOut).toEqual(
      [
        { what: 'session.sendPolicy.rules[1]', why: 'openbot has no such setting' },
        { what: 'the binding of discord to ops', why: 'match.newCondition: openbot has no such setting' },
        { what: 'the binding of slack to ghost', why: expect.stringContaining('must be one of the agents') },
      ].sort(
        (a, b) =>
          leftOut.findIndex(({ what }) => what === a.what) - leftOut.findIndex(({ what }) => what === b.what),
      ),
    );
  });

  it('denies what it denied, under our names', () => {
    const { config, leftOut } = convert({
      tools: { deny: ['exec', 'browser'], exec: { security: 'full' } },
      agents: {
        defaults: { workspace: '~/w' },
        list: [{ id: 'main' }, { id: 'ops', tools: { allow: ['read', 'sessions_list'], deny: ['write'] } }],
      },
    });
    expect(config.agents).toEqual({
      defaults: { workspace: '~/w', permissions: { deny: ['Bash'] } },
      list: [
        { id: 'main' },
        {
          id: 'ops',
          tools: { allow: ['read_file', 'list_files', 'grep', 'sessions_list'] },
          permissions: { deny: ['Bash', 'Write'] },
        },
      ],
    });
    expect(config.tools).toEqual({ exec: { security: 'full' } });
    expect(leftOut).toEqual([{ what: 'tools.deny: browser', why: expect.any(String) }]);
  });

  it('denies tools that have the same name here, their groups and patterns', () => {
    const denied = (...deny: string[]) => {
      const { config, leftOut } = convert({ tools: { deny } });
      const { defaults } = (config.agents ?? {}) as { defaults?: { permissions?: { deny?: string[] } } };
      return [defaults?.permissions?.deny, leftOut.length];
    };
    expect(denied('sessions_spawn', 'Message', 'memory_search')).toEqual([
      ['sessions_spawn', 'message', 'memory_search'],
      0,
    ]);
    expect(denied('group:messaging', 'sessions_s*')).toEqual([
      ['message', 'sessions_send', 'sessions_spawn'],
      0,
    ]);
    expect(denied('web_*')).toEqual([undefined, 1]);
    expect(denied('*')).toEqual([
      expect.arrayContaining(['Bash', 'Read', 'Write', 'message', 'claude_code', 'context_clean']),
      0,
    ]);
  });

  it('allows everything for *, and what a profile allows', () => {
    const allowed = (tools: Record<string, unknown>) => {
      const { config, leftOut } = convert({ tools });
      const { defaults } = (config.agents ?? {}) as { defaults?: { tools?: { allow?: string[] } } };
      return [defaults?.tools?.allow, leftOut.map(({ what }) => what)];
    };
    expect(allowed({ allow: ['*'] })).toEqual([undefined, []]);
    expect(allowed({ allow: ['group:memory', 'group:web'] })).toEqual([
      ['memory_search'],
      ['tools.allow: group:web'],
    ]);
    expect(allowed({ profile: 'minimal' })).toEqual([['session_status'], []]);
    expect(allowed({ profile: 'messaging' })).toEqual([
      ['message', 'sessions_list', 'sessions_history', 'sessions_send', 'session_status'],
      [],
    ]);
    expect(allowed({ profile: 'minimal', allow: ['read'] })).toEqual([
      ['read_file', 'list_files', 'grep'],
      ['tools.profile: minimal'],
    ]);
    expect(allowed({ profile: 'own' })).toEqual([undefined, ['tools.profile: own']]);
  });

  it('turns a channel off whose limit on who may write would be gone, and says what to do', () => {
    const turnedOff = (channels: object) => {
      const { config, warnings } = convert({ channels }, { TOKEN: 'x' });
      for (const { what, why } of warnings) {
        const [name] = what.split(' ');
        expect(why).toContain(`openbot config set ${name}.enabled true`);
      }
      return [config.channels, warnings.map(({ what, why }) => `${what}: ${/not: (.*?)\. /.exec(why)?.[1]}`)];
    };
    const token = `\${TOKEN}`;
    const off = { botToken: token, enabled: false };
    const telegram = (settings: object) => turnedOff({ telegram: { botToken: token, ...settings } });
    // Limits that hold here stay as they are.
    const held = [
      ...['allowlist', 'disabled', 'pairing'].map((dmPolicy) => ({ dmPolicy })),
      { groupPolicy: 'allowlist', groupAllowFrom: [1] },
      { enabled: true, groups: { '*': { requireMention: true, allowFrom: [1] } } },
      { groups: { '-1': { requireMention: false }, '-2': {}, '-3': { enabled: false, topics: { 4: {} } } } },
      { groupPolicy: 'open', groups: {} },
    ];
    for (const limits of held)
      expect(telegram(limits)).toEqual([{ telegram: { botToken: token, ...limits } }, []]);
    expect(telegram({ groups: { '-1': { skills: ['x'] } } })).toEqual([
      { telegram: { botToken: token, groups: { '-1': {} } } },
      [],
    ]);
    // In OpenClaw that is no open door.
    expect(telegram({ dmPolicy: 'open', allowFrom: [1], accounts: { a: { allowFrom: ['*'] } } })).toEqual([
      {
        telegram: {
          botToken: token,
          dmPolicy: 'allowlist',
          allowFrom: [1],
          accounts: { a: { allowFrom: ['*'] } },
        },
      },
      [],
    ]);
    // Those that are not known here.
    expect(telegram({ groupPolicy: 'members', groups: { '-1': { allow: false } } })).toEqual([
      { telegram: { ...off, groups: { '-1': {} } } },
      [expect.stringMatching(/^channels.telegram is turned off: .*groupPolicy.*allow$/)],
    ]);
    expect(
      turnedOff({
        discord: { token, dm: { policy: 'allowlist' } },
        slack: { botToken: token, dm: { enabled: false }, accounts: { b: { groupPolicy: 'open' } } },
        irc: { token, accounts: { a: { token, dmPolicies: 'x', dm: { policy: 'disabled' } }, b: { token } } },
      }),
    ).toEqual([
      {
        discord: { token, dm: { policy: 'allowlist' }, enabled: false },
        slack: { ...off, dm: { enabled: false }, accounts: { b: { groupPolicy: 'open' } } },
        irc: {
          token,
          accounts: {
            a: { token, dmPolicies: 'x', dm: { policy: 'disabled' }, enabled: false },
            b: { token },
          },
        },
      },
      [
        'channels.discord is turned off: channels.discord.dm.policy',
        'channels.slack is turned off: channels.slack.dm.enabled',
        'channels.irc.accounts.a is turned off: channels.irc.accounts.a.dm.policy',
      ],
    ]);
    const defaults = { groupPolicy: 'disabled', otherPolicy: 'strict' };
    expect(turnedOff({ defaults: { groupPolicy: 'disabled' }, telegram: { botToken: token } })).toEqual([
      { telegram: { botToken: token, groupPolicy: 'disabled' } },
      [],
    ]);
    expect(turnedOff({ defaults, telegram: { botToken: token, groupPolicy: 'open' } })).toEqual([
      { telegram: { ...off, groupPolicy: 'open' } },
      ['channels.telegram is turned off: channels.defaults.otherPolicy'],
    ]);
    const open = { dmPolicy: 'open', allowFrom: ['*'], groupPolicy: 'open', streaming: { enabled: false } };
    expect(telegram(open)).toEqual([{ telegram: { botToken: token, ...open } }, []]);
    expect(telegram({ enabled: false, xPolicy: 'strict' })).toEqual([
      { telegram: { ...off, xPolicy: 'strict' } },
      [],
    ]);
  });

  it('runs no command of an agent whose commands ran in a sandbox', () => {
    const full = { exec: { security: 'full', timeoutSec: 5 } };
    const run = (agents: object) => {
      const { config, warnings, stateDir } = convert({ tools: full, agents });
      const security = ['main', 'ops'].map(
        (agentId) => resolveAgentSettings({ config, agentId, stateDir, env: {} }).exec.security,
      );
      return [...security, ...warnings.map(({ what }) => what)];
    };
    const list = [{ id: 'main' }, { id: 'ops', tools: full }];
    expect(run({ list })).toEqual(['full', 'full']);
    expect(run({ defaults: { sandbox: { mode: 'non-main' } }, list })).toEqual([
      ...['deny', 'deny', 'agents.defaults: no command runs', 'agents.list[1]: no command runs'],
    ]);
    expect(
      run({
        list: [
          { id: 'main', sandbox: { mode: 'off' } },
          { id: 'ops', sandbox: { mode: 'all' } },
        ],
      }),
    ).toEqual(['full', 'deny', 'agents.list[1]: no command runs']);
    const { config, stateDir } = convert({
      tools: { allow: ['read'] },
      agents: { list: [{ id: 'ops', sandbox: { mode: 'all' } }] },
    });
    // The list of all agents holds for it as before.
    const { tools } = resolveAgentSettings({ config, agentId: 'ops', stateDir, env: {} });
    expect(tools).toEqual(['read_file', 'list_files', 'grep']);
  });

  it('gives secrets as references: a variable that is set here, else a file; what is not set is left out', () => {
    const { config, secrets, references, left } = convert(
      {
        env: { vars: { OF_CONFIG: 'config-secret' } },
        channels: {
          telegram: { botToken: `\${HERE}` },
          discord: { token: 'plain-secret' },
          slack: {
            botToken: `\${OF_CONFIG}`,
            appToken: { source: 'env', provider: 'default', id: 'DOT_ENV' },
          },
          signal: { token: `\${NOWHERE}` },
          irc: { token: { source: 'exec', provider: 'vault', id: 'irc' } },
        },
        models: {
          providers: {
            far: {
              baseUrl: 'http://127.0.0.1:9/v1',
              api: 'openai-completions',
              apiKey: 'model-secret',
              models: [{ id: 'm' }],
            },
          },
        },
      },
      { HERE: 'here-secret' },
      'DOT_ENV=dotenv-secret\n',
    );
    expect(config.channels).toEqual({
      telegram: { botToken: `\${HERE}` },
      discord: { token: 'file:./secrets/channels-discord-token' },
      slack: {
        botToken: 'file:./secrets/channels-slack-botToken',
        appToken: 'file:./secrets/channels-slack-appToken',
      },
    });
    expect(config.models).toMatchObject({
      providers: { far: { apiKey: 'file:./secrets/models-providers-far-apiKey' } },
    });
    expect(secrets).toEqual([
      { file: 'secrets/channels-discord-token', value: 'plain-secret' },
      { file: 'secrets/channels-slack-botToken', value: 'config-secret' },
      { file: 'secrets/channels-slack-appToken', value: 'dotenv-secret' },
      { file: 'secrets/models-providers-far-apiKey', value: 'model-secret' },
    ]);
    expect(references[0]).toEqual({ setting: 'channels.telegram.botToken', reference: `\${HERE}` });
    expect(left).toEqual(['channels.signal.token', 'channels.irc.token', 'env']);
    expect(JSON.stringify([config, references, left])).not.toMatch(/-secret/);
  });
});

describe('where OpenClaw is', () => {
  it('is said, or found as OpenClaw does; our own folder is refused', () => {
    const home = makeOpenclawHome();
    const place = { stateDir: '/nowhere', env: { HOME: join(home.stateDir, '..') }, cwd: '/' };
    expect(() => findOpenclaw(undefined, place)).toThrow('There is no OpenClaw');
    home.configure('// JSON5\n{ agents: { list: [{ id: "ops" }] }, }');
    home.sessionsDirOf('old');
    const found = findOpenclaw(undefined, place);
    expect(found.agentIds).toEqual(['ops', 'old']);
    expect(findOpenclaw(join(home.stateDir, 'openclaw.json'), place).layout.stateDir).toBe(home.stateDir);
    expect(() => findOpenclaw(home.stateDir, { ...place, stateDir: home.stateDir })).toThrow(
      'openbot itself',
    );
    home.configure('{ broken');
    expect(() => findOpenclaw(home.stateDir, place)).toThrow('openclaw.json');
  });
});

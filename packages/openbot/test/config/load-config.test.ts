// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of the file are what is tested
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../sessions/test/setup/temp-folder.ts';
import { loadBotConfig } from '../../src/config/load-config.ts';

const SECRET = 'sk-live-3141592653589793';

async function load(text: string, env: Record<string, string> = {}, files: Record<string, string> = {}) {
  const stateDir = makeTempFolder();
  writeFileSync(join(stateDir, 'openbot.json'), text);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(stateDir, name), content);
  return (await loadBotConfig(stateDir, env)).config;
}

/** The error without the folder of the file. */
async function fault(text: string, env: Record<string, string> = {}) {
  const error = await load(text, env).then(
    () => expect.fail('it was accepted'),
    (thrown) => thrown,
  );
  return { code: error.code, message: error.message.replace(/\S+openbot\.json/g, 'FILE'), hint: error.hint };
}

describe('reading openbot.json', () => {
  it('a state folder that is a file is refused in a sentence', async () => {
    const stateDir = join(makeTempFolder(), 'file');
    writeFileSync(stateDir, '');
    await expect(loadBotConfig(stateDir, {})).rejects.toMatchObject({
      code: 'USAGE',
      message: `The state folder ${stateDir} is a file, or is inside one`,
    });
  });

  it('leaves out secrets that are not here for what only looks at settings, and nothing else', async () => {
    const stateDir = makeTempFolder();
    const write = (text: string) => writeFileSync(join(stateDir, 'openbot.json'), text);
    write(
      '{ models: { providers: { a: { apiKey: "${NOPE}" }, b: { apiKey: "file:./none" }, c: { apiKey: "${HERE}" } } } }',
    );
    const look = () => loadBotConfig(stateDir, { HERE: SECRET }, { toleratesMissingSecrets: true });
    const { config, notices } = await look();
    expect(config.models?.providers).toEqual({ a: {}, b: {}, c: { apiKey: SECRET } });
    expect(notices).toEqual([
      'models.providers.a.apiKey names the variable NOPE, which is not set',
      expect.stringContaining('models.providers.b.apiKey names a file that is not there'),
    ]);
    write('{ session: { mainKey: "${NOPE}" } }');
    await expect(look()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('without a file the configuration is empty', async () => {
    const stateDir = makeTempFolder();
    await expect(loadBotConfig(stateDir, {})).resolves.toEqual({
      path: join(stateDir, 'openbot.json'),
      exists: false,
      config: {},
      files: [],
      notices: [],
    });
  });

  it('without a state folder too', async () => {
    const { exists } = await loadBotConfig(join(makeTempFolder(), 'none'), {});
    expect(exists).toBe(false);
  });

  it('reads JSON5', async () => {
    const config = await load(`{
      // by hand
      agents: { defaults: { model: 'script/demo', heartbeat: { every: '30m' } }, },
    }`);
    expect(config).toEqual({ agents: { defaults: { model: 'script/demo', heartbeat: { every: '30m' } } } });
  });

  it('reads files that it includes', async () => {
    const config = await load(
      '{ $include: "./agents.json5", session: { mainKey: "home" } }',
      {},
      { 'agents.json5': '{ session: { mainKey: "other", scope: "global" } }' },
    );
    expect(config).toEqual({ session: { mainKey: 'home', scope: 'global' } });
  });

  it('what people bring along from OpenClaw may stay, and is said', async () => {
    const stateDir = makeTempFolder();
    writeFileSync(join(stateDir, 'openbot.json'), '{ meta: {}, channels: { telegram: { botToken: "x" } } }');
    const { notices } = await loadBotConfig(stateDir, {});
    expect(notices).toEqual(['meta has no effect']);
  });
});

describe('reading openclaw.json where there is no openbot.json', () => {
  const OPENCLAW = `{
        agents: {
          defaults: {
            model: { primary: 'anthropic/claude-opus-4-5', fallbacks: ['openai/gpt-5'] },
            models: { 'anthropic/claude-opus-4-5': { alias: 'opus', params: { temperature: 1 } } },
            compaction: { memoryFlush: { enabled: true, softThresholdTokens: 4000 } },
            thinkingDefault: 'low', timeoutSeconds: 600, userTimezone: 'Europe/Berlin', contextTokens: 200000,
          },
          list: [{ id: 'main', default: true, identity: { name: 'Claw' }, skills: ['weather'] }],
        },
        bindings: [{ agentId: 'main', match: { channel: 'telegram', peer: { kind: 'dm', id: '42' } } }],
        session: {
          scope: 'per-sender', dmScope: 'per-channel-peer', identityLinks: { alice: ['telegram:42'] },
          reset: { mode: 'daily', atHour: 4 }, resetByType: { thread: { mode: 'idle', idleMinutes: 90 } },
          sendPolicy: { default: 'allow', rules: [{ action: 'deny', match: { channel: 'discord' } }] },
        },
        channels: { telegram: { enabled: true, botToken: 'x', allowFrom: ['42', 43] }, defaults: {} },
        messages: { queue: { mode: 'steer', byChannel: { discord: 'collect' } }, groupChat: { historyLimit: 50 } },
        tools: { profile: 'coding' }, meta: { lastTouchedVersion: '2026.9.6' },
      }`;

  async function loadForeign(text: string, name = 'openclaw.json') {
    const stateDir = makeTempFolder();
    writeFileSync(join(stateDir, name), text);
    return { stateDir, loaded: await loadBotConfig(stateDir, {}) };
  }

  it.each(['openclaw.json', 'clawdbot.json'])(
    '%s: what is known counts, and the rest means nothing',
    async (name) => {
      const { stateDir, loaded } = await loadForeign(OPENCLAW, name);
      expect(loaded).toMatchObject({
        path: join(stateDir, 'openbot.json'),
        exists: false,
        openclawPath: join(stateDir, name),
        config: { session: { dmScope: 'per-channel-peer' } },
        notices: [],
      });
    },
  );

  it('a variable of what is not known need not be set', async () => {
    const { loaded } = await loadForeign(
      '{ gateway: { token: "${NOT_SET}" }, session: { mainKey: "home" } }',
    );
    expect(loaded.config.session).toEqual({ mainKey: 'home' });
  });

  it('a wrong value of what is known is an error, which says what the file is', async () => {
    await expect(loadForeign('{ session: { dmScope: "other" } }')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('openbot init --from-openclaw'),
    });
  });

  it('openbot.json takes its place as a whole', async () => {
    const stateDir = makeTempFolder();
    writeFileSync(join(stateDir, 'openclaw.json'), '{ session: { mainKey: "home" } }');
    writeFileSync(join(stateDir, 'openbot.json'), '{}');
    expect((await loadBotConfig(stateDir, {})).config).toEqual({});
  });
});

describe('variables', () => {
  it('fills in the value wherever a text names it', async () => {
    const config = await load(
      '{ channels: { telegram: { botToken: "${TOKEN}" } }, messages: { responsePrefix: "x/${TOKEN}/${HOST_1}" } }',
      { TOKEN: SECRET, HOST_1: 'a' },
    );
    expect(config).toEqual({
      channels: { telegram: { botToken: SECRET } },
      messages: { responsePrefix: `x/${SECRET}/a` },
    });
  });

  it('leaves a doubled dollar, small letters and plain dollars as text', async () => {
    const config = await load('{ skills: { allowBundled: ["$${TOKEN}", "${token}", "$TOKEN", "5$"] } }', {
      TOKEN: SECRET,
    });
    expect(config.skills?.allowBundled).toEqual(['${TOKEN}', '${token}', '$TOKEN', '5$']);
  });

  it('a value is not read a second time', async () => {
    const { session } = await load('{ session: { mainKey: "${ONE}" } }', { ONE: '${TWO}', TWO: 'x' });
    expect(session?.mainKey).toBe('${TWO}');
  });

  it.each<Record<string, string>>([{}, { TELEGRAM_TOKEN: '' }])(
    'a missing one is an error that names setting and variable: %j',
    async (env) => {
      expect(await fault('{ agents: { list: [{ id: "a", name: "${TELEGRAM_TOKEN}" }] } }', env)).toEqual({
        code: 'CONFIG_INVALID',
        message: 'FILE: agents.list[0].name names the variable TELEGRAM_TOKEN, which is not set',
        hint: 'Set TELEGRAM_TOKEN in the environment. To write the text itself: $${TELEGRAM_TOKEN}',
      });
    },
  );
});

describe('compaction', () => {
  const settings = (compaction: object, more: object = {}) =>
    JSON.stringify({ agents: { defaults: { model: 'far/m', contextTokens: 100_000, compaction, ...more } } });
  const soft = (softThresholdTokens: number) => ({ memoryFlush: { softThresholdTokens } });

  it.each([
    settings({ reserveTokensFloor: 5000, ...soft(4000) }),
    settings({ reserveTokensFloor: 92_000, ...soft(7999) }),
    settings({ reserveTokensFloor: 0, ...soft(99_999) }),
    settings({ memoryFlush: { enabled: false, softThresholdTokens: 200_000 } }),
    // Not even half of it can be kept free by default.
    settings({}, { contextTokens: 10 }),
    settings({ reserveTokensFloor: 900_000 }, { contextTokens: undefined }),
  ])('%s is sound', async (text) => {
    expect((await load(text)).agents).toBeDefined();
  });

  it.each([
    [
      settings({ reserveTokensFloor: 95_000 }),
      'agents.defaults.compaction.reserveTokensFloor must be at most 92000: the window of far/m has 100000 tokens, and a conversation needs the rest',
    ],
    [
      settings({ reserveTokensFloor: 5000, ...soft(95_000) }),
      'agents.defaults.compaction.memoryFlush.softThresholdTokens must be less than 95000: the window of far/m has 100000 tokens and is compacted from there on, so that memories could never be saved before',
    ],
    [
      settings(soft(16_000), { contextTokens: undefined, models: { 'near/n': { contextWindow: 20_000 } } }),
      'agents.defaults.compaction.memoryFlush.softThresholdTokens must be less than 16000: the window of near/n has 20000 tokens',
    ],
    [
      JSON.stringify({
        agents: {
          defaults: { model: 'far/m', compaction: { reserveTokensFloor: 30_000 } },
          list: [{ id: 'a' }, { id: 'b', compaction: { reserveTokensFloor: 33_000 } }],
        },
        models: {
          providers: { far: { baseUrl: 'http://x', models: [{ id: 'm', contextWindow: 40_000 }] } },
        },
      }),
      'agents.list[1].compaction.reserveTokensFloor must be at most 32000: the window of far/m has 40000 tokens',
    ],
  ])('%s is refused with both figures', async (text, message) => {
    const { code, message: found } = await fault(text);
    expect(code).toBe('CONFIG_INVALID');
    expect(found).toContain(message);
  });
});

describe('runners', () => {
  it.each([
    '{ agents: { defaults: { model: "anthropic/claude-opus-5", runner: "claude" } } }',
    '{ agents: { defaults: { model: "anthropic/claude-opus-5", runner: "pi" } } }',
    // What takes over may be of another program.
    '{ agents: { defaults: { model: { primary: "anthropic/x", fallbacks: ["openai/gpt-5"] }, runner: "claude" } } }',
    '{ agents: { defaults: { model: "script/echo", runner: "claude" }, list: [{ id: "a", model: "anthropic/x" }, { id: "b" }] } }',
    '{ agents: { defaults: { runner: "claude" }, entries: { a: { model: "openai/x", runner: "pi" } } } }',
  ])('%s is sound', async (text) => {
    expect((await load(text)).agents).toBeDefined();
  });

  it.each([
    [
      '{ agents: { list: [{ id: "a", model: "claude/opus", runner: "pi" }] } }',
      'agents.list[0].runner must be a program that can run claude/opus, and pi cannot',
    ],
    [
      '{ agents: { defaults: { model: { primary: "openai/gpt-5", fallbacks: ["groq/x"] }, runner: "claude" } } }',
      'agents.defaults.runner must be a program that can run openai/gpt-5, groq/x, and claude cannot',
    ],
  ])('%s is not', async (text, expected) => {
    const { message, hint } = await fault(text);
    expect(message).toBe(`FILE: ${expected}`);
    expect(hint).toMatch(/^(?:pi|claude) runs models /);
  });
});

describe('wrong values', () => {
  it.each([
    ['{ agents: [] }', 'agents must be an object'],
    [
      '{ channels: { telegram: { groups: { "*": { requireMention: 1 } } } } }',
      'channels.telegram.groups.*.requireMention must be true or false',
    ],
    [
      '{ channels: { telegram: { replyToMode: "some" } } }',
      'channels.telegram.replyToMode must be one of off, first, all',
    ],
    ['[]', 'the file must be an object'],
    [
      '{ agents: { defaults: { timeoutSeconds: "600" } } }',
      'agents.defaults.timeoutSeconds must be a number of seconds above 0',
    ],
    [
      '{ agents: { defaults: { timeoutSeconds: 0 } } }',
      'agents.defaults.timeoutSeconds must be a number of seconds above 0',
    ],
    ['{ agents: { defaults: { runner: "cursor" } } }', 'agents.defaults.runner must be one of'],
    ['{ agents: { list: [{}] } }', 'agents.list[0].id must be text'],
    ['{ agents: { list: [{ id: " " }] } }', 'agents.list[0].id must not be empty'],
    [
      '{ agents: { defaults: { model: 1 } } }',
      'agents.defaults.model must be text such as provider/model, or an object with primary and fallbacks',
    ],
    [
      '{ agents: { defaults: { userTimezone: "Mars/Olympus" } } }',
      'agents.defaults.userTimezone must be the name of a time zone, such as Europe/Berlin',
    ],
    [
      '{ agents: { defaults: { tools: { deny: ["exec"] } } } }',
      'agents.defaults.tools.deny is not known here',
    ],
    [
      '{ agents: { defaults: { tools: { exec: { security: "open" } } } } }',
      'agents.defaults.tools.exec.security must',
    ],
    ['{ tools: { exec: { ask: "sometimes" } } }', 'tools.exec.ask'],
    ['{ tools: { exec: { timeoutSec: 0 } } }', 'tools.exec.timeoutSec'],
    [
      '{ agents: { defaults: { permissions: { allow: ["Bash(git"] } } } }',
      'agents.defaults.permissions.allow',
    ],
    ['{ agents: { defaults: { permissions: { ask: "never" } } } }', 'agents.defaults.permissions.ask'],
    [
      '{ agents: { defaults: { heartbeat: { every: "soon" } } } }',
      'agents.defaults.heartbeat.every must be a length of time such as 30m or 1h',
    ],
    [
      '{ agents: { list: [{ id: "a", heartbeat: { activeHours: { start: "8:00" } } }] } }',
      'agents.list[0].heartbeat.activeHours.start must be a time such as 08:30',
    ],
    [
      '{ agents: { defaults: { heartbeat: { activeHours: { start: "09:00", end: "09:00" } } } } }',
      'agents.defaults.heartbeat.activeHours must have an end that is not its start',
    ],
    [
      '{ agents: { defaults: { heartbeat: { activeHours: { timezone: "Mars/Olympus" } } } } }',
      'agents.defaults.heartbeat.activeHours.timezone must be user, local or the name of a time zone, such as Europe/Berlin',
    ],
    [
      '{ session: { dmScope: "per-peeer" } }',
      'session.dmScope must be one of main, per-peer, per-channel-peer, per-account-channel-peer',
    ],
    ['{ session: { reset: { atHour: 25 } } }', 'session.reset.atHour must be an hour from 0 to 23'],
    [
      '{ session: { identityLinks: { alice: "telegram:1" } } }',
      'session.identityLinks.alice must be a list of ids',
    ],
    ['{ bindings: [{ agentId: "main", match: {} }] }', 'bindings[0].match.channel must be text'],
    ['{ messages: { queue: { cap: 0 } } }', 'messages.queue.cap must be a whole number, 1 or more'],
    [
      '{ session: { scope: "global", store: "/x.json" }, agents: { list: [{ id: "a" }, { id: "b" }] } }',
      'session.store must contain {agentId}: with session.scope "global" each agent has a session of that name',
    ],
    [
      '{ agents: { list: [{ id: "Main" }] }, bindings: [{ agentId: "mian", match: { channel: "x" } }] }',
      'bindings[0].agentId must be one of the agents: main',
    ],
    [
      '{ bindings: [{ agentId: "ghost", match: { channel: "x" } }] }',
      'bindings[0].agentId must be one of the agents: main',
    ],
    ['{ agents: { list: [{ id: "../x" }] } }', 'agents.list[0].id must be a plain name'],
    ['{ agents: { entries: { "a/b": {} } } }', 'agents.entries.a/b must be a plain name'],
    [
      '{ agents: { list: [{ id: "a" }, { id: "A" }] } }',
      'agents.list[1].id must not be the id of another agent',
    ],
  ])('%s', async (text, expected) => {
    const { code, message, hint } = await fault(text);
    expect([code, message, hint]).toEqual([
      'CONFIG_INVALID',
      expect.stringContaining(`FILE: ${expected}`),
      'Correct the value, or leave the setting out',
    ]);
  });

  it.each([
    ['{ sesion: {} }', 'sesion is not a setting. Did you mean session?'],
    ['{ session: { dmscope: "main" } }', 'session.dmscope is not a setting. Did you mean dmScope?'],
    [
      '{ agents: { list: [{ id: "a", modle: "x" }] } }',
      'agents.list[0].modle is not a setting. Did you mean model?',
    ],
    [
      '{ agents: { defaults: { tools: { alow: [] } } } }',
      'agents.defaults.tools.alow is not a setting. Did you mean allow?',
    ],
    ['{ zzzzzzzzzz: 1 }', 'zzzzzzzzzz is not a setting'],
    [
      '{ channels: { telegram: { allowfrom: [] } } }',
      'channels.telegram.allowfrom is not a setting. Did you mean allowFrom?',
    ],
  ])('a name that is not known: %s', async (text, expected) => {
    expect((await fault(text)).message).toBe(`FILE: ${expected}`);
  });

  it('names every fault on a line of its own', async () => {
    const { message } = await fault('{ session: { scope: 1, mainKey: 2 } }');
    expect(message).toBe(
      'FILE: session.scope must be one of per-sender, global\nFILE: session.mainKey must be text',
    );
  });

  it('never shows a value, which may be a secret', async () => {
    for (const text of [
      `{ session: { scope: "\${KEY}", mainKey: ["\${KEY}"] } }`,
      `{ session: { scope: "${SECRET}" } }`,
      `{ key: ${SECRET} }`,
      `{ "key": "${SECRET}", }}`,
      `{ key: "${SECRET}`,
    ]) {
      const error = await load(text, { KEY: SECRET }).catch((thrown) => thrown);
      const shown = [error.message, error.hint, error.stack, String(error.cause), JSON.stringify(error)].join(
        '\n',
      );
      expect(error.code).toBe('CONFIG_INVALID');
      expect(shown).not.toContain(SECRET.slice(0, 5));
    }
  });
});

describe('files that cannot be read', () => {
  it('a folder in its place', async () => {
    const stateDir = makeTempFolder();
    mkdirSync(join(stateDir, 'openbot.json'));
    await expect(loadBotConfig(stateDir, {})).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `Cannot read ${join(stateDir, 'openbot.json')}: it is a folder`,
    });
  });

  it('a link that leads nowhere is not the same as no file', async () => {
    const stateDir = makeTempFolder();
    symlinkSync(join(stateDir, 'none'), join(stateDir, 'openbot.json'));
    await expect(loadBotConfig(stateDir, {})).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('a torn file names the position', async () => {
    expect(await fault('{ agents: { defaults: ')).toEqual({
      code: 'CONFIG_INVALID',
      message: 'Cannot read FILE: JSON5: invalid end of input at 1:23',
      hint: 'Correct the file, or move it away: without it the defaults hold',
    });
  });
});

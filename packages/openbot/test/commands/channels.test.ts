// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of the file are what is tested
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMisfits, type ResultShape } from '@openbot/sessions/command-line';
import { beforeEach, expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { CHANNEL_KINDS, type ChannelKind } from '../../src/channels/all.ts';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import * as shapes from '../../src/commands/channels/result-shapes.ts';
import { parseJson5 } from '../../src/config/parse-json5.ts';
import { WhatsAppBench } from '../channels/whatsapp/whatsapp-bench.ts';
import { runHere } from '../setup/run-here.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const SECRET = '12345:a-secret-token';

/** A network in memory that knows one token. */
const KIND: ChannelKind = {
  label: 'Memory',
  packages: [],
  credential: 'botToken',
  credentialHint: 'Ask the operator of the network for a token',
  variable: 'MEMORY_TOKEN',
  load: async () => ({
    driver: {
      open: ({ accountId, settings }) =>
        Object.assign(new MemoryChannel({ accountId }), {
          probe: async () => {
            if (settings.botToken === SECRET) return `Memory: connected as @${accountId}`;
            throw new Error(`The network does not know ${settings.botToken}`);
          },
        }),
    },
  }),
};

beforeEach(() => {
  const kinds = CHANNEL_KINDS as Record<string, ChannelKind>;
  kinds.memory = KIND;
  kinds.absent = {
    ...KIND,
    label: 'Absent',
    packages: ['@openbot/none', '@openbot/no'],
    variable: undefined,
  };
  afterTest(() => {
    delete kinds.memory;
    delete kinds.absent;
  });
});

function makePlace() {
  const home = makeTempFolder();
  const stateDir = join(home, 'state');
  const env = { HOME: home, PATH: process.env.PATH, OPENBOT_STATE_DIR: stateDir };
  const channels = (args: readonly string[], more: { input?: string; env?: object } = {}) =>
    runHere(['channels', ...args], { env: { ...env, ...more.env }, cwd: home, input: more.input });
  const json = async (shape: ResultShape, args: readonly string[], more = {}) => {
    const { code, stdout, stderr } = await channels([...args, '--json'], more);
    expect(code, stderr).toBe(0);
    const result = JSON.parse(stdout);
    expect(listMisfits(shape, result)).toEqual([]);
    return result;
  };
  const config = () => parseJson5(readFileSync(join(stateDir, 'openbot.json'), 'utf8'));
  return { stateDir, channels, json, config };
}

test('an account is added, shown, tested and removed, and its secret is nowhere to be seen', async () => {
  const { stateDir, channels, json, config } = makePlace();
  const shown: string[] = [];
  const run = async (...args: Parameters<typeof channels>) => {
    const ran = await channels(...args);
    shown.push(ran.stdout, ran.stderr);
    return ran;
  };
  const refused = await run(['add', 'memory']);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Ask the operator of the network'),
  });
  const added = await run(['add', 'memory', '--token', '-', '--name', 'House bot'], { input: `${SECRET}\n` });
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('Memory: connected as @default') });
  const file = join(stateDir, 'secrets', 'memory-default');
  expect(readFileSync(file, 'utf8')).toBe(`${SECRET}\n`);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o077).toBe(0);
  const memory = { enabled: true, name: 'House bot', botToken: 'file:./secrets/memory-default' };
  expect(config()).toEqual({ channels: { memory } });

  await run([
    'add',
    'memory',
    '--account',
    'Work',
    '--token-env',
    'WORK_TOKEN',
    '--set',
    'allowFrom=["42"]',
    '--no-test',
  ]);
  const work = { enabled: true, allowFrom: ['42'], botToken: '${WORK_TOKEN}' };
  expect(config()).toEqual({ channels: { memory: { ...memory, accounts: { work } } } });

  const listed = await json(shapes.CHANNELS_LIST, ['list']);
  expect(listed.accounts).toEqual([
    {
      channel: 'memory',
      accountId: 'default',
      name: 'House bot',
      enabled: true,
      hasDriver: true,
      hasCredential: true,
    },
    // The variable is not set, and the token of the channel belongs to another account.
    expect.objectContaining({ channel: 'memory', accountId: 'work', hasCredential: false }),
  ]);
  expect(listed.networks.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['memory', 'absent']),
  );
  expect((await run(['list'])).stdout).toMatch(/memory +default +House bot +on/);
  expect((await run(['status'])).stdout).toContain('The gateway is not running');
  expect(await json(shapes.CHANNELS_STATUS, ['status'])).toMatchObject({
    running: false,
    accounts: [{ accountId: 'default', health: { state: 'stopped' } }, { accountId: 'work' }],
  });

  const set = { env: { WORK_TOKEN: SECRET } };
  expect(await json(shapes.CHANNELS_TEST, ['test', 'memory', '--account', 'work'], set)).toMatchObject({
    probe: 'Memory: connected as @work',
  });
  const wrong = await run(['test', 'memory', '--account', 'work'], { env: { WORK_TOKEN: 'another-token' } });
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The network does not know ********'),
  });
  const unsent = await run(['test', 'memory', '--to', '42'], set);
  expect(unsent).toMatchObject({ code: 2, stderr: expect.stringContaining('No gateway runs') });
  expect(await run(['test', 'memory', '--account', 'none'], set)).toMatchObject({ code: 1 });

  const again = await json(shapes.CHANNELS_ADD, ['add', 'memory', '--token', '-'], { input: SECRET, ...set });
  expect(again.changed).toBe(false);
  const other = await run(['add', 'memory', '--token', '-'], { input: '12345:a-wrong-one', ...set });
  expect(other).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('saved, but the network refused it: The network does not know ********'),
  });
  const back = await json(shapes.CHANNELS_ADD, ['add', 'memory', '--token', '-'], { input: SECRET, ...set });
  expect(back.changed).toBe(true);

  expect(await run(['remove', 'memory', '--account', 'work'])).toMatchObject({ code: 2 });
  const all = await run(['remove', 'memory', '--yes']);
  expect(all).toMatchObject({ code: 2, stderr: expect.stringContaining('remove memory --all') });
  await json(shapes.CHANNELS_REMOVE, ['remove', 'memory', '--account', 'work', '--yes']);
  expect(config()).toEqual({ channels: { memory } });
  const removed = await json(shapes.CHANNELS_REMOVE, ['remove', 'memory', '--yes']);
  expect(removed).toMatchObject({ accountId: 'default', secretPath: file });
  expect(Object.keys(config() as object)).toEqual([]);
  expect(shown.join('')).not.toContain('a-secret-token');
});

test('a package that is missing is named with the one command that installs it', async () => {
  const { json, channels } = makePlace();
  const args = ['add', 'absent', '--token', SECRET];
  const { install, notices } = await json(shapes.CHANNELS_ADD, args);
  expect(install).toBe('npm install @openbot/none @openbot/no');
  expect(notices.join()).toContain('history of your shell');
  const { stderr } = await channels(['test', 'absent']);
  expect(stderr).toContain(
    'Absent needs the packages @openbot/none and @openbot/no, which are not installed',
  );
  expect(stderr).toContain('npm install @openbot/none @openbot/no');
});

test('a variable of the environment is enough for the account default', async () => {
  const { json, config } = makePlace();
  const { probe } = await json(shapes.CHANNELS_ADD, ['add', 'memory'], { env: { MEMORY_TOKEN: SECRET } });
  expect(probe).toBe('Memory: connected as @default');
  expect(config()).toEqual({ channels: { memory: { enabled: true } } });
});

test('a test of WhatsApp says what WhatsApp answers, and nothing of webhooks, which come to the gateway', async () => {
  const { stateDir, json } = makePlace();
  const bench = await WhatsAppBench.start();
  const { phoneNumberId, accessToken, appSecret, verifyToken, url: apiRoot } = bench.api;
  const whatsapp = { enabled: true, phoneNumberId, accessToken, appSecret, verifyToken, apiRoot };
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(join(stateDir, 'openbot.json'), JSON.stringify({ channels: { whatsapp } }));
  // The bot has had one, of which this command cannot know.
  expect(await bench.write({ text: 'hi' })).toBe(200);
  const { probe } = await json(shapes.CHANNELS_TEST, ['test', 'whatsapp']);
  expect(probe).toBe('WhatsApp: +1 555-010-0000, Bot');
});

test('networks without a login say what to do instead', async () => {
  const { json, channels } = makePlace();
  expect(await json(shapes.CHANNELS_LOGIN, ['login', 'memory'])).toMatchObject({
    command: 'openbot channels add memory',
  });
  expect((await channels(['login', 'memory'])).stdout).toContain(
    'Ask the operator of the network for a token',
  );
  const wrong = await channels(['login', 'memmory']);
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean memory?') });
});

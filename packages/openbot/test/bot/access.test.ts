import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MsgContext } from '@openbot/sessions';
import { listMisfits } from '@openbot/sessions/command-line';
import { expect, test } from 'vitest';
import type { ChannelHost } from '../../src/channels/contract.ts';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import { PAIRING_APPROVE, PAIRING_CHANGE, PAIRING_LIST } from '../../src/commands/pairing/result-shapes.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { openState } from '../../src/state/open-state.ts';
import { openChat } from '../setup/chat.ts';
import { runHere } from '../setup/run-here.ts';
import { BotHome, Chat, type HomeOptions, PARROT } from './bot-home.ts';

const HOUR = 3_600_000;
const PAIRING = { dmPolicy: 'pairing', groupPolicy: 'allowlist', rateLimit: 20 } as const;

async function openGate(home: BotHome, chat: Chat, options: HomeOptions = {}) {
  const { config = {}, ...rest } = options;
  const { name } = chat.channel;
  const channels = { ...config.channels, [name]: { ...PAIRING, ...config.channels?.[name] } };
  return home.open({ play: PARROT, channels: [chat.channel], config: { ...config, channels }, ...rest });
}

const pairing = (home: BotHome, ...args: string[]) =>
  runHere(['pairing', ...args], {
    env: { HOME: home.stateDir, OPENBOT_STATE_DIR: home.stateDir },
    cwd: home.stateDir,
  });

interface Listed {
  readonly requests: readonly { id: string; code: string; meta: object }[];
  readonly approved: readonly { id: string }[];
}

async function listed(home: BotHome, ...args: string[]): Promise<Listed> {
  return JSON.parse((await pairing(home, 'list', '--json', ...args)).stdout) as Listed;
}

/** Whether any file of the state has a text, also what a database has not moved to its main file. */
function isKept(home: BotHome, text: string): boolean {
  const files = globSync(join(home.stateDir, '**/*'), { withFileTypes: true }).filter((one) => one.isFile());
  return files.some((file) => readFileSync(join(file.parentPath, file.name)).includes(text));
}

async function countDropped(home: BotHome): Promise<number> {
  const state = await openState(home.stateDir);
  const { dropped } = await state.inbox.counts();
  await state.close();
  return dropped;
}

test('an id that is spelled as of another network is let in on its own, and owns nothing', async () => {
  const home = new BotHome();
  home.time = Date.now();
  const chat = new Chat({ name: 'webhook' });
  const bot = await openGate(home, chat, { config: { commands: { ownerAllowFrom: ['telegram:777'] } } });
  await chat.write('telegram:777', 'say hello');
  await bot.idle();
  const [{ code } = { code: '' }] = (await listed(home)).requests;
  expect((await pairing(home, 'approve', 'webhook', code)).code).toBe(0);
  await chat.until((line) => line.includes('You may talk to me now'));
  await chat.write('telegram:777', 'say hello');
  await bot.idle();
  expect(chat.shown.at(-1)).toBe('telegram:777: hello');
  await chat.write('telegram:777', '/whoami');
  await bot.idle();
  expect(chat.shown.at(-1)).toContain('You may talk, and give no other commands');
  await bot.close();
});

test('a stranger is told once how to be let in, and heard after it', async () => {
  const home = new BotHome();
  home.time = Date.now();
  const chat = new Chat({ name: 'telegram' });
  const bot = await openGate(home, chat);
  await chat.write('777', 'say swordfish', {
    id: 'first',
    ctx: { SenderUsername: 'eve', SenderName: 'Eve' },
  });
  await chat.write('777', '/help');
  await chat.write('777', 'are you there?');
  await bot.idle();
  const [{ code } = { code: '' }] = (await listed(home)).requests;
  expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
  expect(chat.shown).toEqual([
    `777: I do not know you yet, so I may not answer.\nYour id on telegram: 777\nPairing code: ${code}\n\nThe owner of this bot can let you in within an hour:\nopenbot pairing approve telegram ${code}\n\nWhat you write until then is not read, and not answered later.`,
  ]);
  // Neither in a transcript nor in the database.
  expect(home.entriesOf()).toEqual({});
  expect(isKept(home, 'swordfish')).toBe(false);
  await bot.close();

  // The request survives a restart, and nothing is told again.
  const later = chat.again();
  const next = await openGate(home, later);
  await later.write('777', 'say again');
  await next.idle();
  expect(later.shown).toHaveLength(1);
  expect(await listed(home, 'telegram')).toEqual({
    channel: 'telegram',
    requests: [
      {
        channel: 'telegram',
        id: '777',
        code,
        createdAt: new Date(home.time).toISOString(),
        lastSeenAt: new Date(home.time).toISOString(),
        expiresAt: new Date(home.time + HOUR).toISOString(),
        meta: { username: 'eve', firstName: 'Eve', accountId: 'default' },
      },
    ],
    approved: [],
  });
  expect(listMisfits(PAIRING_LIST, await listed(home))).toEqual([]);
  expect((await listed(home, '--account', 'work')).requests).toEqual([]);

  const approved = await pairing(home, 'approve', 'telegram', code.toLowerCase());
  expect(approved).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/777 on telegram.*session\.dmScope per-channel-peer/s),
  });
  await later.until((line) => line.includes('You may talk to me now'));
  // A message that waited is not answered, also when the network brings it again.
  await later.write('777', 'say swordfish', { id: 'first' });
  await later.write('777', 'say hello');
  await later.write('777', '/status');
  await next.idle();
  await later.write('777', '/whoami');
  await next.idle();
  expect(later.shown.slice(1)).toEqual([
    '777: You may talk to me now. What you wrote before was not read: please send it again.',
    '777: hello',
    expect.stringContaining('You may talk, and give no other commands'),
  ]);
  // It gives nothing in groups, and nothing on another account.
  await later.writeInGroup('-100', { name: 'Eve', id: '777' }, '@bot say group', { WasMentioned: true });
  await next.idle();
  expect(later.shown).toHaveLength(4);

  const after = await listed(home);
  expect(after.approved).toMatchObject([{ id: '777' }]);
  expect(listMisfits(PAIRING_LIST, after)).toEqual([]);
  expect(listMisfits(PAIRING_APPROVE, after.approved[0])).toEqual([]);
  expect((await pairing(home, 'approve', 'telegram', code)).stderr).toContain('There is not a request');
  expect((await pairing(home, 'revoke', 'discord', '777')).code).toBe(1);
  expect((await pairing(home, 'revoke', 'telegram', '777')).code).toBe(0);
  await later.write('777', 'say once more');
  await next.idle();
  expect(later.shown.at(-1)).toContain('Pairing code');
  const audit = readFileSync(join(home.stateDir, 'logs/gateway-audit.jsonl'), 'utf8').trim().split('\n');
  expect(audit.map((line) => JSON.parse(line))).toEqual([
    {
      ts: expect.any(String),
      method: 'pairing.approved',
      about: { channel: 'telegram', accountId: 'default', id: '777' },
    },
    {
      ts: expect.any(String),
      method: 'pairing.revoked',
      about: { channel: 'telegram', accountId: 'default', id: '777' },
    },
  ]);
});

test('requests are few, expire, and a denied one is silent until then', async () => {
  const home = new BotHome();
  home.time = Date.now();
  const chat = new Chat({ name: 'telegram' });
  const work = new Chat({ name: 'telegram', accountId: 'work' });
  const bot = await openGate(home, chat, { channels: [chat.channel, work.channel] });
  for (const id of ['1', '2', '3', '4', '*']) await chat.write(id, 'hello');
  await work.write('4', 'hello');
  await bot.idle();
  const asked = (one: Chat) => one.shown.map((line) => line.split(':')[0]);
  expect([asked(chat), asked(work)]).toEqual([['1', '2', '3'], ['4']]);
  const { requests } = await listed(home);
  expect(requests.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  expect(new Set(requests.map(({ code }) => code)).size).toBe(4);

  // A place is free again, and not for the one who was denied.
  const denied = await pairing(home, 'deny', requests[0]!.code, '--json');
  expect(listMisfits(PAIRING_CHANGE, JSON.parse(denied.stdout))).toEqual([]);
  await chat.write('1', 'please');
  await chat.write('4', 'hello again');
  await bot.idle();
  expect(asked(chat)).toEqual(['1', '2', '3', '4']);

  home.time += HOUR;
  expect((await pairing(home, 'approve', 'telegram', 'AAAAAAAA')).stderr).toContain('There is not a request');
  await chat.write('1', 'now?');
  await chat.write('2', 'and me?');
  await bot.idle();
  expect(asked(chat)).toEqual(['1', '2', '3', '4', '1', '2']);
  expect(chat.shown.at(-1)).not.toContain(requests[1]!.code);
});

test('a flood of strangers is bounded, and no word of it is kept', async () => {
  const home = new BotHome();
  home.time = Date.now();
  const chat = new Chat({ name: 'telegram' });
  const bot = await openGate(home, chat);
  const receive = (from: string, id: string) => chat.write(from, 'swordfish '.repeat(100), { id });
  for (let n = 0; n < 60; n++) await receive('777', `a${n}`);
  await bot.idle();
  expect(await countDropped(home)).toBe(20);
  for (let n = 0; n < 1300; n++) chat.channel.network.write(strange(`s${n}`));
  await chat.channel.deliver();
  await bot.idle();
  expect(chat.shown).toHaveLength(3);
  expect(await countDropped(home)).toBeLessThanOrEqual(1100);
  expect(isKept(home, 'swordfish')).toBe(false);
  expect(home.entriesOf()).toEqual({});
});

function strange(SenderId: string) {
  const ctx = { RawBody: 'swordfish', From: SenderId, SenderId, ChatType: 'direct', Provider: 'telegram' };
  return { conversationId: SenderId, messageId: SenderId, ctx };
}

test('settings of who may talk hold for a channel and for its accounts', async () => {
  const home = new BotHome();
  home.time = Date.now();
  const [own, work] = [new Chat({ name: 'telegram' }), new Chat({ name: 'telegram', accountId: 'work' })];
  const config: BotConfig = {
    channels: {
      telegram: {
        dmPolicy: 'allowlist',
        allowFrom: [1],
        groupPolicy: 'allowlist',
        groupAllowFrom: [1, 2],
        groups: {
          g: {
            requireMention: false,
            topics: { 7: { enabled: false }, 8: { requireMention: true }, 9: { allowFrom: [3] } },
          },
          off: { enabled: false, requireMention: false },
          all: { groupPolicy: 'open', requireMention: false, topics: { 5: { groupPolicy: 'disabled' } } },
          few: { allowFrom: [3], requireMention: false },
        },
        accounts: {
          work: {
            dmPolicy: 'open',
            groupPolicy: 'open',
            groupAllowFrom: [9],
            rateLimit: 2,
            groups: {
              w: {
                requireMention: false,
                enabled: true,
                groupPolicy: 'allowlist',
                topics: {
                  1: { enabled: false },
                  2: { requireMention: true },
                  3: { groupPolicy: 'disabled' },
                  4: { allowFrom: [1] },
                },
              },
              v: { requireMention: false, allowFrom: [9] },
            },
          },
        },
      },
    },
  };
  const bot = await home.open({ play: PARROT, channels: [own.channel, work.channel], config });
  const inGroup = async (chat: Chat, group: string, id: string, topic?: number) => {
    const more =
      topic === undefined ? {} : { From: `telegram:group:${group}:topic:${topic}`, MessageThreadId: topic };
    await chat.writeInGroup(group, { name: id, id }, `say ${group}${topic ?? ''} ${id}`, more);
    await bot.idle();
  };
  for (const from of ['1', '2']) await own.write(from, `say direct ${from}`);
  for (const group of ['g', 'off', 'all', 'few', 'other'])
    for (const id of ['1', '3']) await inGroup(own, group, id);
  for (const topic of [7, 8, 9]) await inGroup(own, 'g', '1', topic);
  await inGroup(own, 'g', '3', 9);
  await inGroup(own, 'all', '1', 5);
  // Each in a session of its own: the last words say which was heard.
  const heard = (chat: Chat) => chat.shown.map((line) => line.split(/: |\n/)[1]).sort();
  expect(heard(own)).toEqual(['all 1', 'all 3', 'direct 1', 'few 3', 'g 1', 'g9 3']);

  for (const from of ['5', '6']) await work.write(from, `say direct ${from}`);
  for (const group of ['w', 'v', 'g']) for (const id of ['1', '9']) await inGroup(work, group, id);
  for (const topic of [1, 2, 3, 4]) await inGroup(work, 'w', '1', topic);
  expect(heard(work)).toEqual(['direct 5', 'direct 6', 'v 9', 'w 9', 'w4 1']);
  // Two in a minute there, and no more.
  for (const word of ['one', 'two', 'three']) await work.write('5', `say ${word}`);
  await bot.idle();
  expect(work.shown.join()).not.toContain('three');
});

test('a person who writes too fast is told once, and owners are not limited', async () => {
  const home = new BotHome();
  home.time = Date.now();
  const chat = new Chat({ name: 'telegram' });
  const telegram = { dmPolicy: 'open', allowFrom: ['1'], rateLimit: 3 } as const;
  const config: BotConfig = {
    channels: { telegram },
    messages: { queue: { mode: 'followup', debounceMs: 0 } },
  };
  const bot = await openGate(home, chat, { config });
  for (let n = 1; n <= 6; n++) {
    for (const from of ['1', '2']) await chat.write(from, `say ${from}${n}`, { id: `${from}-${n}` });
    await bot.idle();
  }
  const to = (person: string) =>
    chat.shown.filter((line) => line.startsWith(`${person}: `)).map((line) => line.slice(3));
  expect(to('1')).toEqual(['11', '12', '13', '14', '15', '16']);
  expect(to('2')).toEqual(['21', '22', '23', expect.stringContaining('more than 3 messages in a minute')]);
  home.time += 60_000;
  // What was dropped is not answered later.
  await chat.write('2', 'say 26', { id: '2-6' });
  await chat.write('2', 'say 27');
  await bot.idle();
  expect(to('2').slice(4)).toEqual(['27']);
});

test('what the network delivers late or again is not too fast', async () => {
  const home = new BotHome();
  home.time = Date.now();
  const chat = new Chat({ name: 'telegram' });
  const telegram = { dmPolicy: 'open' } as const;
  const queue = { mode: 'collect', cap: 100 } as const;
  const bot = await openGate(home, chat, { config: { channels: { telegram }, messages: { queue } } });
  const write = (n: number, Timestamp?: number) =>
    chat.write('2', 'say x', { id: `m${n}`, ctx: { Timestamp } });
  for (let n = 0; n < 30; n++) await write(n, home.time - (30 - n) * 120_000);
  for (let n = 0; n < 25; n++) await write(30);
  expect(await countDropped(home)).toBe(0);
  // A date in the future is no way around: it counts as now, with the one above.
  for (let n = 31; n < 51; n++) await write(n, home.time + n * 120_000);
  expect(await countDropped(home)).toBe(1);
  await bot.idle();
  expect(chat.shown.filter((line) => line.includes('messages in a minute'))).toHaveLength(1);
});

test('a channel can ask before it downloads a file, and that has no effect', async () => {
  let host!: ChannelHost;
  class Asking extends MemoryChannel {
    override async start(given: ChannelHost): Promise<void> {
      host = given;
      await super.start(given);
    }
  }
  const home = new BotHome();
  const channel = new Asking({ name: 'telegram' });
  const groups = { '-100': {} };
  const config: BotConfig = { channels: { telegram: { ...PAIRING, allowFrom: [1], groups, rateLimit: 1 } } };
  const bot = await home.open({ channels: [channel], config });
  const direct = (SenderId: string): MsgContext => ({ SenderId, ChatType: 'direct', Provider: 'telegram' });
  const inGroup = (SenderId: string): MsgContext => ({
    SenderId,
    ChatType: 'group',
    From: 'telegram:group:-100',
  });
  for (let n = 0; n < 3; n++) {
    expect(await host.mayTalk(direct('1'))).toBe(true);
    expect(await host.mayTalk(direct('2'))).toBe(false);
    expect(await host.mayTalk(inGroup('1'))).toBe(true);
    expect(await host.mayTalk(inGroup('2'))).toBe(false);
  }
  await bot.idle();
  expect(channel.network.shown).toEqual([]);
  expect((await listed(home)).requests).toEqual([]);
  expect(await countDropped(home)).toBe(0);
});

test('of ten who talk in a group the agent reads those who may, letter for letter', async () => {
  const home = new BotHome();
  const chat = new Chat({ name: 'whatsapp' });
  const GROUP = '120363@g.us';
  const people = ['Alice', 'Bob', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gus', 'Hal', 'Ida', 'Jon'];
  const idOf = (name: string) => `+1234567${String(people.indexOf(name)).padStart(3, '0')}`;
  const whatsapp = {
    groupPolicy: 'allowlist',
    groupAllowFrom: people.filter((name) => name !== 'Eve').map(idOf),
    groups: { [GROUP]: {} },
  } as const;
  const bot = await openGate(home, chat, {
    config: { channels: { whatsapp } },
    script: { turns: [{ steps: [{ text: 'Well.' }] }] },
    play: undefined,
  });
  const at = (minute: number) => ({ Timestamp: Date.UTC(2026, 0, 13, 7, minute), BotUsername: 'bot' });
  for (const [minute, name] of people.entries())
    await chat.writeInGroup(GROUP, { name, id: idOf(name) }, `${name} was here`, at(minute));
  // Eve may not talk, whatever she does.
  await chat.writeInGroup(GROUP, { name: 'Eve', id: idOf('Eve') }, '@bot swordfish', {
    ...at(40),
    WasMentioned: true,
  });
  await chat.writeInGroup(GROUP, { name: 'Alice', id: idOf('Alice') }, '@bot what do you think?', at(47));
  await bot.idle();
  const lines = people.flatMap((name, minute) =>
    name === 'Eve' ? [] : [`[WhatsApp 120363@g.us 2026-01-13T07:0${minute}Z] ${name}: ${name} was here`],
  );
  expect(home.saidIn(`agent:main:whatsapp:group:${GROUP}`)).toEqual([
    `user: [Chat messages since your last reply - for context]
${lines.join('\n')}

[Current message - respond to this]
[WhatsApp 120363@g.us 2026-01-13T07:47Z] Alice: @bot what do you think?
[from: Alice (+1234567000)]`,
    'assistant: Well.',
  ]);
  expect(chat.shown).toEqual([`${GROUP}: Well.`]);
  await bot.close();
  expect(isKept(home, 'swordfish')).toBe(false);
  expect(isKept(home, 'Eve was here')).toBe(false);
});

test('identity links join sessions, and let nobody in', async () => {
  const home = new BotHome();
  const [telegram, discord] = [new Chat({ name: 'telegram' }), new Chat({ name: 'discord' })];
  const config: BotConfig = {
    session: { dmScope: 'per-peer', identityLinks: { alice: ['telegram:1', 'discord:2'] } },
    channels: { telegram: { ...PAIRING, allowFrom: ['1'] }, discord: { ...PAIRING, dmPolicy: 'allowlist' } },
  };
  const bot = await home.open({ play: PARROT, channels: [telegram.channel, discord.channel], config });
  await telegram.write('1', 'say in');
  await discord.write('2', 'say out');
  await bot.idle();
  expect(telegram.shown).toEqual(['1: in']);
  expect(discord.shown).toEqual([]);
  expect(Object.keys(home.entriesOf())).toEqual(['agent:main:dm:alice']);
});

test('bindings choose the agent by account, peer and group, for those who are heard', async () => {
  const home = new BotHome();
  const [own, work] = [new Chat({ name: 'telegram' }), new Chat({ name: 'telegram', accountId: 'work' })];
  const ids = ['main', 'peer', 'group', 'work', 'there'];
  const bind = (agentId: string, match: object) => ({ agentId, match: { channel: 'telegram', ...match } });
  const config: BotConfig = {
    agents: { list: ids.map((id) => ({ id, ...(id === 'main' && { default: true }) })) },
    bindings: [
      bind('peer', { peer: { kind: 'direct', id: 7 } }),
      bind('group', { group: '-100' }),
      bind('work', { accountId: 'work' }),
      bind('there', { accountId: 'work', group: '-100' }),
    ],
    channels: {
      telegram: {
        allowFrom: [7, 8],
        dmPolicy: 'allowlist',
        groupPolicy: 'allowlist',
        groups: { '-100': { requireMention: false } },
      },
    },
  };
  const bot = await home.open({ play: PARROT, channels: [own.channel, work.channel], config });
  for (const chat of [own, work]) {
    for (const id of ['7', '8', '9']) {
      await chat.write(id, 'say x');
      await chat.writeInGroup('-100', { name: id, id }, 'say x');
      await chat.writeInGroup('-100', { name: id, id }, 'say x', {
        From: 'telegram:group:-100:topic:42',
        MessageThreadId: 42,
      });
    }
  }
  await bot.idle();
  const keys = ids.flatMap((id) => Object.keys(home.entriesOf(id)).sort());
  const group = 'telegram:group:-100';
  expect(keys).toEqual([
    'agent:main:main',
    'agent:peer:main',
    `agent:group:${group}`,
    `agent:group:${group}:topic:42`,
    'agent:work:main',
    `agent:there:${group}`,
    `agent:there:${group}:topic:42`,
  ]);
});

test('commands for owners are theirs alone', async () => {
  const home = new BotHome();
  const chat = new Chat({ name: 'telegram' });
  const config: BotConfig = {
    channels: { telegram: { allowFrom: [1, '*'] } },
    commands: { ownerAllowFrom: ['telegram:2'] },
  };
  const bot = await openGate(home, chat, { config });
  for (const id of ['1', '2', '3']) {
    for (const command of ['/think high', '/send', '/new /send off']) {
      await chat.write(id, command);
      await bot.idle();
    }
  }
  const to = (person: string) =>
    chat.shown.filter((line) => line.startsWith(`${person}: `)).map((line) => line.slice(3));
  // Behind /new it is for the agent.
  expect(to('1')).toEqual([expect.stringContaining('think: high'), expect.stringContaining('/send off')]);
  expect(home.entriesOf()['agent:main:main']?.sendPolicy).toBe('deny');
  expect(to('2')).toEqual([
    expect.stringContaining('think: high'),
    expect.stringContaining('send: '),
    expect.stringContaining('send: off'),
  ]);
});

test('a file of pairing that cannot be read lets nobody in, and keeps no message', async () => {
  const home = new BotHome();
  const chat = new Chat({ name: 'telegram' });
  const bot = await openGate(home, chat, { config: { channels: { telegram: { allowFrom: [1] } } } });
  writeFileSync(join(home.stateDir, 'channel-pairing.json'), '{ broken');
  const broken = { code: 'PAIRING_UNREADABLE' };
  await expect(chat.write('7', 'hello')).rejects.toMatchObject(broken);
  expect(chat.channel.network.unconfirmed).toHaveLength(1);
  expect((await pairing(home, 'list')).stderr).toContain('Cannot read');
  writeFileSync(join(home.stateDir, 'channel-pairing.json'), '{"version":1,"requests":[],"approved":[]}');
  await chat.channel.deliver();
  await bot.idle();
  expect(chat.shown).toEqual([expect.stringContaining('Pairing code')]);

  // It does not hold up the owner for ever, however many strangers write.
  writeFileSync(join(home.stateDir, 'channel-pairing.json'), '{ broken again');
  const writing = ['8', '9', '10', '11', '12', '13'].map((from) => chat.write(from, 'hello'));
  for (const written of writing.slice(0, 5)) await expect(written).rejects.toMatchObject(broken);
  await writing[5];
  await chat.write('14', 'hello');
  await chat.write('1', 'say here');
  await bot.idle();
  expect(chat.channel.network.unconfirmed).toEqual([]);
  expect(chat.shown.slice(1)).toEqual(['1: here']);
  expect(home.notices.filter(({ message }) => message.includes('hears nobody by pairing'))).toHaveLength(1);
});

test('another process approves, and the one with the channel hears it at once', async () => {
  const agents = { defaults: { model: 'script/m' } };
  const chat = await openChat({ agents, channels: { chat: { ...PAIRING } } }, (stateDir) =>
    new BotHome(stateDir).writeScript('m', { turns: [{ steps: [{ text: 'Heard.' }] }] }),
  );
  const home = new BotHome(chat.stateDir);
  const [asked] = await chat.ask({ text: 'let me in', from: '7' });
  const code = /code: (\w{8})/.exec(asked!.text)![1]!;
  expect(await pairing(home, 'approve', 'chat', code)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Approved 7 on chat'),
  });
  await chat.until(() => chat.sent().length === 2);
  const [heard] = await chat.ask({ text: 'hello', from: '7' });
  expect(chat.sent()[1]?.text).toContain('You may talk to me now');
  expect(heard?.text).toBe('Heard.');
  const revoked = await pairing(home, 'revoke', 'chat', '7', '--json');
  expect(listMisfits(PAIRING_CHANGE, JSON.parse(revoked.stdout))).toEqual([]);
  expect((await chat.ask({ text: 'hello?', from: '7' }))[0]?.text).toContain('Pairing code');
  await chat.end();
});

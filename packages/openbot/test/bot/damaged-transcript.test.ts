import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionStore } from '@openbot/sessions';
import { describe, expect, test } from 'vitest';
import { openState } from '../../src/state/open-state.ts';
import { BotHome, Chat, MAIN, PARROT } from './bot-home.ts';
import { assistant, idleRunner, LeftBehind, TURN } from './left-behind.ts';

const TOLD = /The file of this conversation is damaged/;

const folderOf = (home: BotHome) => join(home.stateDir, 'agents', 'main', 'sessions');
const pathOf = (home: BotHome) => home.entryOf().sessionFile!;
const archivesOf = (home: BotHome) =>
  readdirSync(folderOf(home)).filter((name) => name.includes('.damaged.'));
const toldIn = (chat: Chat) => chat.shown.filter((line) => TOLD.test(line));

async function openTalk(home: BotHome, chat: Chat) {
  const bot = await home.open({ channels: [chat.channel], play: PARROT });
  const say = async (text: string) => {
    await chat.write('ada', `say ${text}`);
    await bot.idle();
  };
  return { bot, say };
}

const DAMAGES: Readonly<Record<string, Buffer>> = {
  zeros: Buffer.alloc(9000),
  garbage: Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7919) % 251)),
  'half a header': Buffer.from('{"type":"session","versi'),
  'lines of text': Buffer.from('this is\nno transcript\n'),
  'another JSON': Buffer.from('{"agent:main:main":{}}\n'),
};

for (const [name, bytes] of Object.entries(DAMAGES)) {
  for (const when of ['while the bot runs', 'before it starts']) {
    test(`a transcript that is ${name} is set aside ${when}, and the person is told once`, async () => {
      const home = new BotHome();
      let chat = new Chat();
      let talk = await openTalk(home, chat);
      await talk.say('one');
      const former = home.entryOf().sessionId;
      if (when === 'before it starts') {
        await talk.bot.close();
        chat = chat.again();
        talk = await openTalk(home, chat);
      }
      writeFileSync(pathOf(home), bytes);
      await talk.say('two');
      await talk.say('three');
      expect(chat.shown.slice(-2)).toEqual(['ada: two', 'ada: three']);
      expect(toldIn(chat)).toHaveLength(1);
      expect(home.entryOf().sessionId).not.toBe(former);
      expect(home.saidIn()).toEqual([
        'user: say two',
        'assistant: two',
        'user: say three',
        'assistant: three',
      ]);
      const [archive, ...others] = archivesOf(home);
      expect(others).toEqual([]);
      expect(archive).toMatch(new RegExp(`^${former}\\.jsonl\\.damaged\\.`));
      expect(readFileSync(join(folderOf(home), archive!))).toEqual(bytes);
      expect(home.notices.map(({ message }) => message).join('\n')).toContain(archive);
      home.checkTranscripts();
    });
  }
}

test('a transcript of 0 bytes goes on with a header, and nobody is told', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const { say } = await openTalk(home, chat);
  await say('one');
  const { sessionId } = home.entryOf();
  writeFileSync(pathOf(home), '');
  await say('two');
  expect(chat.shown).toEqual(['ada: one', 'ada: two']);
  expect(home.entryOf().sessionId).toBe(sessionId);
  expect(home.linesOf()[0]).toMatchObject({ type: 'session', version: 3, id: sessionId });
  expect(home.saidIn()).toEqual(['user: say two', 'assistant: two']);
  expect(home.notices).toEqual([]);
  home.checkTranscripts();
});

test('broken lines behind a header stay as they are, in the same session', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const { say } = await openTalk(home, chat);
  await say('one');
  const { sessionId } = home.entryOf();
  const damaged = `${readFileSync(pathOf(home), 'utf8')}\0\0\0\0\nno JSON\n{"torn`;
  writeFileSync(pathOf(home), damaged);
  await say('two');
  expect(chat.shown).toEqual(['ada: one', 'ada: two']);
  expect(home.entryOf().sessionId).toBe(sessionId);
  expect(readFileSync(pathOf(home), 'utf8').startsWith(`${damaged}\n`)).toBe(true);
  expect(archivesOf(home)).toEqual([]);
});

test('a transcript whose header is lost and whose messages are not gets a header, and keeps every byte', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const { say } = await openTalk(home, chat);
  await say('one');
  const { sessionId } = home.entryOf();
  const lines = readFileSync(pathOf(home), 'utf8').split('\n');
  const damaged = ['\0'.repeat(lines[0]!.length), ...lines.slice(1)].join('\n');
  writeFileSync(pathOf(home), damaged);
  await say('two');
  expect(chat.shown).toEqual(['ada: one', 'ada: two']);
  expect(home.entryOf().sessionId).toBe(sessionId);
  expect(readFileSync(pathOf(home), 'utf8')).toContain(`"id":"${sessionId}"`);
  expect(readFileSync(pathOf(home), 'utf8')).toContain(`\n${damaged}`);
  expect(archivesOf(home)).toEqual([]);
  home.checkTranscripts();
});

test('a transcript that cannot be looked at is not moved: the message waits', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const { bot, say } = await openTalk(home, chat);
  await say('one');
  const { sessionId } = home.entryOf();
  const path = pathOf(home);
  const before = readFileSync(path);
  rmSync(path);
  mkdirSync(path);
  await chat.write('ada', 'say two');
  await expect.poll(() => home.notices.length, { timeout: 60_000 }).toBeGreaterThan(0);
  expect(home.entryOf().sessionId).toBe(sessionId);
  expect(archivesOf(home)).toEqual([]);
  rmSync(path, { recursive: true });
  writeFileSync(path, before);
  await bot.idle();
  expect(chat.shown).toEqual(['ada: one', 'ada: two']);
});

test('a command at the terminal is told by a warning', async () => {
  const home = new BotHome();
  const bot = await home.open({ play: PARROT });
  await bot.say({ message: 'say one' });
  writeFileSync(pathOf(home), Buffer.alloc(100));
  const warnings: string[] = [];
  const said = await bot.say({
    message: 'say two',
    onEvent: (event) => event.type === 'warning' && warnings.push(event.message),
  });
  expect(said).toMatchObject({ outcome: 'answered', payloads: [{ text: 'two' }] });
  expect(warnings).toEqual([expect.stringContaining('cannot be read; a new session has begun')]);
  expect(home.notices).toEqual([]);
});

test('chat commands that change the transcript find the new session', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const { bot, say } = await openTalk(home, chat);
  await say('one');
  writeFileSync(pathOf(home), Buffer.alloc(100));
  await chat.write('ada', '/compact');
  await bot.idle();
  await say('two');
  expect(toldIn(chat)).toHaveLength(1);
  expect(chat.shown.at(-1)).toBe('ada: two');
  expect(chat.shown.join('\n')).not.toContain('failed');
});

test('a turn whose replies are in the outbox is not run again because its transcript is damaged', async () => {
  const home = new BotHome();
  const { sessionId } = await LeftBehind.in(home, async (left) => {
    await left.begin();
    await left.ask([assistant('hello')]);
    const target = { channel: 'memory', accountId: 'default', to: 'ada' };
    const reply = { agentId: 'main', sessionKey: MAIN, turnId: TURN, target, createdAt: 1 };
    await left.state.outbox.put([{ ...reply, key: `${TURN}:0`, payload: { text: 'hello' } }]);
  });
  writeFileSync(join(folderOf(home), `${sessionId}.jsonl`), Buffer.alloc(100));
  const chat = new Chat();
  const { runner, starts } = idleRunner();
  const bot = await home.open({ channels: [chat.channel], runners: { script: runner } });
  await bot.idle();
  expect(starts()).toBe(0);
  expect(chat.shown.filter((line) => line === 'ada: hello')).toHaveLength(1);
  expect(toldIn(chat)).toHaveLength(1);
  expect(archivesOf(home)).toHaveLength(1);
});

describe('killed while a transcript is set aside', () => {
  /** A bot that ends in the middle, with a transcript of zeros. */
  async function endInTheMiddle(home: BotHome, chat: Chat, flaw: (store: SessionStore) => SessionStore) {
    const first = await openTalk(home, chat);
    await first.say('one');
    await first.bot.close();
    const former = home.entryOf();
    writeFileSync(pathOf(home), Buffer.alloc(100));
    const state = await openState(home.stateDir);
    const flawed = { ...state, storeOf: (agentId: string) => flaw(state.storeOf(agentId)) };
    const again = chat.again();
    const bot = await home.open({ channels: [again.channel], state: flawed, play: PARROT });
    await again.write('ada', 'say two');
    await expect.poll(() => home.notices.length, { timeout: 60_000 }).toBeGreaterThan(0);
    await bot.close();
    return { former, again };
  }

  test('after the person was told, before the key has its new session', async () => {
    const home = new BotHome();
    const { former, again } = await endInTheMiddle(home, new Chat(), (store) => ({
      ...store,
      updateMany: () => Promise.reject(Object.assign(new Error('no'), { code: 'EIO' })),
    }));
    expect(home.entryOf()).toMatchObject({ sessionId: former.sessionId });
    expect(archivesOf(home)).toEqual([]);
    const chat = again.again();
    const { bot } = await openTalk(home, chat);
    await bot.idle();
    expect(chat.shown.filter((line) => line === 'ada: two')).toHaveLength(1);
    expect(toldIn(chat)).toHaveLength(1);
    expect(archivesOf(home)).toHaveLength(1);
  });

  test('after the key has its new session, before and after the file has its new name', async () => {
    for (const isMoved of [false, true]) {
      const home = new BotHome();
      const chat = new Chat();
      const first = await openTalk(home, chat);
      await first.say('one');
      await first.bot.close();
      const { sessionId, sessionFile } = home.entryOf();
      const fresh = randomUUID();
      home.changeEntry(MAIN, {
        sessionId: fresh,
        sessionFile: join(folderOf(home), `${fresh}.jsonl`),
        pendingArchives: [{ sessionId, sessionFile, reason: 'damaged', at: Date.now() }],
      } as object);
      const name = `${sessionId}.jsonl${isMoved ? '.damaged.2026-01-13T07-45-00.000Z' : ''}`;
      rmSync(sessionFile!);
      writeFileSync(join(folderOf(home), name), Buffer.alloc(100));
      const later = chat.again();
      const { say } = await openTalk(home, later);
      await say('two');
      expect(later.shown.at(-1)).toBe('ada: two');
      expect(home.entryOf()).toMatchObject({ sessionId: fresh });
      expect(home.entryOf()).not.toHaveProperty('pendingArchives');
      const [archive, ...others] = archivesOf(home);
      expect(others).toEqual([]);
      expect(readFileSync(join(folderOf(home), archive!))).toEqual(Buffer.alloc(100));
    }
  });
});

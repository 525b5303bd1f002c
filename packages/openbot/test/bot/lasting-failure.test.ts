import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type BotState, openState } from '../../src/state/open-state.ts';
import { BotHome, MAIN, PARROT, textsOf } from './bot-home.ts';

/** A session whose transcript is a folder: every turn of it fails, for a reason that stays. */
async function breakTranscript(home: BotHome): Promise<string> {
  const bot = await home.open({ play: PARROT });
  const { sessionId } = await bot.say({ message: 'say one' });
  await bot.close();
  const path = join(home.stateDir, 'agents/main/sessions', `${sessionId}.jsonl`);
  rmSync(path);
  mkdirSync(path);
  return path;
}

async function waitingIn(home: BotHome) {
  const state = await openState(home.stateDir);
  const waiting = await state.inbox.waiting({ agentId: 'main', sessionKey: MAIN });
  await state.close();
  return waiting;
}

test('a failure that stays ends the message of a command, which is not tried again', async () => {
  const home = new BotHome();
  const path = await breakTranscript(home);
  const bot = await home.open({ play: PARROT });
  const result = await bot.say({ message: 'say two' });
  expect(result).toMatchObject({
    outcome: 'failed',
    error: {
      message: expect.stringContaining('is not a regular file'),
      hint: expect.stringContaining('The message is not tried again.'),
    },
  });
  expect(home.notices).toEqual([]);
  expect(await waitingIn(home)).toEqual([]);
  rmSync(path, { recursive: true });
  expect(textsOf(await bot.say({ message: 'say three' }))).toEqual(['three']);
});

test('what a command left is not in the way of the next one', async () => {
  const home = new BotHome();
  await breakTranscript(home);
  const state = await openState(home.stateDir);
  const identity = { channel: 'cli', accountId: 'default', conversationId: MAIN, messageId: 'left' };
  const ctx = { RawBody: 'say left', ChatType: 'direct' };
  await state.inbox.accept({ identity, agentId: 'main', sessionKey: MAIN, ctx, receivedAt: 1 });
  await state.close();
  const bot = await home.open({ play: PARROT });
  expect(await bot.say({ message: 'say two' })).toMatchObject({ outcome: 'failed' });
  expect(await waitingIn(home)).toEqual([]);
});

test('behind a message of a channel that fails a command ends, and the message stays', async () => {
  const home = new BotHome();
  await breakTranscript(home);
  const state = await openState(home.stateDir);
  const identity = { channel: 'memory', accountId: 'default', conversationId: 'ada', messageId: 'm1' };
  const ctx = { RawBody: 'say left', From: 'ada', ChatType: 'direct', Provider: 'memory' };
  await state.inbox.accept({ identity, agentId: 'main', sessionKey: MAIN, ctx, receivedAt: 1 });
  await state.close();
  const bot = await home.open({ play: PARROT });
  expect(await bot.say({ message: 'say two' })).toMatchObject({ outcome: 'failed' });
  expect(await waitingIn(home)).toMatchObject([{ identity: { messageId: 'm1' } }]);
});

/** A state whose transcripts fail as on a full disk. */
async function openFullDisk(home: BotHome): Promise<BotState> {
  const state = await openState(home.stateDir);
  const append = async () => {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  };
  return { ...state, transcripts: { ...state.transcripts, append } };
}

test('a full disk is waited for, and the person can end the wait', async () => {
  const home = new BotHome();
  const bot = await home.open({ state: await openFullDisk(home) });
  const aborting = new AbortController();
  const said = bot.say({ message: 'hello', signal: aborting.signal });
  while (home.notices.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(home.notices[0]!.message).toContain('is tried again: no space left');
  aborting.abort();
  expect(await said).toMatchObject({ outcome: 'aborted' });
  expect(await waitingIn(home)).toEqual([]);
});

test('a disk that stays full ends the message after some seconds', async () => {
  const home = new BotHome();
  const bot = await home.open({ state: await openFullDisk(home) });
  expect(await bot.say({ message: 'hello' })).toMatchObject({
    outcome: 'failed',
    error: { message: 'no space left' },
  });
  expect(home.notices.length).toBeGreaterThan(0);
}, 60_000);

test('a command that waits for an earlier message of its session says so', async () => {
  const home = new BotHome();
  const state = await openState(home.stateDir);
  const identity = { channel: 'memory', accountId: 'default', conversationId: 'ada', messageId: 'm1' };
  const ctx = { RawBody: 'slow', From: 'ada', ChatType: 'direct', Provider: 'memory' };
  await state.inbox.accept({ identity, agentId: 'main', sessionKey: MAIN, ctx, receivedAt: 1 });
  const { runLock } = state;
  let looks = 0;
  // A slow machine: when it is looked at first, nothing runs yet.
  const holder: typeof runLock.holder = async (address) =>
    looks++ === 0 ? undefined : runLock.holder(address);
  const bot = await home.open({
    play: () => [{ stall: true }],
    state: { ...state, runLock: { ...runLock, holder } },
  });
  const aborting = new AbortController();
  const behind = Promise.withResolvers<string>();
  const said = bot.say({
    message: 'hello',
    signal: aborting.signal,
    onEvent: (event) => event.type === 'waiting' && behind.resolve(event.behind),
  });
  expect(await behind.promise).toBe('the answer to an earlier message of this session');
  aborting.abort();
  expect(await said).toMatchObject({
    outcome: 'aborted',
    error: { message: 'The message was withdrawn before the agent read it' },
  });
});

test('a command whose own turn takes long to begin does not blame another message', async () => {
  const home = new BotHome();
  const state = await openState(home.stateDir);
  const { inbox } = state;
  const isFree = Promise.withResolvers<void>();
  const move: typeof inbox.move = (...args) => isFree.promise.then(() => inbox.move(...args));
  const bot = await home.open({ play: PARROT, state: { ...state, inbox: { ...inbox, move } } });
  const events: string[] = [];
  const said = bot.say({ message: 'say hello', onEvent: ({ type }) => events.push(type) });
  // Longer than a command waits until it says what it waits for.
  await sleep(600);
  isFree.resolve();
  await said;
  expect(events).toContain('started');
  expect(events).not.toContain('waiting');
});

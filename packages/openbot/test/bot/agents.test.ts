import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { openState } from '../../src/state/open-state.ts';
import { BotHome, Chat, PARROT, readLines, textOf } from './bot-home.ts';

const toGhost = (id: string) => ({
  agentId: 'ghost',
  match: { channel: 'memory', peer: { kind: 'direct' as const, id } },
});

const statesOf = async (home: BotHome) => {
  const state = await openState(home.stateDir);
  const counts = await state.inbox.counts();
  await state.close();
  return counts;
};

test('a message for an agent that does not exist fails, and others are answered', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const bot = await home.open({
    play: PARROT,
    config: { bindings: [toGhost('eve')] },
    channels: [chat.channel],
  });
  await chat.write('eve', 'say a');
  await chat.write('ada', 'say b');
  await bot.idle();
  expect(chat.shown.toSorted()).toEqual([
    'ada: b',
    'eve: ⚠️ There is no agent ghost to answer your message. The owner of this bot can add it.',
  ]);
  const notices = home.notices.filter(({ about }) => about === 'configuration');
  expect(notices).toHaveLength(1);
  expect(notices[0]?.message).toMatch(/^There is no agent ghost\. .*openbot agents add ghost/);
  expect(existsSync(join(home.stateDir, 'agents', 'ghost'))).toBe(false);
  await bot.close();
  expect(await statesOf(home)).toMatchObject({ answered: 1, failed: 1, received: 0, running: 0 });
});

test('a bot starts while a message of an agent waits that was taken out of the configuration', async () => {
  const home = new BotHome();
  const state = await openState(home.stateDir);
  await state.inbox.accept({
    identity: { channel: 'memory', accountId: 'default', conversationId: 'eve', messageId: '1' },
    agentId: 'ghost',
    sessionKey: 'agent:ghost:main',
    ctx: { RawBody: 'say a', SenderId: 'eve', OriginatingTo: 'eve' },
    receivedAt: Date.now(),
  });
  await state.close();
  const chat = new Chat();
  const config = { agents: { list: [{ id: 'main' }] } };
  const bot = await home.open({ play: PARROT, config, channels: [chat.channel] });
  await chat.write('ada', 'say b');
  await bot.idle();
  expect(chat.shown.toSorted()).toEqual([
    'ada: b',
    expect.stringContaining('eve: ⚠️ There is no agent ghost'),
  ]);
});

const GLOBAL: BotConfig = {
  session: { scope: 'global' },
  agents: { list: [{ id: 'a' }, { id: 'b' }] },
  bindings: [{ agentId: 'b', match: { channel: 'memory', peer: { kind: 'direct', id: 'u2' } } }],
};

const saidBy = (home: BotHome, agentId: string) => {
  const { sessionId } = home.entriesOf(agentId).global!;
  return readLines(join(home.stateDir, 'agents', agentId, 'sessions', `${sessionId}.jsonl`)).flatMap(
    ({ message }) => (message === undefined ? [] : [`${message.role}: ${textOf(message)}`]),
  );
};

test('in the global scope each agent answers its own messages in its own session', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const answered = Promise.withResolvers<void>();
  const bot = await home.open({
    config: GLOBAL,
    channels: [chat.channel],
    // The run of a ends only after that of b.
    play: ({ prompt }) =>
      (async function* () {
        if (prompt.includes('from u1')) await answered.promise;
        else if (prompt.includes('from u2')) answered.resolve();
        yield { text: prompt.includes('from u1') ? 'to u1' : 'to u2' };
      })(),
  });
  await bot.addSystemEvent('global', 'An event for b.', 'b');
  await chat.write('u1', 'from u1');
  await chat.write('u2', 'from u2');
  await bot.idle();
  expect(chat.shown.toSorted()).toEqual(['u1: to u1', 'u2: to u2']);
  expect(saidBy(home, 'a')).toEqual([expect.stringMatching(/^user: .*from u1$/s), 'assistant: to u1']);
  expect(saidBy(home, 'b')).toEqual([expect.stringMatching(/^user: .*from u2$/s), 'assistant: to u2']);
  expect(saidBy(home, 'b')[0]).toContain('An event for b.');
  expect(saidBy(home, 'a')[0]).not.toContain('An event for b.');
  expect(readdirSync(join(home.stateDir, 'agents')).toSorted()).toEqual(['a', 'b']);
});

test('in the global scope the memory for private conversations is in no prompt and no news', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const workspace = join(home.stateDir, 'workspace');
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, 'MEMORY.md'), 'The door code is 4711.');
  writeFileSync(join(workspace, 'USER.md'), 'Ann likes tea.');
  const config: BotConfig = { session: { scope: 'global' } };
  const bot = await home.open({ config, play: PARROT, channels: [chat.channel] });
  await chat.write('u1', 'say one');
  await bot.idle();
  await chat.writeInGroup('plums', { name: 'Bob', id: 'u2' }, 'say two', { WasMentioned: true });
  await bot.idle();
  await chat.write('u1', 'say three');
  await bot.idle();
  expect(chat.shown).toEqual(['u1: one', expect.stringMatching(/^plums: two/), 'u1: three']);
  const { sessionId } = home.entriesOf('main').global!;
  const text = readFileSync(join(home.stateDir, `agents/main/sessions/${sessionId}.jsonl`), 'utf8');
  expect(text).toContain('Ann likes tea.');
  expect(text).not.toContain('4711');
});

test('messages of both agents that wait in the global scope are taken up by the next process', async () => {
  const home = new BotHome();
  const state = await openState(home.stateDir);
  for (const [agentId, from] of [
    ['a', 'u1'],
    ['b', 'u2'],
  ] as const) {
    await state.inbox.accept({
      identity: { channel: 'memory', accountId: 'default', conversationId: from, messageId: '1' },
      agentId,
      sessionKey: 'global',
      ctx: { RawBody: `say to ${from}`, SenderId: from, OriginatingTo: from },
      receivedAt: Date.now(),
    });
  }
  await state.close();
  const chat = new Chat();
  const bot = await home.open({ play: PARROT, config: GLOBAL, channels: [chat.channel] });
  await bot.idle();
  expect(chat.shown.toSorted()).toEqual(['u1: to u1', 'u2: to u2']);
  expect(saidBy(home, 'a').at(-1)).toBe('assistant: to u1');
  expect(saidBy(home, 'b').at(-1)).toBe('assistant: to u2');
});

test('agents with one store do not share the session "global"', async () => {
  const home = new BotHome();
  const config: BotConfig = {
    session: { store: join(home.stateDir, 'sessions.json') },
    agents: { list: [{ id: 'a' }, { id: 'b' }] },
  };
  const bot = await home.open({ play: PARROT, config });
  await expect(bot.say({ message: 'say hello', sessionKey: 'global' })).rejects.toMatchObject({
    code: 'USAGE',
    message: 'The session global names no agent, and the agents have one store',
  });
  expect(await bot.say({ message: 'say hello' })).toMatchObject({ sessionKey: 'agent:a:main' });
});

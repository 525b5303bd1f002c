import { globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { MAIN, textsOf } from '../bot/bot-home.ts';
import { ToolHome } from './tool-home.ts';

const PEERS = { session: { dmScope: 'per-channel-peer' } } as const;

test('a message goes to the person at once, and the reply does not repeat it', async () => {
  const home = new ToolHome().on('work', [
    { tool: 'message', args: { text: 'I am looking into it now.' } },
    { text: 'I am looking into it now.' },
  ]);
  const bot = await home.start();
  await home.chat.write('ada', 'work please');
  await bot.idle();
  expect(home.chat.shown).toEqual(['ada: I am looking into it now.']);
  expect(home.resultsIn()).toEqual(['The message is on its way to ada on memory.']);
});

test('a message to somebody else is noted once in that session, and the reply is still sent', async () => {
  const home = new ToolHome().on('tell bob', [
    { tool: 'message', args: { to: 'bob', text: 'Ada says that lunch is at noon.' } },
    { text: 'Ada says that lunch is at noon.' },
  ]);
  const bot = await home.start({ config: PEERS });
  await home.chat.write('bob', 'hi');
  await bot.idle();
  await home.chat.write('ada', 'tell bob');
  await bot.idle();
  expect(home.chat.shown).toEqual([
    'bob: ok',
    'bob: Ada says that lunch is at noon.',
    'ada: Ada says that lunch is at noon.',
  ]);
  const [bobKey] = Object.keys(home.entriesOf()).filter((key) => key.endsWith('bob'));
  expect(home.saidIn(bobKey)).toEqual([
    'user: hi',
    'assistant: ok',
    'assistant: Ada says that lunch is at noon.',
  ]);
  home.checkTranscripts();
});

test('a message to a session that is at work is told to its next turn', async () => {
  const sent = Promise.withResolvers<void>();
  const home = new ToolHome()
    .on('tell bob', { tool: 'message', args: { to: 'bob', text: 'Lunch at noon.' } })
    .on('slow', async function* () {
      await sent.promise;
      yield { tool: 'list_files' };
      yield { text: 'done' };
    });
  const bot = await home.start({ config: PEERS });
  await home.chat.write('bob', 'hi');
  await bot.idle();
  await home.chat.write('bob', 'slow');
  await home.asked('slow');
  const told = home.chat.until((line) => line.startsWith('ada: '));
  await home.chat.write('ada', 'tell bob');
  await told;
  sent.resolve();
  await bot.idle();
  await home.chat.write('bob', 'next');
  await bot.idle();
  const bobKey = Object.keys(home.entriesOf()).find((key) => key.endsWith('bob'))!;
  const noted = home.saidIn(bobKey).filter((line) => line.includes('Lunch at noon.'));
  expect(noted).toEqual([expect.stringMatching(/^user: System: .* sent to this person: Lunch at noon\./)]);
  home.checkTranscripts();
});

test('unknown channels, missing recipients and empty messages are refused with what there is', async () => {
  const home = new ToolHome()
    .on('pigeon', { tool: 'message', args: { channel: 'pigeon', to: 'bob', text: 'x' } })
    .on('empty', { tool: 'message', args: { text: '   ' } });
  const bot = await home.start();
  for (const word of ['pigeon', 'empty']) {
    await home.chat.write('ada', word);
    await bot.idle();
  }
  expect(home.resultsIn()).toEqual([
    'There is no channel "pigeon". Open are: memory.',
    'The message is empty.',
  ]);
});

test('a person at a command reads the answer: nothing is sent to them', async () => {
  const home = new ToolHome().on('send', { tool: 'message', args: { text: 'hello' } });
  const bot = await home.startCommand();
  const result = await bot.say({ message: 'send' });
  expect(textsOf(result)[0]).toMatch(
    /^What you answer is read where you were asked; .* No channel is open\.$/,
  );
});

test('what a rule forbids to read is neither searched nor sent', async () => {
  const home = new ToolHome()
    .on('file', { tool: 'grep', args: { pattern: 'KEY', path: 'sub/.env' } })
    .on('folder', { tool: 'grep', args: { pattern: 'KEY' } })
    .on('below', { tool: 'grep', args: { pattern: 'KEY', path: 'secrets' } })
    .on('media', { tool: 'message', args: { text: 'a file', media: ['sub/.env'] } })
    .on('reply', [{ text: 'Here.\nMEDIA: sub/.env\nMEDIA: a.txt' }]);
  for (const path of ['a.txt', 'sub/.env', 'secrets/b.txt']) home.writeFile(path, `KEY in ${path}`);
  const deny = ['Read(.env)', 'read_file(secrets/**)'];
  const bot = await home.start({ config: { agents: { defaults: { permissions: { deny } } } } });
  for (const word of ['file', 'folder', 'below', 'media', 'reply']) {
    await home.chat.write('ada', word);
    await bot.idle();
  }
  const forbidden = 'The rule Read(.env) forbids it. Do not try it in another way.';
  expect(home.resultsIn()).toEqual([
    forbidden,
    'a.txt:1: KEY in a.txt\n[2 files were left out: a rule forbids reading.]',
    '(no matches)\n[1 file was left out: a rule forbids reading.]',
    forbidden,
  ]);
  const sent = home.chat.channel.network.shown.flatMap(({ payload }) => payload.mediaUrls ?? []);
  expect(sent).toEqual([join(home.stateDir, 'workspace/a.txt')]);
});

test('files of the workspace are sent, others are not', async () => {
  const home = new ToolHome()
    .on('good', { tool: 'message', args: { text: 'a file', media: ['a.txt'] } })
    .on('up', { tool: 'message', args: { text: 'a file', media: ['../openbot.json'] } })
    .on('link', { tool: 'message', args: { text: 'a file', media: ['link.txt'] } })
    .on('missing', { tool: 'message', args: { text: 'a file', media: ['b.txt'] } });
  home.writeFile('a.txt', 'hello');
  writeFileSync(join(home.stateDir, 'secret.txt'), 'SECRET');
  symlinkSync(join(home.stateDir, 'secret.txt'), join(home.stateDir, 'workspace', 'link.txt'));
  const bot = await home.start();
  for (const word of ['good', 'up', 'link', 'missing']) {
    await home.chat.write('ada', word);
    await bot.idle();
  }
  const sent = home.chat.channel.network.shown.filter(({ payload }) => payload.mediaUrls !== undefined);
  expect(sent.map(({ payload }) => payload.mediaUrls)).toEqual([[join(home.stateDir, 'workspace/a.txt')]]);
  expect(home.resultsIn().slice(1)).toEqual([
    '"../openbot.json" is neither a file of the workspace nor an https address.',
    'The path is outside of the workspace. Only files of the workspace can be used.',
    expect.stringMatching(/^There is no file .*b\.txt\.$/),
  ]);
});

test('the send policy holds for the sender and for the session that it would go to', async () => {
  const home = new ToolHome().on('tell', { tool: 'message', args: { to: 'bob', text: 'hello there' } });
  const first = await home.start({ config: PEERS });
  await home.chat.write('bob', 'hi');
  await home.chat.write('ada', 'hi');
  await first.idle();
  await first.close();
  const keys = Object.keys(home.entriesOf());
  const bob = keys.find((key) => key.endsWith('bob'))!;
  const ada = keys.find((key) => key.endsWith('ada'))!;
  home.changeEntry(bob, { sendPolicy: 'deny' });
  home.chat = home.chat.again();
  const second = await home.start({ config: PEERS });
  await home.chat.write('ada', 'tell');
  await second.idle();
  await second.close();
  home.changeEntry(bob, { sendPolicy: 'allow' });
  home.changeEntry(ada, { sendPolicy: 'deny' });
  home.chat = home.chat.again();
  const third = await home.start({ config: PEERS });
  await home.chat.write('ada', 'tell');
  await third.idle();
  expect(home.resultsIn(ada)).toEqual([
    `The send policy does not allow messages to ${bob}.`,
    'The send policy does not allow this session to send there.',
  ]);
  expect(home.chat.shown.filter((line) => line.includes('hello there'))).toEqual([]);
});

test('in a store that agents share, a message is noted in no session of another agent', async () => {
  const home = new ToolHome().on('tell bob', {
    tool: 'message',
    args: { to: 'bob', text: 'Lunch at noon.' },
  });
  const store = join(home.stateDir, 'shared.json');
  const config = {
    session: { ...PEERS.session, store },
    agents: { list: [{ id: 'main', default: true }, { id: 'ops' }] },
    bindings: [{ agentId: 'ops', match: { channel: 'memory', peer: { kind: 'direct', id: 'bob' } } }],
  } as const;
  const bot = await home.start({ config: config as unknown as BotConfig });
  await home.chat.write('bob', 'hi');
  await bot.idle();
  await home.chat.write('ada', 'tell bob');
  await bot.idle();
  expect(home.chat.shown).toContain('bob: Lunch at noon.');
  const keys = Object.keys(JSON.parse(readFileSync(store, 'utf8')));
  expect(keys).toContainEqual(expect.stringMatching(/^agent:ops:.*bob$/));
  const lines = globSync(join(home.stateDir, 'agents/*/sessions/*.jsonl')).filter((path) =>
    readFileSync(path, 'utf8').includes('"idempotencyKey"'),
  );
  expect(lines).toEqual([]);
  await home.chat.write('bob', 'next');
  await bot.idle();
  expect(home.prompts.at(-1)).not.toContain('Lunch');
});

test('a message that cannot be noted is sent all the same, and the owner is told', async () => {
  const home = new ToolHome().on('tell bob', {
    tool: 'message',
    args: { to: 'bob', text: 'Lunch at noon.' },
  });
  const bot = await home.start({ config: PEERS });
  await home.chat.write('bob', 'hi');
  await bot.idle();
  const bob = Object.keys(home.entriesOf()).find((key) => key.endsWith('bob'))!;
  const transcript = join(home.stateDir, 'agents/main/sessions', `${home.entryOf(bob).sessionId}.jsonl`);
  rmSync(transcript);
  mkdirSync(transcript);
  await home.chat.write('ada', 'tell bob');
  await bot.idle();
  const ada = Object.keys(home.entriesOf()).find((key) => key.endsWith('ada'))!;
  expect(home.resultsIn(ada)).toEqual(['The message is on its way to bob on memory.']);
  expect(home.notices.filter(({ about }) => about === 'trouble')).toHaveLength(1);
});

test('a rule of the send policy for a channel holds for the tool', async () => {
  const home = new ToolHome().on('tell', { tool: 'message', args: { text: 'hello there' } });
  const rules = [{ action: 'deny', match: { channel: 'memory' } }] as const;
  const bot = await home.start({ config: { session: { sendPolicy: { rules: [...rules] } } } });
  await home.chat.write('ada', 'tell');
  await bot.idle();
  expect(home.resultsIn(MAIN)).toEqual(['The send policy does not allow this session to send there.']);
  expect(home.chat.shown).toEqual([]);
});

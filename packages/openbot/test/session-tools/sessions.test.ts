import { join } from 'node:path';
import { loadSqlite } from '@openbot/sessions/disk';
import { expect, test } from 'vitest';
import { type Line, MAIN, textsOf } from '../bot/bot-home.ts';
import { ToolHome } from './tool-home.ts';

const PEERS = { session: { dmScope: 'per-channel-peer' } } as const;
const json = (text: string | undefined) => JSON.parse(text ?? 'null');
const keyOf = (home: ToolHome, name: string) =>
  Object.keys(home.entriesOf()).find((key) => key.endsWith(name))!;

/** A home in which the owner, ada and bob have talked, each in a session of their own. */
async function talked(home: ToolHome) {
  const bot = await home.start({ config: PEERS });
  await home.chat.write('ada', 'my secret is plum');
  await home.chat.write('bob', 'hello');
  await bot.idle();
  return bot;
}

test('the main session lists all sessions of its agent, and reads them', async () => {
  const home = new ToolHome().on('list', { tool: 'sessions_list' });
  const bot = await talked(home);
  const listed = json(textsOf(await bot.say({ message: 'list' }))[0]);
  expect(listed.sessions.map(({ sessionKey }: { sessionKey: string }) => sessionKey).sort()).toEqual(
    [MAIN, keyOf(home, 'ada'), keyOf(home, 'bob')].sort(),
  );
  expect(listed.sessions[0]).toMatchObject({ sessionKey: MAIN, kind: 'main', isThisSession: true });
  home.on('read main', { tool: 'sessions_history', args: { sessionKey: 'main' } });
  expect(json(textsOf(await bot.say({ message: 'read main' }))[0])).toMatchObject({ sessionKey: MAIN });
  home.on('read', { tool: 'sessions_history', args: { sessionKey: keyOf(home, 'ada') } });
  const read = json(textsOf(await bot.say({ message: 'read' }))[0]);
  expect(read.messages).toMatchObject([
    { role: 'user', text: expect.stringMatching(/my secret is plum$/) },
    { role: 'assistant', text: 'ok' },
  ]);
});

test('kinds, age and number limit a list', async () => {
  const home = new ToolHome()
    .on('direct', { tool: 'sessions_list', args: { kinds: ['direct'], limit: 1 } })
    .on('recent', { tool: 'sessions_list', args: { activeMinutes: 5 } });
  home.time = Date.parse('2026-11-15T12:00:00Z');
  const bot = await talked(home);
  const direct = json(textsOf(await bot.say({ message: 'direct' }))[0]);
  expect(direct).toMatchObject({ total: 2, sessions: [{ kind: 'direct' }] });
  home.time += 3_600_000;
  const recent = json(textsOf(await bot.say({ message: 'recent' }))[0]);
  expect(recent.sessions).toMatchObject([{ sessionKey: MAIN }]);
});

test('a session of one person does not reach that of another', async () => {
  const home = new ToolHome().on('list', { tool: 'sessions_list' });
  const bot = await talked(home);
  const ada = keyOf(home, 'ada');
  const bob = keyOf(home, 'bob');
  for (const tool of ['sessions_history', 'sessions_send'])
    home.on(tool, { tool, args: { sessionKey: ada, message: 'x' } });
  for (const word of ['list', 'sessions_history', 'sessions_send']) {
    await home.chat.write('bob', word);
    await bot.idle();
  }
  const [listed, ...refused] = home.resultsIn(bob);
  expect(json(listed).sessions).toMatchObject([{ sessionKey: bob }]);
  const none = `There is no session ${ada} that you can reach. See sessions_list.`;
  expect(refused).toEqual([none, none]);
});

test('no session reaches those of another agent, whatever the setting', async () => {
  const config = {
    agents: { list: [{ id: 'main', default: true }, { id: 'ops' }] },
    tools: { sessions: { visibility: 'agent' } },
  } as const;
  const home = new ToolHome()
    .on('read', { tool: 'sessions_history', args: { sessionKey: 'agent:ops:main' } })
    .on('ask', { tool: 'sessions_send', args: { sessionKey: 'agent:ops:main', message: 'x' } })
    .on('list', { tool: 'sessions_list' });
  const bot = await home.startCommand({ config });
  await bot.say({ message: 'the code is 42', agentId: 'ops' });
  for (const message of ['read', 'ask']) {
    expect(textsOf(await bot.say({ message }))).toEqual([
      'agent:ops:main belongs to another agent. Only sessions of main can be reached.',
    ]);
  }
  const listed = json(textsOf(await bot.say({ message: 'list' }))[0]);
  expect(listed.sessions).toMatchObject([{ sessionKey: MAIN }]);
});

test('agents that share a store do not see each other', async () => {
  const home = new ToolHome().on('list', { tool: 'sessions_list' });
  const store = `${home.stateDir}/shared/sessions.json`;
  const config = { agents: { list: [{ id: 'main', default: true }, { id: 'ops' }] }, session: { store } };
  const bot = await home.startCommand({ config });
  await bot.say({ message: 'hello', agentId: 'ops' });
  const listed = json(textsOf(await bot.say({ message: 'list' }))[0]);
  expect(listed.sessions).toMatchObject([{ sessionKey: MAIN }]);
});

test('history has tools where they are asked for, without secrets', async () => {
  const home = new ToolHome()
    .on('work', [{ tool: 'list_files', args: { path: '.' } }, { text: 'done' }])
    .on('plain', { tool: 'sessions_history', args: { sessionKey: MAIN } })
    .on('whole', { tool: 'sessions_history', args: { sessionKey: MAIN, includeTools: true, limit: 50 } });
  const bot = await home.startCommand();
  await bot.say({ message: 'work with sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' });
  const plain = textsOf(await bot.say({ message: 'plain' }))[0];
  expect(plain).not.toContain('list_files');
  expect(plain).not.toContain('abcdefghijklmnopqrstuvwxyz0123456789');
  const whole = json(textsOf(await bot.say({ message: 'whole' }))[0]);
  expect(whole.messages.slice(0, 4)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', text: '[calls list_files {"path":"."}]' },
    { role: 'toolResult', tool: 'list_files', text: '(no files)' },
    { role: 'assistant', text: 'done' },
  ]);
});

test('a session asks another one and gets its answer, which goes to nobody else', async () => {
  const home = new ToolHome().on('What is the code', [{ text: 'It is plum.' }]);
  const bot = await talked(home);
  const ada = keyOf(home, 'ada');
  home.on('ask ada', { tool: 'sessions_send', args: { sessionKey: ada, message: 'What is the code?' } });
  const asked = json(textsOf(await bot.say({ message: 'ask ada' }))[0]);
  expect(asked).toEqual({ status: 'ok', sessionKey: ada, reply: 'It is plum.' });
  await bot.idle();
  expect(home.chat.shown.filter((line) => line.includes('plum'))).toEqual([]);
  expect(home.entryOf(ada)).toMatchObject({ lastChannel: 'memory', lastTo: 'ada' });
  // The answer was given to the call; no event repeats it.
  await bot.say({ message: 'and now' });
  expect(home.prompts.at(-1)).not.toContain('plum');
});

test('an answer that is not waited for is told by an event', async () => {
  const home = new ToolHome().on('Think', [{ text: 'It is plum.' }]);
  const bot = await talked(home);
  const ada = keyOf(home, 'ada');
  home.on('ask', { tool: 'sessions_send', args: { sessionKey: ada, message: 'Think', timeoutSeconds: 0 } });
  expect(json(textsOf(await bot.say({ message: 'ask' }))[0])).toEqual({
    status: 'accepted',
    sessionKey: ada,
  });
  await bot.idle();
  await bot.say({ message: 'and now' });
  expect(home.prompts.at(-1)).toMatch(/^System: \[.*\] agent:main:memory:\w+:ada answered: It is plum\./);
  await bot.close();
  // As if the process had died right after the event was kept.
  const db = new (loadSqlite().DatabaseSync)(join(home.stateDir, 'openbot-inbox.sqlite'));
  db.exec("UPDATE outbox SET state = 'waiting', at = 0 WHERE channel = 'sessions'");
  db.close();
  home.chat = home.chat.again();
  const again = await home.start({ config: PEERS });
  await again.idle();
  await again.say({ message: 'and then' });
  expect(home.prompts.at(-1)).not.toContain('plum');
});

test('a session cannot ask itself, nor one that waits for it, and no message is passed on without end', async () => {
  const home = new ToolHome();
  const bot = await talked(home);
  const [ada, bob] = [keyOf(home, 'ada'), keyOf(home, 'bob')];
  await bot.close();
  home.changeEntry(bob, { spawnedBy: ada });
  home.changeEntry(ada, { spawnedBy: MAIN });
  home
    .on('itself', { tool: 'sessions_send', args: { sessionKey: MAIN, message: 'x' } })
    .on('go to ada', { tool: 'sessions_send', args: { sessionKey: ada, message: 'go to bob' } })
    .on('go to bob', { tool: 'sessions_send', args: { sessionKey: bob, message: 'go back' } })
    .on('go back', { tool: 'sessions_send', args: { sessionKey: ada, message: 'x' } });
  const config = { session: { ...PEERS.session, agentToAgent: { maxPingPongTurns: 1 } } };
  home.chat = home.chat.again();
  const again = await home.start({ config: { ...config, tools: { sessions: { visibility: 'agent' } } } });
  expect(textsOf(await again.say({ message: 'itself' }))).toEqual(['This is the session that you are in.']);
  const limited = json(textsOf(await again.say({ message: 'go to ada' }))[0]);
  expect(limited.reply).toBe('This message came through 1 sessions, and 1 is the limit. Answer it yourself.');
  await again.close();
  home.chat = home.chat.again();
  const free = await home.start({ config: { ...PEERS, tools: { sessions: { visibility: 'agent' } } } });
  const round = json(textsOf(await free.say({ message: 'go to ada' }))[0]);
  expect(json(round.reply).reply).toBe(
    `${ada} waits for your answer. Write what it should know as your answer.`,
  );
});

test('turns that wait for others leave them their place', async () => {
  const home = new ToolHome();
  const bot = await talked(home);
  const ada = keyOf(home, 'ada');
  await bot.close();
  home.on('begin', { tool: 'sessions_send', args: { sessionKey: ada, message: 'hi' } });
  home.chat = home.chat.again();
  const config = { ...PEERS, agents: { maxConcurrentRuns: 1, defaults: { maxConcurrent: 1 } } };
  const narrow = await home.start({ config });
  expect(json(textsOf(await narrow.say({ message: 'begin' }))[0])).toMatchObject({
    status: 'ok',
    reply: 'ok',
  });
});

test('groups reach themselves only, and have no memory search', async () => {
  const home = new ToolHome().on('list', { tool: 'sessions_list' });
  const bot = await home.start();
  await home.chat.write('ada', 'hello');
  await bot.idle();
  await home.chat.writeInGroup('g1', { name: 'Bob', id: 'bob' }, 'list', { WasMentioned: true });
  await bot.idle();
  const group = keyOf(home, 'group:g1');
  expect(json(home.resultsIn(group)[0]).sessions).toMatchObject([{ sessionKey: group, kind: 'group' }]);
  const [direct, inGroup] = home.offered;
  expect(direct).toContain('memory_search');
  expect(inGroup).not.toContain('memory_search');
});

test('the status tells how full the context is', async () => {
  const home = new ToolHome().on('status', [
    { usage: { input: 40_000, output: 10_000 } },
    { tool: 'session_status' },
    { text: '{{result}}' },
  ]);
  const bot = await home.startCommand();
  const status = json(textsOf(await bot.say({ message: 'status' }))[0]);
  expect(status).toMatchObject({
    sessionKey: MAIN,
    sessionId: home.entryOf().sessionId,
    model: 'script/echo',
    contextTokens: 50_000,
    contextWindow: 200_000,
    usedPercent: 25,
    compactions: 0,
  });
});

test('a clean is done after the turn, with a backup, and told to the next one', async () => {
  const home = new ToolHome()
    .on('work', [{ tool: 'read_file', args: { path: 'a.txt' } }, { text: 'read' }])
    .on('clean', { tool: 'context_clean', args: { preset: 'extreme', keep: 0 } });
  home.writeFile('a.txt', 'long '.repeat(4000));
  const bot = await home.startCommand();
  await bot.say({ message: 'work' });
  const said = json(textsOf(await bot.say({ message: 'clean' }))[0]);
  expect(said).toMatchObject({ status: 'scheduled', preset: 'extreme', keep: 0 });
  await bot.idle();
  expect(home.entryOf().lastClean).toMatchObject({ preset: 'extreme', savedTokens: expect.any(Number) });
  await bot.say({ message: 'and now' });
  expect(home.prompts.at(-1)).toMatch(/^System: \[.*\] Your context was cleaned: about \d+ tokens/);
  const results = home.linesOf().filter(({ message }: Line) => message?.role === 'toolResult');
  expect(JSON.stringify(results)).not.toContain('long long');
  expect(home.saidIn().filter((line) => line.startsWith('user: '))).toHaveLength(3);
  home.checkTranscripts();
});

test('notes and conversations are searched by words', async () => {
  const home = new ToolHome().on('look', { tool: 'memory_search', args: { query: 'plum garden' } });
  home.writeFile('MEMORY.md', '# Facts\n\nThe plum tree is in the garden.\n');
  home.writeFile('memory/2026-11-01.md', 'Nothing.\n\nBought a plum.\n');
  const bot = await talked(home);
  const found = json(textsOf(await bot.say({ message: 'look' }))[0]);
  expect(
    found.results.map(({ at, sessionKey }: { at?: string; sessionKey?: string }) => at ?? sessionKey),
  ).toEqual(['MEMORY.md:3', expect.anything(), expect.anything()]);
  const places = JSON.stringify(found.results);
  expect(places).toContain('memory/2026-11-01.md:3');
  expect(places).toContain(keyOf(home, 'ada'));
  // It came from the index, where the conversation is a row.
  const index = new (loadSqlite().DatabaseSync)(join(home.stateDir, 'openbot.sqlite'));
  expect(index.prepare('SELECT count(*) AS n FROM chunks').get()?.n).toBeGreaterThan(2);
  expect(index.prepare('SELECT count(*) AS n FROM messages').get()?.n).toBeGreaterThan(1);
  index.close();
  // Another person's session finds the notes and not what ada said.
  await home.chat.write('bob', 'look');
  await bot.idle();
  expect(home.resultsIn(keyOf(home, 'bob'))[0]).not.toContain('secret');
});

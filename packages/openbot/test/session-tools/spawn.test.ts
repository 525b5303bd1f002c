import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, textsOf } from '../bot/bot-home.ts';
import { ToolHome } from './tool-home.ts';

const json = (text: string | undefined) => JSON.parse(text ?? 'null');
const childrenOf = (home: ToolHome) =>
  Object.keys(home.entriesOf()).filter((key) => key.includes(':subagent:'));
const SPAWN = { tool: 'sessions_spawn', args: { task: 'count the plums', label: 'plums' } };

test('a spawned session works beside the conversation, and its result begins a turn there', async () => {
  const home = new ToolHome()
    .on('please', [SPAWN, { text: 'I let it count.' }])
    .on('Task: count the plums', [{ text: 'There are 7.' }])
    .on('has done its task', [{ text: 'I counted 7 plums.' }]);
  const bot = await home.start();
  await home.chat.write('ada', 'please');
  await bot.idle();
  expect(home.chat.shown).toEqual(['ada: I let it count.', 'ada: I counted 7 plums.']);
  const [child] = childrenOf(home);
  expect(home.entryOf(child)).toMatchObject({ spawnedBy: MAIN, label: 'plums' });
  expect(child).toMatch(
    /^agent:main:subagent:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(json(home.resultsIn()[0])).toMatchObject({ status: 'accepted', sessionKey: child, label: 'plums' });
  expect(home.prompts.at(-1)).toContain(`The session that you spawned, plums (${child}), has done its task:`);
  expect(home.entryOf()).toMatchObject({ lastChannel: 'memory', lastTo: 'ada' });
  home.checkTranscripts();
});

test('a failure is told too, and a silent result is not', async () => {
  const home = new ToolHome()
    .on('please', [SPAWN, { text: 'Started.' }])
    .on('quietly', [{ tool: 'sessions_spawn', args: { task: 'say nothing' } }, { text: 'Started.' }])
    .on('Task: count', [{ fail: 'no plums' }])
    .on('Task: say nothing', [{ text: 'NO_REPLY' }])
    .on('has failed', [{ text: 'It did not work.' }]);
  const bot = await home.start();
  await home.chat.write('ada', 'please');
  await bot.idle();
  await home.chat.write('ada', 'quietly');
  await bot.idle();
  expect(home.chat.shown).toEqual(['ada: Started.', 'ada: It did not work.', 'ada: Started.']);
});

test('a command waits for the session that it spawned', async () => {
  const home = new ToolHome().on('please', SPAWN).on('Task: count the plums', [{ text: 'There are 7.' }]);
  const bot = await home.startCommand();
  const result = json(textsOf(await bot.say({ message: 'please' }))[0]);
  expect(result).toMatchObject({ status: 'ok', result: 'There are 7.' });
});

test('a spawned session spawns none, and reaches only itself', async () => {
  const home = new ToolHome()
    .on('please', [{ tool: 'sessions_spawn', args: { task: 'spawn' } }, { text: '{{result}}' }])
    .on('Task: spawn', [
      { tool: 'sessions_spawn', args: { task: 'deeper' } },
      { tool: 'sessions_list' },
      { tool: 'sessions_history', args: { sessionKey: MAIN } },
      { tool: 'message', args: { text: 'hello there' } },
      { text: 'done' },
    ]);
  const bot = await home.startCommand({ config: { tools: { sessions: { visibility: 'agent' } } } });
  await bot.say({ message: 'please' });
  const [child] = childrenOf(home);
  expect(childrenOf(home)).toHaveLength(1);
  const [spawned, listed, read, sent] = home.resultsIn(child);
  expect(spawned).toBe('A session that was spawned must not spawn others. Do the task yourself.');
  expect(json(listed).sessions).toMatchObject([{ sessionKey: child }]);
  expect(read).toBe(`There is no session ${MAIN} that you can reach. See sessions_list.`);
  expect(sent).toMatch(/^What you answer is read where you were asked;/);
});

test('the depth can be set', async () => {
  const home = new ToolHome()
    .on('please', { tool: 'sessions_spawn', args: { task: 'first' } })
    .on('Task: first', { tool: 'sessions_spawn', args: { task: 'second' } })
    .on('Task: second', { tool: 'sessions_spawn', args: { task: 'third' } });
  const config = { agents: { defaults: { subagents: { maxSpawnDepth: 2 } } } };
  const bot = await home.startCommand({ config });
  const first = json(textsOf(await bot.say({ message: 'please' }))[0]);
  const second = json(first.result);
  expect(second.result).toBe('A session that was spawned must not spawn others. Do the task yourself.');
  expect(childrenOf(home)).toHaveLength(2);
});

test('a session spawns no more than may work at the same time', async () => {
  const ready = Promise.withResolvers<void>();
  const home = new ToolHome()
    .on('please', [
      { tool: 'sessions_spawn', args: { task: 'wait one' } },
      { tool: 'sessions_spawn', args: { task: 'wait two' } },
      { tool: 'sessions_spawn', args: { task: 'wait three' } },
      { text: 'started' },
    ])
    .on('Task: wait', async function* () {
      await ready.promise;
      yield { text: 'NO_REPLY' };
    });
  const config = { agents: { defaults: { subagents: { maxChildrenPerAgent: 2 } } } };
  const bot = await home.start({ config });
  await home.chat.write('ada', 'please');
  await home.chat.until((line) => line === 'ada: started');
  ready.resolve();
  await bot.idle();
  const [, , third] = home.resultsIn();
  expect(third).toBe('2 sessions that you spawned are at work, which is the limit. Wait for one to end.');
  expect(childrenOf(home)).toHaveLength(2);
});

test('model, thinking and labels are checked and kept', async () => {
  const home = new ToolHome()
    .on('wrong model', { tool: 'sessions_spawn', args: { task: 'x', model: 'nowhere/none' } })
    .on('wrong label', { tool: 'sessions_spawn', args: { task: 'x', label: 'x'.repeat(65) } })
    .on('right', { tool: 'sessions_spawn', args: { task: 'x', model: 'script/echo', thinking: 'low' } });
  const bot = await home.startCommand();
  expect(textsOf(await bot.say({ message: 'wrong model' }))[0]).toMatch(/^There is no model nowhere\/none\./);
  expect(textsOf(await bot.say({ message: 'wrong label' }))[0]).toMatch(/^The label cannot be used: /);
  await bot.say({ message: 'right' });
  const [child] = childrenOf(home);
  expect(home.entryOf(child)).toMatchObject({
    providerOverride: 'script',
    modelOverride: 'echo',
    thinkingLevel: 'low',
  });
});

test('what a group spawned is told in the group, without what is private', async () => {
  const home = new ToolHome()
    .on('please', [SPAWN, { text: 'Started.' }])
    .on('Task: count', [{ text: 'There are 7.' }])
    .on('has done its task', [{ text: 'Seven.' }]);
  const bot = await home.start();
  await home.chat.writeInGroup('g1', { name: 'Bob', id: 'bob' }, 'please', { WasMentioned: true });
  await bot.idle();
  expect(home.chat.shown).toEqual(['g1: Started.', 'g1: Seven.']);
  expect(home.offered.at(-1)).not.toContain('memory_search');
});

test('what a group spawned knows no more than the group', async () => {
  const home = new ToolHome()
    .on('please', [SPAWN, { text: 'Started.' }])
    .on('Task: count', { tool: 'memory_search', args: { query: 'door code' } });
  home.writeFile('MEMORY.md', 'The door code is 4711.');
  const bot = await home.start();
  await home.chat.writeInGroup('g1', { name: 'Bob', id: 'bob' }, 'please', { WasMentioned: true });
  await bot.idle();
  const [child] = childrenOf(home);
  expect(home.entryOf(child)).toMatchObject({ chatType: 'group' });
  expect(home.resultsIn(child)).toEqual([expect.stringContaining('private notes must not be searched')]);
  const files = home.entryOf(child).systemPromptReport?.injectedWorkspaceFiles ?? [];
  expect(files.map(({ name }) => name)).not.toContain('MEMORY.md');
});

test('a spawned session has the limits of those above it, and not what was added to their rules', async () => {
  const home = new ToolHome()
    .on('please', { tool: 'sessions_spawn', args: { task: 'first' } })
    .on('Task: first', { tool: 'sessions_spawn', args: { task: 'second' } })
    .on('Task: second', { tool: 'write_file', args: { path: 'a.txt', content: 'x' } });
  const config = { agents: { defaults: { subagents: { maxSpawnDepth: 2 } } } };
  const first = await home.startCommand({ config });
  await first.say({ message: 'hello' });
  await first.close();
  home.changeEntry(MAIN, { execSecurity: 'deny', execAsk: 'always', permissionsAdded: ['write_file'] });
  const second = await home.startCommand({ config });
  const end = textsOf(await second.say({ message: 'please' }))[0];
  expect(json(json(end).result).result).toBe('This session must not change anything.');
  expect(childrenOf(home)).toHaveLength(2);
  for (const child of childrenOf(home)) {
    expect(home.entryOf(child)).toMatchObject({ execSecurity: 'deny', execAsk: 'always' });
    expect(home.entryOf(child).permissionsAdded).toBeUndefined();
  }
  expect(existsSync(join(home.stateDir, 'workspace/a.txt'))).toBe(false);
});

test('the turn that tells a result can ask the person', async () => {
  const home = new ToolHome()
    .on('please', [SPAWN, { text: 'Started.' }])
    .on('Task: count', [{ text: 'There are 7.' }])
    .on('has done its task', [{ ask: 'Bash', args: { command: 'git push' } }, { text: '{{result}}' }]);
  const bot = await home.start({ config: { channels: { memory: { allowFrom: ['ada', 'ada@home'] } } } });
  // The address of a person need not be the name of the conversation.
  const ctx = { OriginatingTo: 'ada@home' };
  await home.chat.write('ada', 'please', { ctx });
  await home.chat.until((line) => line.startsWith('ada@home: Permission needed'));
  const { question } = home.chat.channel.network.shown.at(-1)!.payload;
  await home.chat.write('ada', `yes ${question!.id}`, { ctx });
  await bot.idle();
  expect(home.chat.shown.at(-1)).toBe('ada@home: It was allowed.');
});

test('a time beyond what timers hold does not end a session at once', async () => {
  const home = new ToolHome()
    .on('please', { tool: 'sessions_spawn', args: { task: 'count', timeoutSeconds: 1e9 } })
    .on('ask it', {
      tool: 'sessions_send',
      args: { sessionKey: 'plums', message: 'more', timeoutSeconds: 1e9 },
    })
    .on('label it', SPAWN)
    .on(/Task: count|asks you/, async function* () {
      yield { tool: 'list_files' };
      yield { text: 'There are 7.' };
    });
  const bot = await home.startCommand();
  for (const message of ['please', 'label it', 'ask it']) {
    const [text] = textsOf(await bot.say({ message }));
    expect(json(text)).toMatchObject({ status: 'ok' });
  }
});

test('a spawned session that was cut off goes on, and is announced once', async () => {
  const stuck = Promise.withResolvers<void>();
  const home = new ToolHome()
    .on('please', [SPAWN, { text: 'Started.' }])
    .on('Your run was cut off', [{ text: 'There are 7.' }])
    .on('Task: count the plums', async function* () {
      yield { tool: 'list_files' };
      stuck.resolve();
      yield { stall: true };
    })
    .on('has done its task', [{ text: 'Seven.' }]);
  const first = await home.start();
  await home.chat.write('ada', 'please');
  await home.chat.until((line) => line === 'ada: Started.');
  await stuck.promise;
  await first.close();
  home.chat = home.chat.again();
  const second = await home.start();
  await second.idle();
  await second.close();
  home.chat = home.chat.again();
  const third = await home.start();
  await third.idle();
  expect(home.chat.shown).toEqual(['ada: Started.', 'ada: Seven.']);
  home.checkTranscripts();
});

test('what another session says does not interrupt a person', async () => {
  const ready = Promise.withResolvers<void>();
  const home = new ToolHome()
    .on('please', [SPAWN, { text: 'Started.' }])
    .on('Task: count', [{ text: 'There are 7.' }])
    .on('slow', async function* () {
      await ready.promise;
      yield { text: 'Done.' };
    })
    .on('has done its task', [{ text: 'Seven.' }]);
  const bot = await home.start({ config: { messages: { queue: { mode: 'interrupt' } } } });
  await home.chat.write('ada', 'please');
  await home.asked('Task: count');
  await home.chat.write('ada', 'slow');
  await home.asked('slow');
  ready.resolve();
  await bot.idle();
  expect(home.chat.shown.toSorted()).toEqual(['ada: Done.', 'ada: Seven.', 'ada: Started.']);
});

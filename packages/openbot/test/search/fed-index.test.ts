/** What agents and people say is in the index in the same turn, and no failure of the index reaches a turn. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import type { BotNotice } from '../../src/bot/contract.ts';
import { openBot } from '../../src/bot/open-bot.ts';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { makeTalkingState, openIndexOf, said } from '../index-writing/talking-state.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { waitFor } from '../setup/terminal-command.ts';
import { runOpenbot, spawnOpenbot } from './search-process.ts';

async function talk(stateDir: string, message: string, config: BotConfig = {}) {
  const notices: BotNotice[] = [];
  const bot = await openBot({ stateDir, config, env: {}, report: (notice) => notices.push(notice) });
  const { outcome, sessionKey } = await bot.say({ message });
  await bot.close();
  return { outcome, sessionKey, messages: notices.map((notice) => notice.message) };
}

/** Looks without reading any transcript. */
async function look(stateDir: string) {
  const index = await openIndexOf({ folder: stateDir });
  return { ...index, catchUp: undefined };
}

test('a turn leaves its messages in the index, with the key of the session', async () => {
  const stateDir = makeTempFolder();
  const { outcome, sessionKey, messages } = await talk(stateDir, 'meet me at the harbour');
  expect([outcome, messages]).toEqual(['answered', []]);
  const index = await look(stateDir);
  const hits = await index.search('harbour');
  expect(hits.map(({ speaker }) => speaker).sort()).toEqual(['assistant', 'user']);
  expect(hits[0]).toMatchObject({ sessionKey, agentId: 'main', source: 'openbot', turn: 1 });
  await talk(stateDir, 'and then at the lighthouse');
  expect((await index.search('lighthouse')).map(({ turn }) => turn)).toEqual([2, 2]);
  expect((await index.search('harbour', { speaker: 'user' })).map(({ turn }) => turn)).toEqual([1]);
});

test('an index that was lost knows the key of a conversation that was reset in the chat', async () => {
  const stateDir = makeTempFolder();
  const { sessionKey } = await talk(stateDir, 'meet me at the harbour');
  await talk(stateDir, '/new');
  rmSync(join(stateDir, 'openbot.sqlite'));
  const index = await openIndexOf({ folder: stateDir });
  await index.catchUp();
  const [hit] = await index.search('harbour');
  expect(hit).toMatchObject({ sessionKey, path: expect.stringContaining('.jsonl.reset.') });
});

test('a rebuild knows the keys of a store that openbot.json names', async () => {
  const home = makeTempFolder();
  const stateDir = join(home, 'state');
  mkdirSync(stateDir);
  const store = join(home, 'elsewhere/{agentId}/sessions.json');
  writeFileSync(join(stateDir, 'openbot.json'), JSON.stringify({ session: { store } }));
  const { sessionKey } = await talk(stateDir, 'meet me at the harbour', { session: { store } });
  const index = await openIndexOf({ folder: stateDir });
  await index.database.write(() => index.database.prepare('DELETE FROM files').run());
  expect(await index.catchUp()).toMatchObject({ read: 1, faults: [] });
  const [hit] = await index.search('harbour');
  expect(hit).toMatchObject({ sessionKey, agentId: 'main', source: 'openbot' });
  // A configuration that is being edited does not keep anybody from searching.
  writeFileSync(join(stateDir, 'openbot.json'), '{ "session": { "store": ');
  expect(await index.catchUp()).toMatchObject({ sessions: 1 });
  expect(await index.search('harbour')).toMatchObject([{ sessionKey }, { sessionKey }]);
});

test('a bot that stays reads what was said before it started', async () => {
  const state = makeTalkingState();
  state.add(1, said('a', 'user', 'the harbour of last week'));
  const channel = new MemoryChannel();
  const bot = await openBot({ stateDir: state.folder, config: {}, env: {}, channels: [channel] });
  afterTest(() => bot.close());
  const index = await look(state.folder);
  let found: unknown[] = [];
  await waitFor(
    () => 'what was said before',
    () => {
      void index.find('harbour').then((ids) => (found = ids));
      return found.length > 0 || undefined;
    },
  );
  expect(found).toEqual(['a']);
});

test('a bot that ends does not wait until all that was said before is read', async () => {
  const state = makeTalkingState();
  const words = 'many words of a long message '.repeat(30);
  for (let n = 0; n < 3; n++)
    state.add(n, ...Array.from({ length: 12_000 }, (_, at) => said(`m${at}`, 'user', `needle ${words}`)));
  const channel = new MemoryChannel();
  const bot = await openBot({ stateDir: state.folder, config: {}, env: {}, channels: [channel] });
  const index = await look(state.folder);
  const count = async () => (await index.rows('SELECT count(*) AS n FROM messages'))[0]!.n as number;
  while ((await count()) === 0) await new Promise(setImmediate);
  await bot.close();
  expect(await count(), 'not even the first session').toBeLessThan(12_000);
});

test('a command that answers one message leaves a long session to the next search', async () => {
  const stateDir = makeTempFolder();
  await talk(stateDir, 'meet me at the harbour', { index: { enabled: false } } as BotConfig);
  const folder = join(stateDir, 'agents/main/sessions');
  const name = readdirSync(folder).find((one) => one.endsWith('.jsonl'))!;
  appendFileSync(join(folder, name), said('x', 'user', 'long '.repeat(500_000)));
  const { outcome, messages } = await talk(stateDir, 'and then at the lighthouse');
  expect([outcome, messages]).toEqual(['answered', []]);
  const index = await openIndexOf({ folder: stateDir });
  expect(await index.find('lighthouse')).toEqual([]);
  await index.catchUp();
  expect(await index.search('lighthouse', { speaker: 'user' })).toHaveLength(1);
  await talk(stateDir, 'or in the garden');
  expect(await index.search('garden', { speaker: 'user' })).toHaveLength(1);
});

test('an index that is turned off stays away', async () => {
  const stateDir = makeTempFolder();
  await talk(stateDir, 'hello', { index: { enabled: false } } as BotConfig);
  expect(existsSync(join(stateDir, 'openbot.sqlite'))).toBe(false);
});

describe('a turn goes on', () => {
  test('when the index is damaged: it is made anew, and one message says so', async () => {
    const stateDir = makeTempFolder();
    await talk(stateDir, 'the first');
    for (const ending of ['', '-wal', '-shm'])
      rmSync(join(stateDir, `openbot.sqlite${ending}`), { force: true });
    writeFileSync(join(stateDir, 'openbot.sqlite'), 'no database'.repeat(1000));
    const { outcome, messages } = await talk(stateDir, 'the second');
    expect(outcome).toBe('answered');
    expect(messages).toEqual([expect.stringMatching(/is damaged.*made anew/)]);
    // The whole session was read again.
    expect(await (await look(stateDir)).search('first', { speaker: 'user' })).toHaveLength(1);
  });

  test('when nothing can be written there', async () => {
    const stateDir = makeTempFolder();
    mkdirSync(join(stateDir, 'openbot.sqlite'));
    const { outcome, messages } = await talk(stateDir, 'hello');
    expect(outcome).toBe('answered');
    expect(messages).toEqual([expect.stringMatching(/^Cannot use the index .*conversations go on\.$/)]);
  });

  test('when a newer openbot made it', async () => {
    const stateDir = makeTempFolder();
    const newer = new DatabaseSync(join(stateDir, 'openbot.sqlite'));
    newer.exec('CREATE TABLE t (x); PRAGMA user_version = 999');
    newer.close();
    const { outcome, messages } = await talk(stateDir, 'hello');
    expect(outcome).toBe('answered');
    expect(messages).toEqual([expect.stringContaining('version 999')]);
  });

  test('when another process holds it', { timeout: 20_000 }, async () => {
    const stateDir = makeTempFolder();
    await talk(stateDir, 'hello');
    const other = new DatabaseSync(join(stateDir, 'openbot.sqlite'));
    afterTest(() => other.close());
    other.exec('BEGIN EXCLUSIVE');
    const { outcome, messages } = await talk(stateDir, 'again');
    expect(outcome).toBe('answered');
    expect(messages).toEqual([expect.stringContaining('locked')]);
    other.exec('ROLLBACK');
    const index = await openIndexOf({ folder: stateDir });
    await index.catchUp();
    expect(await index.search('again', { speaker: 'user' })).toHaveLength(1);
  });
});

test('ten processes write and one searches: nothing is lost', {
  timeout: 60_000,
}, async () => {
  const home = makeTempFolder();
  const writers = Array.from({ length: 10 }, (_, n) =>
    runOpenbot(home, ['agent', '-m', `needle number${n}`, '--session-key', `agent:main:s${n}`]),
  );
  const during = await runOpenbot(home, ['search', 'needle', '--json']);
  expect(during).toMatchObject({ code: 0, stderr: '' });
  for (const { code, stderr } of await Promise.all(writers)) {
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/index/i);
  }
  const index = await openIndexOf({ folder: join(home, 'state') });
  expect(await index.search('needle', { speaker: 'user', limit: 50 })).toHaveLength(10);
  const checked = await runOpenbot(home, ['index', 'check', '--json']);
  expect(checked).toMatchObject({ code: 0 });
});

test('killed while it writes: the next search is right', { timeout: 60_000 }, async () => {
  const home = makeTempFolder();
  const state = makeTalkingState(join(home, 'state'));
  for (let n = 0; n < 40; n++) {
    const words = `${'many words of a long message '.repeat(30)}`;
    state.add(
      n,
      ...Array.from({ length: 100 }, (_, at) => said(`m${n}-${at}`, 'user', `needle ${n} ${at} ${words}`)),
    );
  }
  const log = join(home, 'state', 'openbot.sqlite-wal');
  for (const size of [100_000, 1_500_000]) {
    const { child, ended } = spawnOpenbot(home, ['index', 'rebuild']);
    await waitFor(
      () => `a log of ${size} bytes`,
      () =>
        (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > size || child.exitCode !== null || undefined,
    );
    child.kill('SIGKILL');
    await ended;
  }
  const found = await runOpenbot(home, ['search', '"needle 39 99"', '--json']);
  expect(found).toMatchObject({ code: 0, stderr: '' });
  expect((JSON.parse(found.stdout) as { hits: unknown[] }).hits).toHaveLength(1);
  expect(await runOpenbot(home, ['index', 'check'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('4,000 messages of 40 sessions'),
  });
});

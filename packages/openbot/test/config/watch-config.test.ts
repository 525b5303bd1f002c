import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startChatApi } from '../../../../test/imitations/chat-api.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { watchConfig } from '../../src/config/watch-config.ts';
import { openChat } from '../setup/chat.ts';
import { ManualClock } from '../setup/manual-clock.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

async function makeWatched(text: string, others: Record<string, string> = {}, own = 'openbot.json') {
  const stateDir = makeTempFolder();
  const write = (content: string, name = own) => writeFileSync(join(stateDir, name), content);
  write(text);
  for (const [name, content] of Object.entries(others)) write(content, name);
  const said: string[] = [];
  const watched = await watchConfig(
    stateDir,
    {},
    { report: (message) => void said.push(message), clock: new ManualClock() },
  );
  let changes = 0;
  watched.onChange(() => void changes++);
  return { stateDir, write, said, watched, changes: () => changes };
}

describe('a configuration that is read again', () => {
  it('has each change of the file, and of what it includes', async () => {
    const { write, watched, changes } = await makeWatched('{ $include: "./more.json5" }', {
      'more.json5': '{ session: { mainKey: "a" } }',
    });
    const copy = { ...watched.config };
    write('{ session: { mainKey: "bb" } }', 'more.json5');
    await watched.look();
    expect(watched.config.session?.mainKey).toBe('bb');
    write('{ $include: "./more.json5", messages: { responsePrefix: ">" } }');
    await watched.look();
    await watched.look();
    expect([watched.config.messages?.responsePrefix, changes()]).toEqual(['>', 2]);
    expect([copy.session?.mainKey, copy.messages]).toEqual(['a', undefined]);
  });

  it('keeps the former one while the file is wrong, and says so once', async () => {
    const { write, said, watched, changes } = await makeWatched('{ session: { mainKey: "a" } }');
    write('{ session: { mainKey: ');
    await watched.look();
    await watched.look();
    expect(watched.config.session?.mainKey).toBe('a');
    expect(said).toEqual([expect.stringContaining('The configuration is wrong, and the former one is used')]);
    write('{ session: { mainKey: "b" } }');
    await watched.look();
    expect([watched.config.session?.mainKey, changes(), said.length]).toEqual(['b', 1, 1]);
  });

  it.each(['wrong', 'gone'])('one that is %s at the start is what another process had read', async (how) => {
    const { stateDir, write, watched: other } = await makeWatched('{ session: { mainKey: "a" } }');
    if (how === 'wrong') write('{ session: { mainKey: ');
    else rmSync(join(stateDir, 'openbot.json'));
    await other.look();
    expect(other.fault).toContain(join(stateDir, 'openbot.json'));
    const options = { report: () => {}, clock: new ManualClock() };
    const watched = await watchConfig(stateDir, {}, { ...options, former: other.loaded });
    expect(watched.config.session?.mainKey).toBe('a');
    write('{ session: { mainKey: "b" } }');
    for (const one of [other, watched]) {
      await one.look();
      expect([one.config.session?.mainKey, one.fault]).toEqual(['b', undefined]);
    }
  });

  it('a file that another takes the place of counts', async () => {
    const { stateDir, write, watched } = await makeWatched('{ session: { mainKey: "a" } }');
    write('{ session: { mainKey: "b" } }', 'new');
    renameSync(join(stateDir, 'new'), join(stateDir, 'openbot.json'));
    await watched.look();
    expect(watched.config.session?.mainKey).toBe('b');
  });

  it.each(['openbot.json', 'openclaw.json'])('%s that is gone holds until it is back', async (name) => {
    const { stateDir, write, said, watched, changes } = await makeWatched(
      '{ "session": { "mainKey": "a" } }',
      {},
      name,
    );
    rmSync(join(stateDir, name));
    await watched.look();
    // Neither does another one take its place, nor is it said again.
    write('{ "session": { "mainKey": "b" } }', 'clawdbot.json');
    await watched.look();
    expect([watched.config.session?.mainKey, said, changes()]).toEqual([
      'a',
      [`${join(stateDir, name)} is gone. What it said holds until it is back`],
      0,
    ]);
    write('{ "session": { "mainKey": "c" } }');
    await watched.look();
    expect([watched.config.session?.mainKey, said.length]).toEqual(['c', 1]);
  });

  it('reads a file that was missing as soon as it is there, and a secret that changes', async () => {
    const { write, said, watched } = await makeWatched('{ session: { mainKey: "a" } }');
    write('{ $include: "./more.json5" }');
    await watched.look();
    expect(said).toHaveLength(1);
    write('{ models: { providers: { x: { apiKey: "file:./key" } } } }', 'more.json5');
    await watched.look();
    expect([watched.config.session?.mainKey, said.length]).toEqual(['a', 2]);
    write('one', 'key');
    await watched.look();
    expect(watched.config.models?.providers?.x?.apiKey).toBe('one');
    write('second', 'key');
    await watched.look();
    expect(watched.config.models?.providers?.x?.apiKey).toBe('second');
  });

  it('goes on where a file cannot be looked at', async () => {
    const { stateDir, write, said, watched } = await makeWatched('{ session: { mainKey: "a" } }');
    rmSync(join(stateDir, 'openbot.json'));
    symlinkSync('openbot.json', join(stateDir, 'openbot.json'));
    await watched.look();
    await watched.look();
    expect([watched.config.session?.mainKey, said]).toEqual(['a', [expect.stringContaining('ELOOP')]]);
    rmSync(join(stateDir, 'openbot.json'));
    write('{ session: { mainKey: "b" } }');
    await watched.look();
    expect(watched.config.session?.mainKey).toBe('b');
  });

  it('what cannot change is said, and stays', async () => {
    const { write, said, watched } = await makeWatched('{}');
    write('{ session: { store: "/elsewhere/{agentId}.json", mainKey: "b" } }');
    await watched.look();
    expect(watched.config.session).toEqual({ mainKey: 'b', store: undefined });
    expect(said.splice(0)).toEqual(['session.store has changed. It holds after a restart']);
    write('{ index: { enabled: false } }');
    await watched.look();
    expect(watched.config.index).toEqual({ enabled: undefined });
    expect(said).toEqual(['index.enabled has changed. It holds after a restart']);
  });
});

it('a bot that stays open answers by the new settings, and a broken edit changes nothing', async () => {
  const chat = await openChat({ messages: { responsePrefix: 'one' } }, (stateDir) => {
    mkdirSync(join(stateDir, 'scripts'));
    writeFileSync(join(stateDir, 'scripts', 'late.json'), '{"turns":[{"steps":[{"text":"late"}]}]}');
  });
  expect((await chat.ask({ text: 'hello' }))[0]?.text).toMatch(/^one You said: hello/);
  chat.configure('{ messages: { responsePrefix: ');
  await chat.until(() => chat.notices.length > 0);
  expect((await chat.ask({ text: 'again' }))[0]?.text).toMatch(/^one You said: again/);
  chat.configure({ messages: { responsePrefix: 'two' }, agents: { defaults: { model: 'script/late' } } });
  await chat.until((told) => told.some((one) => 'changed' in one));
  expect((await chat.ask({ text: 'more' }))[0]?.text).toBe('two late');
  // A runner that reads its providers when it is opened is opened again.
  for (const text of ['From here.', 'From there.']) {
    const api = await startChatApi({ reply: () => ({ text }) });
    afterTest(() => api.close());
    const far = { baseUrl: api.url, api: 'openai-completions', apiKey: 'k', models: [{ id: 'm' }] };
    const changes = chat.changes();
    chat.configure({ agents: { defaults: { model: 'far/m' } }, models: { providers: { far } } });
    await chat.until(() => chat.changes() > changes);
    expect((await chat.ask({ text: 'who is there?' }))[0]?.text).toBe(text);
  }
  expect(chat.notices).toEqual([expect.stringContaining('the former one is used until it is corrected')]);
  await chat.end();
});

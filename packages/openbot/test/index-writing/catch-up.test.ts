import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { idOf, lineOf, makeTalkingState, openIndexOf, said } from './talking-state.ts';

async function start() {
  const state = makeTalkingState();
  state.add(1, said('a', 'user', 'where is the harbour'), said('b', 'assistant', 'behind the lighthouse'));
  state.add(2, said('c', 'user', 'plant a tree'));
  const index = await openIndexOf(state);
  await index.catchUp();
  return { state, index };
}

test('reads every session once, and then only what is new', async () => {
  const { state, index } = await start();
  expect(await index.find('harbour')).toEqual(['a']);
  expect(await index.catchUp()).toMatchObject({ read: 0, bytes: 0, sessions: 2, removed: 0 });
  const line = said('d', 'assistant', 'an oak or a lime');
  state.add(2, line);
  expect(await index.catchUp()).toMatchObject({ read: 1, bytes: Buffer.byteLength(line) });
  expect(await index.find('lime')).toEqual(['d']);
  expect(await index.find('tree')).toEqual(['c']);
  expect(await index.rows('SELECT turns FROM sessions ORDER BY session_id')).toEqual([
    { turns: 1 },
    { turns: 1 },
  ]);
});

test('a line that is being written is read when it is whole', async () => {
  const { state, index } = await start();
  const line = said('d', 'user', 'a long sentence');
  appendFileSync(state.pathOf(1), line.slice(0, 40));
  await index.catchUp();
  expect(await index.find('sentence')).toEqual([]);
  appendFileSync(state.pathOf(1), line.slice(40));
  await index.catchUp();
  expect(await index.find('sentence')).toEqual(['d']);
});

test('a session that was rewritten is read again', async () => {
  const { state, index } = await start();
  const path = state.pathOf(1);
  writeFileSync(`${path}.new`, readFileSync(path, 'utf8').replace('lighthouse', 'warehouse'));
  renameSync(`${path}.new`, path);
  await index.catchUp();
  expect(await index.find('lighthouse')).toEqual([]);
  expect(await index.find('warehouse')).toEqual(['b']);
  expect(await index.rows('SELECT count(*) AS n FROM messages')).toEqual([{ n: 3 }]);
  expect(await index.rows('SELECT count(*) AS n FROM said')).toEqual([{ n: 3 }]);
});

test('a conversation that was reset stays, under its key, and is not read again', async () => {
  const { state, index } = await start();
  state.setEntries({ 'agent:main:telegram:group:7': { n: 1, label: 'sea' } });
  await index.catchUp();
  const archive = `${state.pathOf(1)}.reset.2026-11-10T12-00-00.000Z`;
  renameSync(state.pathOf(1), archive);
  state.setEntries({ 'agent:main:telegram:group:7': { n: 3, label: 'land' } });
  state.add(3, said('d', 'user', 'after it'));
  expect(await index.catchUp()).toMatchObject({ read: 1, removed: 0, sessions: 3 });
  const of = { sessionId: idOf(1), sessionKey: 'agent:main:telegram:group:7', label: 'sea', agentId: 'main' };
  expect(await index.search('harbour')).toMatchObject([{ ...of, path: archive, entryId: 'a' }]);
  expect(await index.catchUp()).toMatchObject({ read: 0, removed: 0 });
  // A copy is another file: it is read again, and still known.
  writeFileSync(`${archive}.new`, readFileSync(archive));
  rmSync(archive);
  renameSync(`${archive}.new`, archive.replace('12-00', '13-00'));
  expect(await index.catchUp()).toMatchObject({ read: 1, removed: 1 });
  expect(await index.search('harbour')).toMatchObject([of]);
  // Put back in its place.
  renameSync(archive.replace('12-00', '13-00'), state.pathOf(1));
  expect(await index.catchUp()).toMatchObject({ read: 0, removed: 0 });
  expect(await index.search('harbour')).toMatchObject([{ sessionKey: of.sessionKey, path: state.pathOf(1) }]);
});

test('an index that is made anew has what was reset, with the entry that was kept', async () => {
  const { state, index } = await start();
  const archive = `${state.pathOf(1)}.reset.2026-11-10T12-00-00.000Z`;
  renameSync(state.pathOf(1), archive);
  const entry = { sessionId: idOf(1), label: 'sea', lastChannel: 'telegram' };
  writeFileSync(`${archive}.entry.json`, JSON.stringify({ key: 'agent:main:main', entry }));
  await index.database.write(() => index.database.prepare('DELETE FROM files').run());
  expect(await index.catchUp()).toMatchObject({ read: 2, sessions: 2 });
  expect(await index.search('harbour')).toMatchObject([
    { sessionKey: 'agent:main:main', label: 'sea', channel: 'telegram', agentId: 'main' },
  ]);
});

test('an index that is made anew knows what was reset in a chat by its last turn', async () => {
  const { state, index } = await start();
  const mark = (sessionKey: string) =>
    lineOf({ type: 'custom', customType: 'openbot.turn', data: { turnId: 't', sessionKey } });
  state.add(1, mark('agent:main:fork'), said('d', 'user', 'more'), mark('agent:main:telegram:group:7'));
  state.add(
    1,
    said('e', 'user', 'not "openbot.turn","data":{"sessionKey":"agent:main:other"}'),
    'openbot.turn\n',
  );
  renameSync(state.pathOf(1), `${state.pathOf(1)}.reset.2026-11-10T12-00-00.000Z`);
  await index.database.write(() => index.database.prepare('DELETE FROM files').run());
  await index.catchUp();
  const of = { sessionKey: 'agent:main:telegram:group:7', channel: 'telegram', agentId: 'main' };
  expect(await index.search('harbour')).toMatchObject([of]);
});

test('deleted sessions leave the index, and their archives too', async () => {
  const { state, index } = await start();
  rmSync(state.pathOf(1));
  renameSync(state.pathOf(2), `${state.pathOf(2)}.deleted.2026-11-10T12-00-00.000Z`);
  expect(await index.catchUp()).toMatchObject({ removed: 2, sessions: 0 });
  for (const table of ['files', 'sessions', 'messages', 'said'])
    expect(await index.rows(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 0 }]);
});

test('keys, labels and channels follow the store', async () => {
  const { state, index } = await start();
  state.setEntries({
    'agent:main:telegram:group:7': { n: 1 },
    'agent:main:main': { n: 2, label: 'garden', lastChannel: 'whatsapp' },
  });
  await index.catchUp();
  const [harbour] = await index.search('harbour');
  expect(harbour).toMatchObject({
    sessionKey: 'agent:main:telegram:group:7',
    channel: 'telegram',
    agentId: 'main',
  });
  expect(await index.find('tree', { channel: 'whatsapp' })).toEqual(['c']);
  expect(await index.find('tree', { channel: 'telegram' })).toEqual([]);
  state.setEntries({ 'agent:main:main': { n: 2, label: 'park' } });
  await index.catchUp();
  expect((await index.search('tree'))[0]).toMatchObject({ label: 'park', sessionKey: 'agent:main:main' });
  expect(await index.rows("SELECT session_key FROM files WHERE session_key LIKE '%main:main'")).toHaveLength(
    1,
  );
});

test('secrets are hidden before anything is kept', async () => {
  const { state, index } = await start();
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const call = { type: 'toolCall', id: 'x', name: 'exec', arguments: { command: `curl -H 'X: ${token}'` } };
  state.add(
    1,
    said('d', 'user', `use ${token} for it`),
    lineOf({ type: 'message', id: 'e', message: { role: 'assistant', content: [call] } }),
    lineOf({
      type: 'message',
      id: 'f',
      message: { role: 'toolResult', toolCallId: 'x', content: `${'x '.repeat(240)}${token}` },
    }),
  );
  await index.catchUp();
  const texts = JSON.stringify(await index.rows('SELECT text FROM said UNION ALL SELECT text FROM tools'));
  expect(texts).toContain('curl');
  expect(texts).not.toContain(token.slice(0, 12));
});

describe('what is broken', () => {
  test('lines that are no JSON, or say nothing, are passed over', async () => {
    const { state, index } = await start();
    appendFileSync(state.pathOf(1), 'no json\n\n{"type":"message"}\n[]\nnull\n"text"\n{"message":3}\n');
    state.add(1, said('d', 'user', 'after it'));
    await index.catchUp();
    expect(await index.find('after')).toEqual(['d']);
  });

  test('one session that cannot be read does not stop the others', async () => {
    const { state, index } = await start();
    state.add(3, said('d', 'user', 'the last one'));
    rmSync(state.pathOf(1));
    mkdirSync(state.pathOf(1));
    await index.catchUp();
    expect(await index.find('last')).toEqual(['d']);
  });

  test('an index that is damaged in between is made anew', async () => {
    const { state, index } = await start();
    index.database.close();
    writeFileSync(`${state.folder}/openbot.sqlite`, 'x'.repeat(20_000));
    const again = await openIndexOf(state);
    await again.catchUp();
    expect(await again.find('harbour')).toEqual(['a']);
    expect(again.notices).toMatchObject([{ why: 'damaged' }]);
  });
});

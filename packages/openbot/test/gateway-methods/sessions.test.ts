import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetSessionStores } from '@openbot/sessions';
import { expect, test } from 'vitest';
import { transcriptOf } from '../../src/gateway-methods/sessions/transcript-of.ts';
import { FIXTURES, type Json, MethodsHome } from './methods-home.ts';

const DEMO = 'agent:main:demo';

async function openDemo(): Promise<MethodsHome> {
  const home = await MethodsHome.open();
  await home.say('say the harbour is closed', DEMO);
  await home.ask('sessions.patch', { key: DEMO, label: 'Demo' });
  await home.say('say hello', 'main');
  home.events.length = 0;
  return home;
}

test('a list has the fields of OpenClaw, with rows, titles and previews', async () => {
  const home = await openDemo();
  const list = await home.ask('sessions.list', { includeDerivedTitles: true, includeLastMessage: true });
  const [real] = FIXTURES['sessions.list']!.filter(({ params }) => params.includeLastMessage);
  expect(Object.keys(list).sort()).toEqual(Object.keys(real!.payload).sort());
  expect(list).toMatchObject({
    count: 2,
    totalCount: 2,
    limitApplied: 100,
    nextOffset: null,
    hasMore: false,
  });
  expect(list.path).toBe(join(home.stateDir, 'agents/main/sessions/sessions.json'));
  expect(list.sessions.map(({ key }: Json) => key)).toEqual(['agent:main:main', DEMO]);
  const [main, demo] = list.sessions;
  expect(main).toMatchObject({
    kind: 'direct',
    classification: 'main',
    isMain: true,
    derivedTitle: 'say hello',
  });
  expect(demo).toMatchObject({
    key: DEMO,
    kind: 'direct',
    agentId: 'main',
    label: 'Demo',
    displayName: 'Demo',
    derivedTitle: 'Demo',
    lastMessagePreview: 'the harbour is closed',
    chatType: 'direct',
    archived: false,
    pinned: false,
    model: 'echo',
    modelProvider: 'script',
    status: 'done',
    hasActiveRun: false,
    activeRunIds: [],
    contextTokens: 200_000,
  });
  expect(demo.lifecycleRevision).toBe(demo.sessionId);
  home.services.rows.forget();
  forgetSessionStores();
  const again = await home.ask('sessions.list', { includeDerivedTitles: true, includeLastMessage: true });
  expect(again.sessions.map(withoutTime)).toEqual(list.sessions.map(withoutTime));
  // Those that clients show are there under the names of OpenClaw.
  const realRow = real!.payload.sessions[0];
  for (const field of [
    'updatedAt',
    'totalTokens',
    'totalTokensFresh',
    'systemSent',
    'startedAt',
    'endedAt',
    'lastRunId',
    'snapshotAt',
  ])
    expect(typeof demo[field], field).toBe(typeof realRow[field]);
});

function withoutTime({ snapshotAt: _at, ...row }: Json): Json {
  return row;
}

test('lists are filtered, searched, sorted and cut into pages', async () => {
  const home = await openDemo();
  await home.ask('sessions.patch', { key: 'agent:main:older', label: 'Sea' });
  await home.ask('sessions.patch', { key: 'agent:main:away', archived: true });
  const keys = async (params: object) =>
    (await home.ask('sessions.list', params)).sessions.map(({ key }: Json) => key);
  expect(await keys({ search: 'sEa' })).toEqual(['agent:main:older']);
  expect(await keys({ search: 'zzz' })).toEqual([]);
  expect(await keys({ label: 'Demo' })).toEqual([DEMO]);
  expect(await keys({ archived: true })).toEqual(['agent:main:away']);
  // The page of agents asks for all, that of dashboards for what openbot does not have.
  expect((await keys({ archived: 'all' })).length).toBe((await keys({})).length + 1);
  expect(await keys({ archived: 'all', hasBoard: true })).toEqual([]);
  expect((await home.refusal('sessions.list', { archived: 'some' })).message).toBe(
    'invalid sessions.list params: at /archived: must be boolean',
  );
  expect(await keys({ agentId: 'nobody' })).toEqual([]);
  expect((await home.ask('sessions.list', { agentId: 'nobody' })).path).toBe('(multiple)');
  expect(await keys({ activeOnly: true })).toEqual([]);
  await home.ask('sessions.patch', { key: DEMO, pinned: true });
  expect((await keys({}))[0]).toBe(DEMO);
  expect((await keys({ sortBy: 'activity' })).at(-1)).toBe(DEMO);
  const page = await home.ask('sessions.list', { limit: 1, offset: 1 });
  expect(page).toMatchObject({ count: 1, totalCount: 3, nextOffset: 2, hasMore: true });
});

test('rows follow what another process writes, and what runs', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const home = await MethodsHome.open({
    play: async function* () {
      yield { text: 'one' };
      await held;
    } as never,
  });
  await home.services.host.calls.accept({
    agentId: 'main',
    sessionKey: DEMO,
    messageId: 'run-1',
    text: 'go',
  });
  const untilListed = async (search?: string) => {
    for (;;) {
      const { sessions } = await home.ask('sessions.list', { activeOnly: true, search });
      if (sessions.length > 0) return sessions[0];
      await sleep(10);
    }
  };
  expect(await untilListed()).toMatchObject({
    status: 'running',
    hasActiveRun: true,
    activeRunIds: ['run-1'],
  });
  // A run that the gateway did not begin.
  const local = home.bot.say({ message: 'go', sessionKey: 'agent:main:local' });
  home.hostPid = undefined;
  expect(await untilListed('local')).toMatchObject({
    key: 'agent:main:local',
    status: 'running',
    hasActiveRun: true,
    activeRunIds: [],
  });
  home.hostPid = process.pid;
  release();
  await local;
  await home.services.runs.waitForEnd(
    { agentId: 'main', sessionKey: DEMO, runId: 'run-1' },
    { timeoutMs: 1, signal: AbortSignal.abort() },
  );
  const { session } = await home.ask('sessions.describe', { key: DEMO });
  expect(session).toMatchObject({
    status: 'done',
    hasActiveRun: false,
    activeRunIds: [],
    lastRunId: expect.any(String),
  });
  expect((await home.ask('sessions.list', { activeOnly: true })).sessions).toEqual([]);
});

test('sessions are described, resolved and previewed by any spelling of their key', async () => {
  const home = await openDemo();
  const { session } = await home.ask('sessions.describe', { key: 'MAIN' });
  expect(session.key).toBe('agent:main:main');
  expect(await home.ask('sessions.describe', { key: 'agent:main:nope' })).toEqual({ session: null });
  expect(await home.ask('sessions.describe', { key: 'agent:nobody:nope' })).toEqual({ session: null });
  for (const { params, ok, payload, error } of FIXTURES['sessions.resolve']!) {
    const answer = await home.call('sessions.resolve', params);
    expect(answer, JSON.stringify(params)).toEqual(ok ? { ok, payload } : { ok, error });
  }
  const { sessionId } = session;
  const found = { ok: true, key: 'agent:main:main', agentId: 'main' };
  expect(await home.ask('sessions.resolve', { sessionId })).toEqual(found);
  expect(await home.ask('sessions.resolve', { shortId: sessionId.slice(0, 8) })).toEqual(found);
  const shortId = sessionId.replaceAll('-', '').toUpperCase();
  expect(await home.ask('sessions.resolve', { shortId })).toEqual(found);
  const reference = { key: 'agent:main:main', slug: 'main' };
  expect(await home.ask('sessions.resolve', { reference, agentId: 'main' })).toEqual(found);
  // As the addresses of two tabs that begin alike.
  const alike = ['1', '2'].map((end) => `agent:main:dashboard:0123abcd-0000-4000-8000-00000000000${end}`);
  for (const key of alike) await home.ask('sessions.patch', { key, pinned: true });
  const several = await home.ask('sessions.resolve', { shortId: '0123abcd0000', allowMissing: true });
  expect(several.ok).toBe(false);
  expect(several.candidates.map(({ key }: Json) => key).sort()).toEqual(alike);
  const { ts, previews } = await home.ask('sessions.preview', {
    keys: [DEMO, 'agent:main:nope', 'agent:nobody:x'],
    limit: 2,
    maxChars: 20,
  });
  expect(ts).toBeTypeOf('number');
  expect(previews).toEqual([
    {
      key: DEMO,
      status: 'ok',
      items: [
        { role: 'user', text: 'say the harbour is …' },
        { role: 'assistant', text: 'the harbour is clos…' },
      ],
    },
    { key: 'agent:main:nope', status: 'missing', items: [] },
    { key: 'agent:nobody:x', status: 'missing', items: [] },
  ]);
  await home.ask('sessions.patch', { key: 'agent:main:new', label: 'New' });
  const longRef = { agentId: 'main', sessionKey: 'agent:main:long' };
  await home.say('say hi', longRef.sessionKey);
  const { state, stateDir } = home.services;
  const entry = (await state.storeOf('main').get(longRef.sessionKey))!;
  await state.transcripts.append(
    { ...transcriptOf(stateDir, longRef, { key: longRef.sessionKey, entry }), cwd: stateDir },
    Array.from({ length: 210 }, (_, n) => ({
      type: 'message' as const,
      message: { role: 'user', content: [{ type: 'text', text: `word ${n}` }], timestamp: n },
    })),
  );
  const { previews: long } = await home.ask('sessions.preview', { keys: [longRef.sessionKey], limit: 1e9 });
  expect(long[0].items).toHaveLength(200);
  expect(long[0].items[0].text).toBe('word 10');
  const { previews: empty } = await home.ask('sessions.preview', { keys: ['agent:main:new'] });
  expect(empty).toEqual([{ key: 'agent:main:new', status: 'empty', items: [] }]);
});

test('messages are given with their numbers', async () => {
  const home = await openDemo();
  const { messages } = await home.ask('sessions.get', { key: DEMO, limit: 1 });
  expect(messages).toHaveLength(1);
  expect(messages[0]).toMatchObject({ role: 'assistant', __openclaw: { seq: 2, id: expect.any(String) } });
  expect(await home.ask('sessions.get', { key: 'agent:main:nope' })).toEqual({ messages: [] });

  // What is before them is not read.
  for (let n = 0; n < 20; n++) await home.say(`say ${n}`, DEMO);
  const { transcripts } = home.services.state;
  const lookBack = transcripts.lookBack.bind(transcripts);
  let read = 0;
  transcripts.lookBack = async (...args) => {
    const { entries, ...rest } = await lookBack(...args);
    return { ...rest, entries: counted(entries) };
  };
  async function* counted<T>(entries: AsyncIterable<T>) {
    for await (const entry of entries) {
      read++;
      yield entry;
    }
  }
  const last = await home.ask('sessions.get', { key: DEMO, limit: 2 });
  expect(last.messages.map(({ __openclaw }: Json) => __openclaw.seq)).toEqual([41, 42]);
  expect(read).toBeLessThan(10);
});

test('a search finds what was said, and not what was deleted', async () => {
  const home = await openDemo();
  const find = async (params: object) => (await home.ask('sessions.search', params)).results;
  const [hit, ...others] = await find({ query: 'harbour', limit: 5 });
  expect(others).toHaveLength(1);
  const { payload } = FIXTURES['sessions.search']![0]!;
  expect(Object.keys(hit).sort()).toEqual(Object.keys(payload.results[0]).sort());
  expect(hit).toMatchObject({ sessionKey: DEMO, snippet: expect.stringContaining('harbour') });
  expect(await find({ query: 'harbour', sessionKeys: ['agent:main:main'] })).toEqual([]);
  expect(await find({ query: 'harbour', sessionKeys: [DEMO] })).toHaveLength(2);
  await home.ask('sessions.delete', { key: DEMO });
  expect(await find({ query: 'harbour' })).toEqual([]);
});

test('a connection subscribes to sessions and to the messages of one', async () => {
  const home = await openDemo();
  expect(await home.ask('sessions.subscribe', {})).toEqual({ subscribed: true });
  const { list } = await home.ask('sessions.subscribe', { limit: 1 });
  expect(list.sessions).toHaveLength(1);
  expect(await home.ask('sessions.messages.subscribe', { key: DEMO })).toEqual({
    subscribed: true,
    key: DEMO,
  });
  await home.ask('sessions.messages.subscribe', { key: `agent:nobody:${randomUUID()}` });
  expect(home.subscribed).toEqual(['sessions', 'sessions', DEMO]);
  expect(await home.ask('sessions.messages.unsubscribe', { key: DEMO })).toEqual({
    subscribed: false,
    key: DEMO,
  });
  expect(home.subscribed).toEqual(['sessions', 'sessions']);
  expect((await home.refusal('sessions.get', { key: DEMO, limit: 1001 })).message).toBe(
    'invalid sessions.get params: at /limit: must be <= 1000',
  );
  expect(await home.ask('sessions.list', { limit: 5000 })).toMatchObject({ limitApplied: 1000 });
});

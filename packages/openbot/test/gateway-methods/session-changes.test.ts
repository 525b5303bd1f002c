import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FIXTURES, type Json, MethodsHome } from './methods-home.ts';

const DEMO = 'agent:main:demo';
const WRITER = { scopes: new Set(['operator.write']) };

test('a patch sets, clears and creates, and each value is checked', async () => {
  const home = await MethodsHome.open({
    config: {
      agents: { defaults: { model: 'script/echo', models: { 'script/other': { alias: 'other' } } } },
    },
  });
  mkdirSync(join(home.stateDir, 'scripts'));
  writeFileSync(join(home.stateDir, 'scripts/other.json'), JSON.stringify({ turns: [] }));
  const made = await home.ask('sessions.patch', { key: DEMO, label: 'Demo', thinkingLevel: 'high' }, WRITER);
  expect(made).toMatchObject({
    ok: true,
    path: join(home.stateDir, 'agents/main/sessions/sessions.json'),
    key: DEMO,
    entry: { sessionId: expect.any(String), label: 'Demo', thinkingLevel: 'high', createdVia: 'operator' },
    resolved: { modelProvider: 'script', model: 'echo', thinkingLevel: 'high' },
  });
  expect(home.changes()).toMatchObject([
    {
      sessionKey: DEMO,
      agentId: 'main',
      reason: 'patch',
      label: 'Demo',
      session: { key: DEMO, label: 'Demo' },
    },
  ]);
  // The session begins with the id that was given out.
  const { sessionId } = await home.say('say hi', DEMO);
  expect(sessionId).toBe(made.entry.sessionId);
  const patch = (params: object) => home.ask('sessions.patch', { key: DEMO, ...params });
  expect((await patch({ model: 'other' })).resolved).toMatchObject({
    modelProvider: 'script',
    model: 'other',
  });
  expect((await patch({ model: null })).resolved).toMatchObject({ model: 'echo' });
  const { entry } = await patch({
    verboseLevel: 'full',
    reasoningLevel: 'on',
    responseUsage: 'full',
    sendPolicy: 'deny',
    queueMode: 'collect',
    queueCap: 7,
    queueDebounceMs: 250,
    queueDrop: 'old',
    pinned: true,
  });
  expect(entry).toMatchObject({
    verboseLevel: 'full',
    reasoningLevel: 'on',
    responseUsage: 'full',
    sendPolicy: 'deny',
    queueMode: 'collect',
    queueCap: 7,
    queueDebounceMs: 250,
    queueDrop: 'old',
    pinnedAt: expect.any(Number),
  });
  const cleared = await patch({
    label: null,
    thinkingLevel: null,
    verboseLevel: null,
    reasoningLevel: null,
    responseUsage: null,
    sendPolicy: null,
    queueMode: null,
    pinned: false,
  });
  const left = Object.keys(cleared.entry).filter((field) =>
    /^label|Level$|^queue|sendPolicy|Usage|pinned/.test(field),
  );
  // Of the run that was.
  expect(left).toEqual(['lastThinkingLevel']);
  // Clients put the fields of an event into the row that they have.
  expect(home.changes().at(-1)).toMatchObject({ label: null, thinkingLevel: null, pinnedAt: null });
  const refused = async (params: object) =>
    (await home.refusal('sessions.patch', { key: DEMO, ...params })).message;
  expect(await refused({ model: 'nope/nope' })).toBe('model not allowed: nope/nope');
  expect(await home.refusal('sessions.create', { model: 'script/none' })).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'model not allowed: script/none',
  });
  expect(await refused({ thinkingLevel: 'wild' })).toContain('"wild" is none of off');
  expect(await refused({ groupActivation: 'always' })).toContain('Only a group');
  expect(await refused({ queueMode: 'nope' })).toContain('neither a queue mode');
  const real = FIXTURES['sessions.patch']!.find(({ params }) => params.sendPolicy === 'maybe')!;
  expect(await refused({ sendPolicy: 'maybe' })).toBe(real.error.message);
  await patch({ label: 'Demo 2' });
  expect(await home.refusal('sessions.patch', { key: 'agent:main:unseen', label: 'Demo 2' })).toEqual(
    FIXTURES['sessions.patch']!.find(
      ({ params }) => params.key === 'agent:main:unseen' && params.label === 'Demo 2',
    )!.error,
  );
  expect(await home.refusal('sessions.patch', { key: DEMO, verboseLevel: 'on' }, WRITER)).toMatchObject({
    code: 'FORBIDDEN',
    message: 'missing scope: operator.admin',
    details: { code: 'MISSING_SCOPE', missingScope: 'operator.admin' },
  });
  expect((await home.refusal('sessions.patch', { key: 'agent:nobody:x', label: 'X' })).message).toBe(
    'Agent "nobody" no longer exists in configuration',
  );
  expect((await home.refusal('sessions.patch', { key: 'main', archived: true })).message).toBe(
    'Cannot archive the main session (agent:main:main).',
  );
  expect(
    await home.refusal('sessions.patch', { key: DEMO, pinned: true, expectedSessionId: 'x' }),
  ).toMatchObject({
    details: { reason: 'session-changed' },
  });
});

test('a reset gives a new id, keeps what was set, archives, and creates what is not there', async () => {
  const home = await MethodsHome.open();
  const { sessionId } = await home.say('say hi', DEMO);
  await home.ask('sessions.patch', { key: DEMO, label: 'Demo' });
  home.events.length = 0;
  const { entry, archived, ...rest } = await home.ask('sessions.reset', { key: DEMO, reason: 'new' });
  expect(rest).toEqual({ ok: true, key: DEMO, resolved: { modelProvider: 'script', model: 'echo' } });
  expect(entry).toMatchObject({ label: 'Demo', systemSent: false, compactionCount: 0 });
  expect(entry.sessionId).not.toBe(sessionId);
  expect(entry.lifecycleRevision).toBe(entry.sessionId);
  expect(archived).toEqual([expect.stringContaining(`${sessionId}.jsonl.reset.`)]);
  expect(home.changes()).toMatchObject([{ reason: 'new', sessionKey: DEMO, sessionId: entry.sessionId }]);
  const made = await home.ask('sessions.reset', { key: 'agent:main:nope2' });
  expect(made).toMatchObject({ ok: true, key: 'agent:main:nope2', entry: { createdVia: 'operator' } });
  expect(home.changes().at(-1)).toMatchObject({ reason: 'reset', sessionKey: 'agent:main:nope2' });
  expect(await home.refusal('sessions.reset', { key: DEMO, expectedSessionId: sessionId })).toMatchObject({
    code: 'INVALID_REQUEST',
    details: { reason: 'session-changed' },
  });
  const back = await home.ask('openbot.sessions.restore', { sessionId, key: DEMO });
  expect(back).toMatchObject({ ok: true, key: DEMO, sessionId, replaced: { sessionId: entry.sessionId } });
  expect((await home.ask('sessions.get', { key: DEMO })).messages).toHaveLength(2);
});

test('a reset ends a running turn and waits for it', async () => {
  const home = await MethodsHome.open({
    play: ({ signal }: Json) =>
      (async function* () {
        yield { text: 'working' };
        await new Promise(
          (resolve) => signal?.addEventListener('abort', resolve) ?? setTimeout(resolve, 60_000),
        );
      })() as never,
  });
  await home.services.host.calls.accept({
    agentId: 'main',
    sessionKey: DEMO,
    messageId: 'run-1',
    text: 'go',
  });
  while ((await home.ask('sessions.describe', { key: DEMO })).session === null) await sleep(10);
  expect(await home.services.state.runLock.holder(DEMO)).toBeDefined();
  expect(await home.refusal('sessions.compact', { key: DEMO, maxLines: 1 })).toMatchObject({
    code: 'UNAVAILABLE',
    retryable: true,
    details: { reason: 'SESSION_IN_USE' },
  });
  const before = await home.ask('sessions.describe', { key: DEMO });
  const { entry } = await home.ask('sessions.reset', { key: DEMO });
  expect(entry.sessionId).not.toBe(before.session?.sessionId);
  const { report } = (await home.services.runs.waitForEnd(
    { agentId: 'main', sessionKey: DEMO, runId: 'run-1' },
    {
      timeoutMs: 1,
      signal: new AbortController().signal,
    },
  ))!;
  expect(report.outcome).toBe('aborted');
});

test('a session is deleted with an archive; the main one is not', async () => {
  const home = await MethodsHome.open();
  const { sessionId } = await home.say('say hi', DEMO);
  home.events.length = 0;
  const [done, again, main] = FIXTURES['sessions.delete']!;
  expect(await home.refusal('sessions.delete', main!.params)).toEqual(main!.error);
  expect(await home.refusal('sessions.delete', { key: DEMO, expectedSessionId: 'x' })).toMatchObject({
    details: { reason: 'session-changed' },
  });
  const { archived, ...rest } = await home.ask('sessions.delete', done!.params);
  expect(rest).toEqual({ ok: true, key: DEMO, deleted: true });
  expect(archived).toEqual([expect.stringContaining(`${sessionId}.jsonl.deleted.`)]);
  expect(existsSync(archived[0])).toBe(true);
  expect(home.changes()).toEqual([
    { sessionKey: DEMO, sessionId, agentId: 'main', reason: 'delete', ts: expect.any(Number) },
    { agentId: 'main', reason: 'delete', ts: expect.any(Number) },
  ]);
  expect(await home.ask('sessions.delete', again!.params)).toEqual(again!.payload);
  const kept = await home.say('say hi', 'agent:main:kept');
  await home.ask('sessions.delete', { key: 'agent:main:kept', deleteTranscript: false });
  expect(existsSync(join(home.stateDir, `agents/main/sessions/${kept.sessionId}.jsonl`))).toBe(true);
});

test('a transcript is cut to its last lines, or summed up by the model', async () => {
  const home = await MethodsHome.open();
  await home.say('say one', DEMO);
  await home.say('say two', DEMO);
  home.events.length = 0;
  const none = FIXTURES['sessions.compact']!.find(({ params }) => params.key === 'agent:main:nope')!;
  expect(await home.ask('sessions.compact', none.params)).toEqual(none.payload);
  const cut = await home.ask('sessions.compact', { key: DEMO, maxLines: 4 });
  expect(cut).toMatchObject({ ok: true, key: DEMO, compacted: true, kept: 4 });
  expect(home.changes()).toMatchObject([{ reason: 'compact', compacted: true, sessionKey: DEMO }]);
  expect(await home.ask('sessions.compact', { key: DEMO, maxLines: 400 })).toMatchObject({
    compacted: false,
    reason: 'nothing to remove',
  });
  await home.say(`say ${'long words '.repeat(400)}`, 'agent:main:long');
  await home.say('say more', 'agent:main:long');
  const summed = await home.ask('sessions.compact', { key: 'agent:main:long' });
  expect(summed).toMatchObject({
    ok: true,
    key: 'agent:main:long',
    compacted: true,
    result: {
      summary: expect.stringContaining('long words'),
      firstKeptEntryId: expect.any(String),
      tokensBefore: expect.any(Number),
    },
  });
  expect(home.changes().at(-1)).toMatchObject({ reason: 'compact', sessionKey: 'agent:main:long' });
});

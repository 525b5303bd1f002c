import { expect, test } from 'vitest';
import { killHost } from '../agent-host/host-place.ts';
import { type Fields, RunsPlace } from './runs-place.ts';

const textsOf = (history: Fields) =>
  (history.messages as { role: string; content: unknown }[]).map(({ role, content }) => {
    const said =
      typeof content === 'string'
        ? content
        : (content as { text?: string }[]).map(({ text }) => text).join('');
    return `${role}: ${said}`;
  });

/** Ids of the questions that clients were asked. */
function questionsOf(place: RunsPlace): string[] {
  return place.heard
    .filter(({ event, payload }) => event === 'chat' && String(payload.runId).startsWith('question:'))
    .flatMap(
      ({ payload }) => /Permission needed \[([0-9a-f]+)\]/.exec(JSON.stringify(payload.message))?.[1] ?? [],
    );
}

async function openPlace(script: Parameters<RunsPlace['place']['writeScript']>[1], more: Fields = {}) {
  const place = new RunsPlace({ agents: { defaults: { model: 'script/play' } }, ...more });
  place.place.writeScript('play', script);
  return place.open({ restart: { firstMs: 1, mostMs: 1 } });
}

const ECHO = { turns: [{ when: '.', steps: [{ text: 'Heard {{prompt}}' }] }] };

test('a conversation is read by pages from its end, by cursor, and within limits', async () => {
  const place = await openPlace(ECHO);
  const history = (more: Fields = {}) => place.call('chat.history', { sessionKey: 'main', ...more });
  expect(await history()).toMatchObject({
    sessionKey: 'agent:main:main',
    messages: [],
    totalMessages: 0,
    hasMore: false,
  });
  for (const n of [1, 2, 3]) {
    await place.send(`say ${n}`, { idempotencyKey: `r${n}` });
    await place.untilEvent('chat', { runId: `r${n}`, state: 'final' });
  }
  const whole = await history();
  expect(textsOf(whole)).toEqual([1, 2, 3].flatMap((n) => [`user: say ${n}`, `assistant: Heard say ${n}`]));
  expect((whole.messages as Fields[]).map(({ __openclaw }) => (__openclaw as Fields).seq)).toEqual([
    1, 2, 3, 4, 5, 6,
  ]);
  expect(whole).toMatchObject({
    totalMessages: 6,
    hasMore: false,
    pendingInputs: { items: [], total: 0 },
    defaults: { modelProvider: 'script', model: 'play' },
    sessionInfo: { key: 'agent:main:main', hasActiveRun: false },
  });
  const page = await history({ limit: 2, offset: 2 });
  expect(textsOf(page)).toEqual(['user: say 2', 'assistant: Heard say 2']);
  expect(page).toMatchObject({ offset: 2, nextOffset: 4, hasMore: true, totalMessages: 6 });
  expect(textsOf(await history({ limit: 5, maxBytes: 400 })).length).toBeLessThan(5);
  expect(textsOf(await history({ limit: 1, maxChars: 5 }))[0]).toMatch(/^assistant: Heard\n/);
  expect((await place.call('chat.startup', { sessionKey: 'main', limit: 1 })).totalMessages).toBe(6);

  // What came since, also where it was put there by another way.
  const { messageId } = await place.call('chat.inject', {
    sessionKey: 'main',
    message: 'A note',
    label: 'note',
  });
  const since = await history({ cursor: whole.deltaCursor });
  expect(since).toMatchObject({ kind: 'delta', totalMessages: 7 });
  expect(textsOf(since)).toEqual(['assistant: [note]\n\nA note']);
  expect((since.messages as Fields[])[0]!.__openclaw).toEqual({ id: messageId, seq: 7 });
  await place.untilEvent('chat', { runId: `inject-${messageId}`, state: 'final' });
  await place.untilEvent('session.message', { messageId, messageSeq: 7 });

  const started = await place.untilEvent('sessions.changed', { reason: 'agent.run.started', runId: 'r1' });
  expect((started.payload.session as Fields).derivedTitle).toBe('say 1');

  // What the agent is told in front of a message is not shown as the person's words.
  await place.host.calls.addSystemEvent({ agentId: 'main', sessionKey: 'agent:main:main' }, 'It rains.');
  await place.send('say 4', { idempotencyKey: 'r4' });
  await place.untilEvent('chat', { runId: 'r4', state: 'final' });
  const [asked, answered] = textsOf(await history({ limit: 2 }));
  expect([asked, answered]).toEqual(['user: say 4', 'assistant: Heard say 4']);

  expect(await place.refusal('chat.history', { sessionKey: 'main', limit: 5000 })).toEqual({
    code: 'INVALID_REQUEST',
    message: 'invalid chat.history params: at /limit: must be <= 1000',
  });
  // A token for another agent reads nothing of this one.
  const stranger = { agentIds: new Set(['other']) };
  expect((await place.call('chat.history', { sessionKey: 'main' }, stranger)).messages).toEqual([]);
  expect(
    await place.refusal('chat.send', { sessionKey: 'main', message: 'x', idempotencyKey: 'x' }, stranger),
  ).toMatchObject({
    message: 'Agent "main" no longer exists in configuration',
  });
});

test('agent answers twice, and a repeat gets the last answer; agent.wait tells of a run', async () => {
  const place = await openPlace(ECHO);
  const params = {
    message: 'hi',
    sessionKey: 'agent:main:demo',
    agentId: 'main',
    idempotencyKey: 'run-4',
    timeout: 600,
  };
  const final = await place.call('agent', params);
  expect((await place.untilEvent('first agent', {})).payload).toEqual({
    runId: 'run-4',
    sessionKey: 'agent:main:demo',
    agentId: 'main',
    status: 'accepted',
    acceptedAt: expect.any(Number),
  });
  expect(final).toMatchObject({
    runId: 'run-4',
    status: 'ok',
    summary: 'completed',
    result: {
      payloads: [{ text: 'Heard hi', mediaUrl: null }],
      meta: { agentMeta: { provider: 'script', model: 'play' } },
    },
  });
  expect(await place.call('agent.wait', { runId: 'run-4', timeoutMs: 5000 })).toMatchObject({
    status: 'ok',
    stopReason: 'stop',
  });
  expect(await place.call('agent.wait', { runId: 'no-such-run', timeoutMs: 1 })).toEqual({
    runId: 'no-such-run',
    status: 'timeout',
  });
  const { sessionId } = (final.result as { meta: { agentMeta: { sessionId: string } } }).meta.agentMeta;
  const byId = await place.call('agent', { message: 'again', sessionId, idempotencyKey: 'run-5' });
  expect(byId).toMatchObject({ result: { payloads: [{ text: 'Heard again' }] } });

  await place.untilEvent('sessions.changed', { runId: 'run-5', phase: 'end' });

  // Another gateway, on the same folder.
  await place.close();
  place.heard.length = 0;
  await place.open();
  expect(await place.call('agent', params)).toMatchObject({
    status: 'ok',
    result: { payloads: [{ text: 'Heard hi' }] },
  });
  expect(place.names()).toEqual(['res agent']);
  expect(await place.call('agent.wait', { runId: 'run-5', timeoutMs: 1000 })).toMatchObject({ status: 'ok' });
  expect(await place.send('other text', { sessionKey: 'agent:main:demo', idempotencyKey: 'run-6' })).toEqual({
    runId: 'run-6',
    status: 'started',
  });
  expect(
    await place.refusal('chat.send', {
      sessionKey: 'agent:main:demo',
      message: 'other',
      idempotencyKey: 'run-4',
    }),
  ).toMatchObject({
    code: 'INVALID_REQUEST',
    details: { reason: 'chat-request-conflict' },
  });
  expect(await place.send('hi', { sessionKey: 'agent:main:demo', idempotencyKey: 'run-4' })).toEqual({
    runId: 'run-4',
    status: 'ok',
  });
  expect(
    await place.refusal('agent', { message: 'x', agentId: 'nobody', idempotencyKey: 'x1' }),
  ).toMatchObject({
    message: 'Agent "nobody" no longer exists in configuration',
  });
  expect(
    await place.refusal('agent', { message: 'x', model: 'script/nothing', idempotencyKey: 'x2' }),
  ).toMatchObject({
    code: 'INVALID_REQUEST',
    details: { reason: 'MODEL_NOT_FOUND' },
  });
});

test('messages that are read together each end, and what waits can be taken back', async () => {
  const ask = { ask: 'Look', args: { at: 'it' } };
  const place = await openPlace(
    {
      turns: [
        { when: '^go$', steps: [{ text: 'Waiting' }, { stall: true as const }] },
        { when: '^long$', steps: [ask, ask, ask, ask, ask, { text: 'Done' }] },
        { when: '.', steps: [{ text: 'Heard {{prompt}}' }] },
      ],
    },
    { messages: { queue: { mode: 'followup', debounceMs: 0 } } },
  );
  // Steered into a run: a final of its own, without a message.
  await place.send('long', { idempotencyKey: 'a' });
  for (let asked = 1; asked <= 5; asked++) {
    await place.until(() => questionsOf(place).length === asked);
    if (asked === 1) await place.send('and this', { idempotencyKey: 'b', queueMode: 'steer' });
    await place.send(`yes ${questionsOf(place).at(-1)}`);
  }
  expect((await place.untilEvent('chat', { runId: 'b', state: 'final' })).payload.message).toBeUndefined();
  await place.untilEvent('chat', { runId: 'a', state: 'final' });

  await place.send('go', { idempotencyKey: 'c' });
  await place.untilEvent('chat', { runId: 'c', state: 'delta' });
  await place.send('later', { idempotencyKey: 'd' });
  expect(await place.call('chat.history', { sessionKey: 'main', limit: 1 })).toMatchObject({
    pendingInputs: { items: [{ runId: 'd', text: 'later' }], total: 1 },
  });
  expect(await place.call('chat.abort', { sessionKey: 'main', runId: 'd' })).toEqual({
    ok: true,
    aborted: true,
    runIds: ['d'],
  });
  await place.untilEvent('chat', { runId: 'd', state: 'aborted' });
  expect(await place.call('sessions.abort', { key: 'main' })).toEqual({
    ok: true,
    abortedRunId: 'c',
    status: 'aborted',
  });
  expect(await place.call('sessions.abort', { key: 'main' })).toEqual({
    ok: true,
    abortedRunId: null,
    status: 'no-active-run',
  });
  expect(await place.call('sessions.send', { key: 'main', message: 'more', idempotencyKey: 'e' })).toEqual({
    runId: 'e',
    status: 'started',
  });
  await place.untilEvent('chat', { runId: 'e', state: 'final' });
  expect(await place.refusal('sessions.send', { key: 'agent:main:missing', message: 'x' })).toMatchObject({
    message: 'session not found: agent:main:missing',
  });
  expect(
    await place.refusal('chat.send', { sessionKey: 'main', message: ' ', idempotencyKey: 'x' }),
  ).toMatchObject({
    message: 'message or attachment required',
  });
  const made = await place.call('sessions.create', {
    agentId: 'main',
    message: 'first',
    idempotencyKey: 'f',
  });
  expect(made).toMatchObject({
    runStarted: true,
    runId: 'f',
    key: expect.stringMatching(/^agent:main:dashboard:/),
  });
  await place.untilEvent('chat', { runId: 'f', state: 'final' });
  const again = { agentId: 'main', message: 'first', idempotencyKey: 'f' };
  const { key, sessionId } = made;
  expect(await place.call('sessions.create', again)).toMatchObject({ key, sessionId, runId: 'f' });
  expect(
    place.heard.filter(
      ({ event, payload }) => event === 'chat' && payload.state === 'final' && payload.runId === 'f',
    ),
  ).toHaveLength(1);
});

test('a question reaches the client as a message, is answered there by who may, and the answer is no turn', async () => {
  const place = await openPlace({
    turns: [
      {
        when: '^do it$',
        steps: [{ text: 'Let me look.' }, { ask: 'Danger', args: { path: 'x' } }, { text: '{{result}}' }],
      },
      { when: '.', steps: [{ text: 'Heard' }] },
    ],
  });
  await place.send('do it', { idempotencyKey: 'r1' });
  await place.until(() => questionsOf(place).length === 1);
  const [id] = questionsOf(place);
  const history = await place.call('chat.history', { sessionKey: 'main', limit: 1 });
  expect((history.inFlightRun as Fields).text).toContain(`Answer "yes ${id}"`);
  const asked = place.heard.filter(({ payload }) =>
    JSON.stringify(payload.message)?.includes('Permission needed'),
  );
  expect(asked.map(({ event }) => event)).toEqual(['chat']);
  // A token for the agent, and a device that may only write: ordinary messages, whatever scopes they ask for.
  const answer = { sessionKey: 'main', message: `yes ${id}` };
  const agentToken = { mayCommand: false, agentIds: new Set(['main']) };
  const approvals = new Set(['operator.write', 'operator.approvals']);
  const device = { mayCommand: false, scopes: new Set(['operator.write']) };
  const asAgent = { ...agentToken, scopes: approvals };
  await place.call('chat.send', { ...answer, idempotencyKey: 'a' }, asAgent);
  await place.call('chat.send', { ...answer, idempotencyKey: 'd' }, device);
  expect(
    await place.call(
      'chat.send',
      { ...answer, idempotencyKey: 'r2' },
      { mayCommand: false, scopes: approvals },
    ),
  ).toEqual({ runId: 'r2', status: 'ok', messageSeq: expect.any(Number) });
  expect((await place.untilEvent('chat', { runId: 'r2', state: 'final' })).payload.message).toBeUndefined();
  const { payload } = await place.untilEvent('chat', { runId: 'r1', state: 'final' });
  expect(JSON.stringify(payload.message)).toContain('It was allowed.');
  const { payload: heard } = await place.untilEvent('chat', { runId: 'd', state: 'final' });
  expect(JSON.stringify(heard.message)).toContain('Heard');
  const ends = place.heard.filter(({ event, payload }) => event === 'chat' && payload.state === 'final');
  const runIds = ends.map(({ payload: { runId } }) => runId);
  expect(runIds.indexOf('r1')).toBeLessThan(runIds.indexOf('a'));
});

test('a run whose process is killed goes on under the same name, and its text begins anew', async () => {
  const place = await openPlace({
    turns: [
      { when: '^go$', steps: [{ text: 'half of it' }, { stall: true as const }] },
      { when: '.', steps: [{ text: 'all of it' }] },
    ],
  });
  await place.send('go', { idempotencyKey: 'r1' });
  await place.untilEvent('chat', { runId: 'r1', state: 'delta' });
  killHost(place.host);
  const waiting = place.call('agent.wait', { runId: 'r1', timeoutMs: 100_000 });
  await place.untilEvent('chat', { runId: 'r1', state: 'delta', replace: true });
  expect((await place.untilEvent('chat', { runId: 'r1', state: 'final' })).payload).toMatchObject({
    message: { content: [{ text: 'all of it' }] },
  });
  expect(await waiting).toMatchObject({ status: 'ok' });
  expect(place.names().filter((name) => name === 'chat final')).toHaveLength(1);
});

test('a gateway that stops lets runs end in time, and those that do not go on with the next one', async () => {
  const place = await openPlace({
    turns: [
      { when: '^soon$', steps: [{ text: 'Begun' }, { waitMs: 50 }, { text: ' and done' }] },
      { when: '^never$', steps: [{ text: 'Begun' }, { stall: true as const }] },
      { when: '.', steps: [{ text: 'Whole' }] },
    ],
  });
  await place.send('soon', { idempotencyKey: 'r1' });
  await place.untilEvent('chat', { runId: 'r1', state: 'delta' });
  await place.close(100_000);
  expect((await place.untilEvent('chat', { runId: 'r1', state: 'final' })).payload).toMatchObject({
    message: { content: [{ text: 'Begun and done' }] },
  });
  await place.open();
  await place.send('never', { idempotencyKey: 'r2' });
  await place.untilEvent('chat', { runId: 'r2', state: 'delta' });
  await place.close();
  expect((await place.untilEvent('chat', { runId: 'r2', state: 'aborted' })).payload).toMatchObject({
    stopReason: 'restart',
    message: { content: [{ text: 'Begun' }] },
  });
  await place.open();
  expect((await place.untilEvent('chat', { runId: 'r2', state: 'final' })).payload).toMatchObject({
    message: { content: [{ text: 'Whole' }] },
  });
  expect(await place.send('never', { idempotencyKey: 'r2' })).toEqual({ runId: 'r2', status: 'ok' });
});

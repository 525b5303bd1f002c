import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import { say } from '../../../../test/imitations/messages-format.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { COMMAND_METHOD } from '../../src/gateway-client/contract.ts';
import { listTroubles } from '../../src/gateway-client/look-at-gateway.ts';
import { killHost } from '../agent-host/host-place.ts';
import { type Heard, RunsPlace } from './runs-place.ts';

/** A port where nothing listens, until `open`. */
async function openDoor(url: string) {
  const door = createServer((socket) => {
    const { port, hostname } = new URL(url);
    const inside = connect(Number(port), hostname);
    socket.on('error', () => inside.destroy()).pipe(inside);
    inside.on('error', () => socket.destroy()).pipe(socket);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const { port } = door.address() as AddressInfo;
  door.close();
  await once(door, 'close');
  return {
    url: `http://127.0.0.1:${port}`,
    open: async () => {
      door.listen(port, '127.0.0.1');
      await once(door, 'listening');
      afterTest(() => void door.close());
    },
  };
}

async function openPlace(queue: 'followup' | 'collect' = 'followup') {
  const api = await startMessagesApi({ replies: () => ({ blocks: [say('Open again.')] }) });
  afterTest(() => api.close());
  const door = await openDoor(api.url);
  const far = { baseUrl: door.url, apiKey: 'key', api: 'anthropic-messages' as const, models: [{ id: 'm' }] };
  const place = new RunsPlace({
    agents: { defaults: { model: 'far/m' } },
    models: { providers: { far } },
    messages: { queue: { mode: queue, debounceMs: 0 } },
  });
  return { api, door, place };
}

const isEnd = ({ event, payload }: Heard) =>
  event === 'chat' && ['final', 'error', 'aborted'].includes(String(payload.state));

const endsOf = (place: RunsPlace) =>
  place.heard.filter(isEnd).map(({ payload }) => `${payload.runId} ${payload.state}`);

test('messages of clients that wait while nothing listens at the provider each end once, and later ones are answered', async () => {
  const { api, door, place } = await openPlace();
  await place.open();
  const ends = () => endsOf(place);
  for (const n of [1, 2, 3]) await place.send(`word ${n}`, { idempotencyKey: `r${n}` });
  await place.until(() => ends().length === 3);
  expect(ends()).toEqual(['r1 error', 'r2 error', 'r3 error']);
  expect(await place.call('agent.wait', { runId: 'r1', timeoutMs: 1 })).toMatchObject({ status: 'error' });
  expect(api.conversations).toEqual([]);

  await door.open();
  for (const n of [4, 5]) await place.send(`word ${n}`, { idempotencyKey: `r${n}` });
  expect((await place.untilEvent('chat', { runId: 'r5', state: 'final' })).payload).toMatchObject({
    message: { content: [{ text: 'Open again.' }] },
  });
  // What has its end is neither told nor asked again, and what was said meanwhile is not lost.
  expect(ends().slice(3)).toEqual(['r4 final', 'r5 final']);
  const asked = JSON.stringify(api.conversations.at(-1));
  expect([1, 2, 3, 4, 5].filter((n) => !asked.includes(`word ${n}`))).toEqual([]);
});

test('a message of a chat network waits, over the end of the process as well; a client has its error, and later its answer', async () => {
  const { api, door, place } = await openPlace();
  const identity = { channel: 'telegram', accountId: 'default', conversationId: '7', messageId: '1' };
  const ctx = { RawBody: 'word 1', ChatType: 'direct', OriginatingTo: '7' };
  const state = await place.place.state();
  const session = { agentId: 'main', sessionKey: 'agent:main:main' };
  await state.inbox.accept({ identity, ...session, ctx, receivedAt: Date.now() });
  await place.open();
  const ends = () => endsOf(place);
  await place.until(() => ends().length === 1);
  const [{ turnId }] = (await state.inbox.waiting(session)) as unknown as [{ turnId: string }];
  await place.send('word 2', { idempotencyKey: 'r2' });
  await place.until(() => ends().length === 2);
  // The wait is told as the end of the run, once; each try of it is not.
  expect(ends()).toEqual([`${turnId} error`, 'r2 error']);
  expect((await place.untilEvent('chat', { runId: 'r2', state: 'error' })).payload.errorMessage).toBe(
    'far/m cannot be reached. An earlier message of the session waits for it.',
  );
  killHost(place.host);
  await door.open();
  await place.untilEvent('chat', { runId: turnId, state: 'final' });
  await place.send('word 3', { idempotencyKey: 'r3' });
  await place.untilEvent('chat', { runId: 'r3', state: 'final' });
  expect(ends().slice(2)).toEqual([`${turnId} final`, 'r3 final']);
  expect(api.conversations).toHaveLength(2);
  const asked = JSON.stringify(api.conversations.at(-1));
  expect([1, 2, 3].filter((n) => asked.includes(`word ${n}`))).toEqual([1, 3]);
  // One notice, and the answer.
  const { claim } = state.outbox;
  const kept = await claim.call(state.outbox, {
    channel: 'telegram',
    accountId: 'default',
    owner: 'test',
    now: Date.now(),
    leaseMs: 1000,
    limit: 9,
  });
  expect(kept.map(({ payload }) => payload.text)).toEqual([
    expect.stringContaining('far/m cannot be reached. Your message is kept'),
  ]);
  expect(await state.outbox.counts()).toMatchObject({ waiting: 1, sending: 1 });
});

test('a client ends a turn that waits for a model: by its end, or with its session', async () => {
  const { api, door, place } = await openPlace();
  const state = await place.place.state();
  const keyOf = (to: string) => `agent:main:telegram:dm:${to}`;
  const sessionOf = (to: string) => ({ agentId: 'main', sessionKey: keyOf(to) });
  const write = (to: string, messageId: string) =>
    state.inbox.accept({
      identity: { channel: 'telegram', accountId: 'default', conversationId: to, messageId },
      ...sessionOf(to),
      ctx: { RawBody: `word ${messageId}`, ChatType: 'direct', OriginatingTo: to },
      receivedAt: Date.now(),
    });
  const all = ['chat', 'abort', 'reset', 'delete', 'command-reset', 'command-delete'];
  for (const to of all) {
    await write(to, '1');
    await write(to, '2');
  }
  await place.open();
  await place.until(() => endsOf(place).length === all.length);
  const turnOf = async (to: string) => {
    const [first] = await state.inbox.waiting(sessionOf(to));
    return first?.state === 'running' ? first.turnId : undefined;
  };
  await expect.poll(() => place.host.status.waits[0]?.sessions, { timeout: 60_000 }).toBe(all.length);
  const { waits } = place.host.status;
  expect(listTroubles({ running: true, ready: true, waits })).toEqual([
    `6 sessions wait for far/m, next try at ${new Date(waits[0]!.nextTryAt).toISOString()}`,
  ]);
  expect(place.place.log).toEqual(['far/m cannot be reached. Messages wait for it.']);
  const chatTurn = await turnOf('chat');
  const abortTurn = await turnOf('abort');
  const idBefore = (await state.storeOf('main').get(keyOf('reset')))!.sessionId;

  const other = { sessionKey: keyOf('chat'), runId: 'another' };
  expect(await place.call('chat.abort', other)).toMatchObject({ aborted: false });
  expect(await place.call('chat.abort', { sessionKey: keyOf('chat') })).toEqual({
    ok: true,
    aborted: true,
    runIds: [chatTurn],
  });
  expect(await place.call('sessions.abort', { key: keyOf('abort') })).toEqual({
    ok: true,
    abortedRunId: abortTurn,
    status: 'aborted',
  });
  await place.call('sessions.reset', { key: keyOf('reset') });
  expect(await place.call('sessions.delete', { key: keyOf('delete') })).toMatchObject({ deleted: true });
  for (const [change, to] of [
    ['reset', 'command-reset'],
    ['remove', 'command-delete'],
  ] as const) {
    const given = { agentId: 'main', change, key: keyOf(to) };
    // It may be tried again at this moment, and is then in use.
    const isDone = () =>
      place.call(COMMAND_METHOD.changeSessions, given).then(
        () => true,
        () => false,
      );
    await expect.poll(isDone, { timeout: 60_000 }).toBe(true);
  }
  // Where it was just tried again, its run ends first.
  for (const to of all)
    await expect.poll(() => state.inbox.waiting(sessionOf(to)), { timeout: 60_000 }).toEqual([]);

  // What was taken back is neither asked later, nor does it hold up what comes.
  await door.open();
  await place.send('go on', { sessionKey: keyOf('chat'), idempotencyKey: 'r' });
  await place.untilEvent('chat', { runId: 'r', state: 'final' });
  expect(api.conversations).toHaveLength(1);
  await place.place.until(() => place.place.log.includes('far/m answers again.'));
  await expect.poll(() => place.host.status.waits, { timeout: 60_000 }).toEqual([]);
  expect(await state.storeOf('main').get(keyOf('delete'))).toBeUndefined();
  expect((await state.storeOf('main').get(keyOf('reset')))!.sessionId).not.toBe(idBefore);
});

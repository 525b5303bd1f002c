/** Clients choose the names of their runs: two of them may choose the same one. */
import { expect, test } from 'vitest';
import { type Fields, RunsPlace } from './runs-place.ts';

const KEY = 'the same';
const WAIT_MS = 50;
const callerOf = (agentId: string) => ({ agentIds: new Set([agentId]) });
const textOf = (answer: Fields) =>
  (answer.result as { payloads: { text: string }[] }).payloads.map(({ text }) => text).join();

test('one key in two sessions names two runs, and each client hears of its own', async () => {
  const place = new RunsPlace({
    agents: { defaults: { model: 'script/play' }, list: [{ id: 'main', default: true }, { id: 'other' }] },
  });
  place.place.writeScript('play', {
    turns: [
      { when: '^wait', steps: [{ text: 'so far' }, { stall: true }] },
      { when: '.', steps: [{ waitMs: WAIT_MS }, { text: 'Heard {{prompt}}' }] },
    ],
  });
  await place.open();
  const ask = (agentId: string) => {
    const params = { message: `a word to ${agentId}`, idempotencyKey: KEY };
    return place.call('agent', { ...params, sessionKey: `agent:${agentId}:main` }, callerOf(agentId));
  };
  const wait = (agentId: string) => place.call('agent.wait', { runId: KEY, timeoutMs: 1 }, callerOf(agentId));
  const hearAll = async () => {
    // The last word is that of `main`, so that nobody is right by taking the newest.
    const [other, main] = await Promise.all([ask('other'), ask('main')]);
    expect([textOf(main), textOf(other)]).toEqual(['Heard a word to main', 'Heard a word to other']);
    for (const agentId of ['main', 'other']) expect(await wait(agentId)).toMatchObject({ status: 'ok' });
    expect(await wait('nobody')).toMatchObject({ status: 'timeout' });
    return (await wait('main')).endedAt as number;
  };
  await hearAll();
  for (const agentId of ['main', 'other']) {
    const { payload } = await place.untilEvent('chat', { runId: KEY, agentId, state: 'final' });
    expect(JSON.stringify(payload.message)).toContain(`a word to ${agentId}`);
  }
  await place.close();
  await place.open();
  // What is kept of them, and when they ended: not when the message came, which was before its model waited.
  const endedAt = await hearAll();
  const account = { channel: 'webchat', accountId: 'gateway' };
  const inMain = { ...account, conversationId: 'agent:main:main', messageId: KEY };
  const { receivedAt } = (await place.services.state.inbox.find(inMain))!;
  expect(endedAt).toBeGreaterThanOrEqual(receivedAt + WAIT_MS - 1);

  // One is ended, and the other goes on.
  for (const agentId of ['main', 'other'])
    await place.send('wait', { idempotencyKey: 'w', sessionKey: `agent:${agentId}:main` });
  for (const agentId of ['main', 'other'])
    await place.untilEvent('chat', { runId: 'w', agentId, state: 'delta' });
  expect(await place.call('chat.abort', { sessionKey: 'agent:main:main', runId: 'w' })).toMatchObject({
    runIds: ['w'],
  });
  expect(await place.call('agent.wait', { runId: 'w', timeoutMs: 1 }, callerOf('main'))).toMatchObject({
    aborted: true,
  });
  expect(await place.call('agent.wait', { runId: 'w', timeoutMs: 1 }, callerOf('other'))).toMatchObject({
    status: 'timeout',
  });
  const { services } = place;
  expect(services.runs.ofSession({ agentId: 'other', sessionKey: 'agent:other:main' })).toHaveLength(1);

  // Another gateway knows it, too.
  await place.close();
  await place.open();
  const end = await place.call('agent.wait', { runId: 'w', timeoutMs: 1 }, callerOf('main'));
  expect(end).toMatchObject({ status: 'error', aborted: true, stopReason: 'rpc' });
});

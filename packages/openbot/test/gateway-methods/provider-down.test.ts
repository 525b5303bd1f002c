import { expect, test } from 'vitest';
import { startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import { apiErrors, say } from '../../../../test/imitations/messages-format.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { RunsPlace } from './runs-place.ts';

test('a provider that is down is told once, and what waits has its turn when it is back', async () => {
  const api = await startMessagesApi({ replies: () => apiErrors.invalidRequest('closed for today') });
  afterTest(() => api.close());
  const far = { baseUrl: api.url, apiKey: 'key', api: 'anthropic-messages' as const, models: [{ id: 'm' }] };
  const place = new RunsPlace({
    agents: { defaults: { model: 'far/m' } },
    models: { providers: { far } },
    messages: { queue: { mode: 'followup', debounceMs: 0 } },
  });
  await place.open();
  await place.send('one', { idempotencyKey: 'r1' });
  await place.untilEvent('chat', { runId: 'r1', state: 'error' });
  api.setReplies(() => ({ blocks: [say('Open again.')] }));
  await place.send('two', { idempotencyKey: 'r2' });
  await place.send('three', { idempotencyKey: 'r3' });
  for (const runId of ['r2', 'r3'])
    expect((await place.untilEvent('chat', { runId, state: 'final' })).payload).toMatchObject({
      message: { content: [{ text: 'Open again.' }] },
    });
  const ofFirst = place.heard.filter(({ event, payload }) => event === 'chat' && payload.runId === 'r1');
  expect(
    ofFirst.filter(({ payload }) => payload.state !== 'status').map(({ payload }) => payload.state),
  ).toEqual(['error']);
  expect(await place.call('agent.wait', { runId: 'r1', timeoutMs: 1 })).toMatchObject({ status: 'error' });
});

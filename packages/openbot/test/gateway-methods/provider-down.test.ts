import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import { say } from '../../../../test/imitations/messages-format.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
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

test('messages that wait while nothing listens at the provider each end once, and later ones are answered', async () => {
  const api = await startMessagesApi({ replies: () => ({ blocks: [say('Open again.')] }) });
  afterTest(() => api.close());
  const door = await openDoor(api.url);
  const far = { baseUrl: door.url, apiKey: 'key', api: 'anthropic-messages' as const, models: [{ id: 'm' }] };
  const place = new RunsPlace({
    agents: { defaults: { model: 'far/m' } },
    models: { providers: { far } },
    messages: { queue: { mode: 'followup', debounceMs: 0 } },
  });
  await place.open();
  const isEnd = ({ event, payload }: Heard) =>
    event === 'chat' && ['final', 'error', 'aborted'].includes(String(payload.state));
  const ends = () => place.heard.filter(isEnd).map(({ payload }) => `${payload.runId} ${payload.state}`);
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

import { expect, test } from 'vitest';
import { startEmulator } from './emulator.ts';
import { TelegramBench } from './telegram-bench.ts';

test('a message and its answer on telegram-test-api, which others wrote', async () => {
  const emulator = await startEmulator();
  const bench = await TelegramBench.make();
  const { token } = bench.api;
  const person = emulator.getClient(token);
  await person.sendMessage(person.makeMessage('Hello'));
  const channel = bench.makeChannel({ apiRoot: emulator.config.apiURL });
  await channel.start(bench.host);
  // It does not know `getMe` and others, and does not wait in a poll: time passes for each try.
  await bench.pass(() => bench.host.taken.length === 1, 'the message');
  const [conversation, , text] = bench.host.taken[0]!;
  expect(text).toBe('Hello');
  const to = bench.host.contexts[0]!.OriginatingTo!;
  expect(to).toBe(`telegram:${conversation}`);
  const target = { channel: 'telegram', accountId: 'default', to };
  const { ids } = await channel.send(bench.request({ text: 'An **answer**' }, { target }));
  expect(ids).toHaveLength(1);
  await channel.stop();
  const { result } = await person.getUpdates();
  expect(result.map(({ message: { text: shown, parse_mode } }) => [shown, parse_mode])).toEqual([
    ['An <b>answer</b>', 'HTML'],
  ]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test, vi } from 'vitest';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import { makeTempFolder } from '../../setup/temp-folder.ts';
import { SECRET, WebhookBench } from './webhook-bench.ts';

test('the program of the documentation chats with the channel', async () => {
  const page = readFileSync(new URL('../../../../../docs/channels/webhook.md', import.meta.url), 'utf8');
  const [, source] = /```js\n\/\/ chat\.mjs\n(.*?)```/s.exec(page)!;
  expect(source!.split('\n').length).toBeLessThanOrEqual(40);
  const path = join(makeTempFolder(), 'chat.mjs');
  writeFileSync(path, source!);

  const bench = await WebhookBench.open({ recognisesRepeats: true });
  bench.now = Date.now();
  const env = { ...process.env, OPENBOT_SECRET: SECRET, OPENBOT_URL: bench.door.url, PORT: '0' };
  const chat = spawn(process.execPath, [path], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  afterTest(async () => {
    chat.kill();
    if (chat.exitCode === null && chat.signalCode === null) await once(chat, 'exit');
  });
  const lines: string[] = [];
  createInterface({ input: chat.stdout }).on('line', (line) => lines.push(line));

  await vi.waitFor(() => expect(lines[0]).toMatch(/^Replies to http/), { timeout: 60_000 });
  await bench.makeChannel({ url: lines[0]!.replace('Replies to ', '') }).start(bench.host);
  chat.stdin.write('Grüße aus dem Terminal\n');
  await vi.waitFor(() => expect(bench.host.texts).toEqual(['Grüße aus dem Terminal']), { timeout: 60_000 });
  bench.now = Date.now();
  const { OriginatingTo: to } = bench.host.contexts[0]!;
  const target = { channel: 'webhook', accountId: 'default', to: to! };
  const payload = { text: 'Guten Tag' };
  expect(await bench.send({ target, payload })).toEqual({ ids: ['turn-1:0'] });
  await bench.send({ target, payload, mayBeRepeat: true });
  await bench.send({ target, payload: { text: 'Bis bald' }, key: 'turn-1:1' });
  await vi.waitFor(() => expect(lines.at(-1)).toBe('bot> Bis bald'), { timeout: 60_000 });
  expect(lines.slice(1)).toEqual(['bot> Guten Tag', 'bot> Bis bald']);
  const forged = await fetch(lines[0]!.replace('Replies to ', ''), { method: 'POST', body: '{}' });
  expect(forged.status).toBe(401);
});

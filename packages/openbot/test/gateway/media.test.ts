/** Files of clients' messages, through the whole gateway and the process of its agents. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { watchConfig } from '../../src/config/watch-config.ts';
import { openGateway } from '../../src/gateway/open-gateway.ts';
import { HostPlace } from '../agent-host/host-place.ts';
import { makePng, PDF } from '../media/files.ts';
import { type Frame, type Json, openClient, TOKEN } from './test-server.ts';

const CONFIG = {
  agents: { defaults: { model: 'script/play', mediaMaxMb: 0.05 } },
  gateway: { http: { endpoints: { chatCompletions: { enabled: true }, responses: { enabled: true } } } },
};
const SCRIPT = {
  seesImages: true,
  turns: [{ when: '.', steps: [{ text: 'Heard {{prompt}}\nSaw {{images}}' }] }],
};

async function open() {
  const place = new HostPlace(CONFIG);
  place.writeScript('play', SCRIPT);
  const { stateDir, env } = place;
  const config = await watchConfig(stateDir, env, { report: () => {} });
  const gateway = await openGateway({
    stateDir,
    env,
    config,
    port: 0,
    host: '127.0.0.1',
    tokens: () => ({ token: TOKEN, agentTokens: {} }),
    log: () => {},
  });
  afterTest(() => {
    config.close();
    return gateway.close({ reason: 'end of the test', graceMs: 0 });
  });
  const kept = () => globSync(join(stateDir, 'media/inbound/*/*')).sort();
  return { ...gateway, stateDir, kept };
}

const base64 = (bytes: Buffer) => bytes.toString('base64');
/** Its line in the transcript is longer than what a list reads of one. */
const PNG = Buffer.concat([makePng(), Buffer.alloc(30_000)]);
const SAW = `Saw image/png of ${PNG.length} bytes`;

test('attachments of methods and images of the API reach the agent, once', async () => {
  const gateway = await open();
  const client = await openClient(gateway);
  const hello = await client.find(({ payload }) => payload?.type === 'hello-ok');
  expect(hello.payload.policy.attachments).toEqual({ maxBytes: 52_428, maxImageBytes: 52_428 });
  const send = { sessionKey: 'main', message: 'Look', idempotencyKey: 'a' };
  const image = { type: 'image', mimeType: 'image/png', fileName: 'a.png', content: base64(PNG) };
  const finalOf = (runId: string) =>
    client.find(
      ({ event, payload }: Frame) => event === 'chat' && payload.runId === runId && payload.state === 'final',
    );
  const saidBy = async (runId: string) => (await finalOf(runId)).payload.message.content[0].text;

  const withImage = { ...send, attachments: [image, { ...image, content: base64(PDF), fileName: 'b.pdf' }] };
  expect((await client.request('chat.send', withImage)).payload).toEqual({ runId: 'a', status: 'started' });
  const [first, second] = gateway.kept().sort((a, b) => a.slice(-5).localeCompare(b.slice(-5)));
  expect(await saidBy('a')).toBe(
    `Heard [media attached 1/2: ${first} (image/png)]\n[media attached 2/2: ${second} (application/pdf)]\nLook\n${SAW}`,
  );
  expect(readFileSync(first!)).toEqual(PNG);

  // The same key again, and with another file.
  expect((await client.request('chat.send', withImage)).payload).toEqual({ runId: 'a', status: 'ok' });
  expect(gateway.kept()).toHaveLength(2);
  const conflict = { code: 'INVALID_REQUEST', details: { reason: 'chat-request-conflict' } };
  expect((await client.request('chat.send', { ...send, attachments: [image] })).error).toMatchObject(
    conflict,
  );
  expect((await client.request('chat.send', send)).error).toMatchObject(conflict);

  // A picture alone, as a data: URL and as Anthropic writes it.
  const alone = { ...send, message: '', idempotencyKey: 'b' };
  const url = `data:image/png;base64,${base64(PNG)}`;
  const source = { type: 'base64', media_type: 'image/png', data: base64(makePng(2)) };
  await client.request('chat.send', { ...alone, attachments: [{ content: url }, { type: 'image', source }] });
  expect(await saidBy('b')).toMatch(
    /^Heard \[media attached 1\/2: .*\nSaw image\/png of \d+ bytes, image\/png/s,
  );
  const { payload: ended } = await client.request('agent', {
    ...alone,
    idempotencyKey: 'c',
    attachments: [image],
  });
  const { payload: answer } = await client.find(
    ({ payload }) => payload?.runId === 'c' && payload.status === 'ok',
  );
  expect(ended.status).toBe('accepted');
  expect(answer.result.payloads[0].text).toContain(SAW);

  const keptBefore = gateway.kept();
  const refusalOf = async (attachments: unknown[]) =>
    (await client.request('chat.send', { ...send, idempotencyKey: 'x', attachments })).error?.message;
  expect(await refusalOf([image, { ...image, content: base64(Buffer.alloc(53_000)) }])).toBe(
    'attachment a.png: The file is larger than 52428 bytes',
  );
  expect(await refusalOf([{ ...image, content: '*' }])).toBe(
    'attachment a.png: The file is not valid base64',
  );
  expect(await refusalOf([{ ...image, content: '' }])).toBe(
    'attachment a.png: content must be base64 string',
  );
  expect(await refusalOf([{ content: 'data:image/png;base64,' }])).toBe(
    'attachment attachment-1: empty payload',
  );
  expect(await refusalOf([7])).toBe('attachment attachment-1: content must be base64 string');
  expect(await refusalOf(Array(21).fill(image))).toBe('a message has at most 20 attachments');
  expect(gateway.kept()).toEqual(keptBefore);

  // What clients read: the words of the person, and neither the data of images nor where files are.
  const { payload: history } = await client.request('chat.history', { sessionKey: 'main' });
  expect(history.messages[0].content).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'image', mimeType: 'image/png', omitted: true, bytes: PNG.length },
  ]);
  expect(JSON.stringify(history.messages[0])).not.toContain(gateway.stateDir);
  expect(JSON.stringify(history)).not.toContain(base64(PNG).slice(0, 40));
  const { payload: list } = await client.request('sessions.list', { includeDerivedTitles: true });
  expect(list.sessions[0].derivedTitle).toBe('Look');
  const { payload: found } = await client.request('sessions.search', { query: 'Look' });
  expect(JSON.stringify(found)).not.toContain(base64(PNG).slice(0, 40));
  const { payload: none } = await client.request('sessions.search', { query: base64(PNG).slice(0, 20) });
  expect(none.results).toEqual([]);

  const post = async (path: string, body: object): Promise<Json> => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ model: 'openclaw', ...body }),
    });
    return { status: response.status, ...((await response.json()) as object) };
  };
  const chat = (...parts: object[]) =>
    post('/v1/chat/completions', { messages: [{ role: 'user', content: parts }] });
  const text = { type: 'text', text: 'What is it?' };
  const shown = await chat(text, { type: 'image_url', image_url: { url } });
  expect(shown.choices[0].message.content).toMatch(new RegExp(`What is it\\?\\n${SAW}$`));
  const file = { filename: 'b.pdf', file_data: `data:application/pdf;base64,${base64(PDF)}` };
  expect((await chat({ type: 'file', file })).choices[0].message.content).toContain(
    'b.pdf (application/pdf)]',
  );
  const remote = await chat(text, { type: 'image_url', image_url: { url: 'https://example.com/a.png' } });
  expect(remote).toMatchObject({
    status: 400,
    error: { message: '`messages[0].content` names an address; send the file itself as a data: URL' },
  });
  expect(await chat({ type: 'input_audio', input_audio: {} })).toMatchObject({ status: 400 });
  const respond = (...content: object[]) => post('/v1/responses', { input: [{ role: 'user', content }] });
  const seen = await respond({ type: 'input_text', text: 'And?' }, { type: 'input_image', image_url: url });
  expect(seen.output[0].content[0].text).toMatch(new RegExp(`And\\?\\n${SAW}$`));
  const read = await respond({ type: 'input_file', filename: 'b.pdf', file_data: base64(PDF) });
  expect(read.output[0].content[0].text).toContain('b.pdf (application/pdf)]');
  expect(
    await respond({ type: 'input_image', source: { type: 'url', url: 'http://127.0.0.1/' } }),
  ).toMatchObject({
    status: 400,
  });
  expect(await respond({ type: 'input_file', file_id: 'file-1' })).toMatchObject({ status: 400 });
});

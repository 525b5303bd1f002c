/** Networks that call the gateway. */
import { request } from 'node:http';
import { expect, test } from 'vitest';
import type { HttpAnswer } from '../../src/channels/contract.ts';
import type { Webhook } from '../../src/gateway/http/context.ts';
import { readGatewaySettings } from '../../src/gateway/settings.ts';
import { ManualClock } from '../setup/manual-clock.ts';
import { startGateway, type TestGateway } from './test-server.ts';

async function open(
  answer: (request: Webhook) => HttpAnswer = () => ({ status: 200, body: 'EVENT_RECEIVED' }),
) {
  const received: Webhook[] = [];
  const clock = new ManualClock();
  const gateway = await startGateway({
    clock,
    receiveWebhook: async (one) => {
      received.push(one);
      return answer(one);
    },
  });
  return { gateway, received, clock };
}

const TOKENS = { token: 'x', agentTokens: {} };

const onlyRight = ({ headers }: Webhook) => ({ status: headers.signature === 'right' ? 200 : 403 });

const post = ({ httpUrl }: TestGateway, path: string, headers: Record<string, string> = {}, body = 'x') =>
  fetch(`${httpUrl}${path}`, { method: 'POST', headers, body });

/** With a name that `fetch` would not send. */
function postAs({ port }: TestGateway, host: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sent = request(
    { port, host: '127.0.0.1', method: 'POST', path: '/channels/whatsapp/default', headers: { host } },
    (response) => {
      response.resume();
      resolve(response.statusCode);
    },
  );
  sent.on('error', reject);
  sent.end('x');
  return promise;
}

test('a request comes to its channel as it was sent, without a token and by any name of the host', async () => {
  const { gateway, received } = await open();
  const body = '{"text":"Grüße \\u00fc"}';
  const answer = await post(
    gateway,
    '/channels/WhatsApp/Work/hook?hub.mode=a%20b',
    { 'x-hub-signature-256': 'sha256=1' },
    body,
  );
  expect([answer.status, await answer.text()]).toEqual([200, 'EVENT_RECEIVED']);
  const [first] = received;
  expect(first).toMatchObject({
    channel: 'whatsapp',
    accountId: 'work',
    method: 'POST',
    path: '/hook?hub.mode=a%20b',
  });
  expect(first!.headers['x-hub-signature-256']).toBe('sha256=1');
  expect(Buffer.from(first!.body).toString()).toBe(body);
  expect(await postAs(gateway, 'bot.example')).toBe(200);
  expect(received[1]).toMatchObject({ channel: 'whatsapp', accountId: 'default', path: '/' });
  // Nothing else is reached by that name.
  const other = await fetch(`${gateway.httpUrl}/channels`, { headers: { origin: 'https://evil.example' } });
  expect(other.status).toBe(403);
  for (const path of ['/channels/', '/channels/whatsapp', '/channels/whatsapp/../x', '/channels/a%2Fb/c'])
    expect((await post(gateway, path)).status, path).toBe(404);
  expect((await fetch(`${gateway.httpUrl}/channels/whatsapp/default`, { method: 'PUT' })).status).toBe(405);
  expect(received).toHaveLength(2);
});

test('a body that is too large is not read to its end', async () => {
  const { gateway, received } = await open();
  expect((await post(gateway, '/channels/whatsapp/default', {}, 'x'.repeat(2049))).status).toBe(413);
  expect((await post(gateway, '/channels/whatsapp/default', {}, 'x'.repeat(2048))).status).toBe(200);
  expect(received).toHaveLength(1);
  expect(readGatewaySettings(TOKENS).webhookBytes).toBe(4_194_304);
  const http = { channels: { maxBytes: 4096 } };
  expect(readGatewaySettings(TOKENS, { http }).webhookBytes).toBe(4096);
});

test('who sends wrong signatures is not heard for a while; others are', async () => {
  const { gateway, received, clock } = await open(onlyRight);
  const { trustedProxies } = readGatewaySettings(TOKENS, { trustedProxies: ['127.0.0.1'] });
  gateway.settings.trustedProxies = trustedProxies;
  const from = (address: string, signature: string) =>
    post(gateway, '/channels/whatsapp/default', { signature, 'x-forwarded-for': `6.6.6.6, ${address}` });
  for (let n = 0; n < 10; n++) expect((await from('203.0.113.5', 'wrong')).status).toBe(403);
  const locked = await from('203.0.113.5', 'right');
  expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '300']);
  expect(received).toHaveLength(10);
  expect((await from('203.0.113.6', 'right')).status).toBe(200);
  await clock.advance(300_000);
  expect((await from('203.0.113.5', 'right')).status).toBe(200);
});

test('a program of this machine cannot lock a network out, whatever it says of itself', async () => {
  const { gateway } = await open(onlyRight);
  const send = (signature: string, headers = {}) =>
    post(gateway, '/channels/whatsapp/default', { signature, ...headers });
  for (const headers of [{ 'x-forwarded-for': '203.0.113.5' }, {}, { 'x-forwarded-for': '127.0.0.1' }]) {
    for (let n = 0; n < 110; n++) expect((await send('wrong', headers)).status).toBe(403);
    expect((await send('right', headers)).status).toBe(200);
  }
  gateway.settings.trustedProxies = ['127.0.0.1'];
  expect((await send('right', { 'x-forwarded-for': '203.0.113.5' })).status).toBe(200);
  expect(gateway.lines).toEqual([
    '127.0.0.1 passes on requests, and gateway.trustedProxies does not name it: all of its clients count as one',
  ]);
});

test('who is behind a proxy on another machine cannot lock out all that come through it', async () => {
  const { gateway } = await open(onlyRight);
  gateway.settings.trustedProxies = ['127.0.0.1', '172.17.0.0/16'];
  const send = (signature: string, headers = {}) =>
    post(gateway, '/channels/whatsapp/default', { signature, ...headers });
  // The proxy at 172.17.0.1 does not say for whom it asks the one on this machine.
  const headers = { 'x-forwarded-for': '172.17.0.1' };
  for (let n = 0; n < 11; n++) expect((await send('wrong', headers)).status).toBe(403);
  expect((await send('right', headers)).status).toBe(200);
  expect(gateway.lines).toEqual([]);
  for (let n = 0; n < 2; n++) await send('right', { 'x-real-ip': '203.0.113.5' });
  expect(gateway.lines).toEqual([
    '127.0.0.1 passes on requests, and it writes no x-forwarded-for, the only header that is read: all of its clients count as one',
  ]);
});

test('a gateway that starts asks the network to come again', async () => {
  const gateway = await startGateway({ isStarting: true, receiveWebhook: async () => ({ status: 200 }) });
  const early = await post(gateway, '/channels/whatsapp/default');
  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5']);
  gateway.serve(gateway.services);
  expect((await post(gateway, '/channels/whatsapp/default')).status).toBe(200);
});

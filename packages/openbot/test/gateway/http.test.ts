import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { Shares } from '../../src/gateway/shares.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { MAIN_TOKEN, openClient, startGateway, type TestGateway, TOKEN } from './test-server.ts';

const bearer = (token = TOKEN) => ({ authorization: `Bearer ${token}` });

test('a port that another program has is an error that says so', async () => {
  const { port } = await startGateway();
  await expect(startGateway({ port })).rejects.toMatchObject({
    code: 'GATEWAY_CANNOT_LISTEN',
    reason: 'EADDRINUSE',
    message: expect.stringContaining(String(port)),
  });
});

describe('probes', () => {
  test('say whether it runs and whether it is ready', async () => {
    const gateway = await startGateway({ isStarting: true });
    const get = async (path: string, method = 'GET') => {
      const response = await fetch(`${gateway.httpUrl}${path}`, { method });
      return [response.status, response.status === 405 ? null : await response.json()];
    };
    for (const path of ['/health', '/healthz'])
      expect(await get(path)).toEqual([200, { ok: true, status: 'live' }]);
    expect(await get('/readyz')).toEqual([
      503,
      { ready: false, failing: ['startup'], uptimeMs: expect.any(Number) },
    ]);
    gateway.serve(gateway.services);
    for (const path of ['/ready', '/readyz'])
      expect(await get(path)).toEqual([200, { ready: true, failing: [], uptimeMs: expect.any(Number) }]);
    expect(await get('/healthz', 'POST')).toEqual([405, null]);
  });
});

describe('POST /rpc/<method>', () => {
  const call = async (
    { httpUrl }: TestGateway,
    method: string,
    body?: string,
    headers: object = bearer(),
  ) => {
    const response = await fetch(`${httpUrl}/rpc/${method}`, {
      method: 'POST',
      body,
      headers: { ...headers },
    });
    return [response.status, await response.json()];
  };

  test('has the answers of the WebSocket, with a status', async () => {
    const gateway = await startGateway();
    expect(await call(gateway, 'test.echo', '{"a":1}')).toEqual([
      200,
      { ok: true, payload: { params: { a: 1 } } },
    ]);
    expect(await call(gateway, 'test.echo')).toEqual([200, { ok: true, payload: { params: {} } }]);
    gateway.services.gate.resolve();
    expect(await call(gateway, 'test.wait')).toEqual([200, { ok: true, payload: { status: 'ok' } }]);
    expect(await call(gateway, 'nope.nope')).toMatchObject([
      404,
      { error: { message: 'unknown method: nope.nope' } },
    ]);
    expect(await call(gateway, '%zz')).toMatchObject([404, { ok: false }]);
    expect(await call(gateway, 'test.write', '{"keys":1}')).toMatchObject([
      400,
      { error: { code: 'INVALID_REQUEST' } },
    ]);
    expect(await call(gateway, 'test.write', 'not JSON')).toMatchObject([
      400,
      { error: { message: 'the body is not JSON' } },
    ]);
    expect(await call(gateway, 'test.throw')).toMatchObject([503, { error: { message: 'internal error' } }]);
    const fewer = { ...bearer(), 'x-openclaw-scopes': 'operator.read' };
    expect(await call(gateway, 'test.write', '{"keys":[]}', fewer)).toMatchObject([
      403,
      { error: { code: 'FORBIDDEN' } },
    ]);
    expect(await call(gateway, 'test.admin', '{}', bearer(MAIN_TOKEN))).toMatchObject([403, { ok: false }]);
    for (const headers of [{}, bearer('wrong'), { authorization: `Basic ${TOKEN}` }])
      expect(await call(gateway, 'test.echo', '{}', headers)).toMatchObject([
        401,
        { error: { message: 'Unauthorized' } },
      ]);
    expect((await fetch(`${gateway.httpUrl}/rpc/test.echo`, { headers: bearer() })).status).toBe(405);
    expect((await fetch(`${gateway.httpUrl}/`, { headers: bearer() })).status).toBe(404);
  });

  test('while it starts, callers are told to come again', async () => {
    const gateway = await startGateway({ isStarting: true });
    expect(await call(gateway, 'test.echo')).toMatchObject([503, { error: { retryable: true } }]);
  });

  test('reads no more of a body than the limit, announced or not', async () => {
    const gateway = await startGateway();
    const send = async (head: string, body: (write: (text: string) => void) => void) => {
      const socket = connect(gateway.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(
        `POST /rpc/test.echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n${head}\r\n\r\n`,
      );
      body((text) => socket.write(text));
      return text(socket);
    };
    expect(await send('Content-Length: 26214401', () => {})).toMatch(/^HTTP\/1.1 413/);
    const mib = 'x'.repeat(1024 * 1024);
    const endless = await send('Transfer-Encoding: chunked', (write) => {
      for (let n = 0; n < 26; n++) write(`${mib.length.toString(16)}\r\n${mib}\r\n`);
    });
    expect(endless).toMatch(/^HTTP\/1.1 413/);
    expect((await fetch(`${gateway.httpUrl}/healthz`)).status).toBe(200);
  });
});

test('bytes that are being read are limited for each token, over HTTP and WebSocket together', async () => {
  const gateway = await startGateway();
  const auth = { token: MAIN_TOKEN };
  const body = `"${'x'.repeat(4 * 1024 * 1024)}"`;
  const post = async (token: string) => {
    const url = `${gateway.httpUrl}/rpc/test.echo`;
    const response = await fetch(url, { method: 'POST', headers: bearer(token), body });
    await response.arrayBuffer();
    return response.status;
  };
  const begin = async () => {
    const client = await openClient(gateway, { auth });
    const socket = client.socket as unknown as { send(data: Buffer, options: { fin: boolean }): void };
    socket.send(Buffer.alloc(24 * 1024 * 1024, 'x'), { fin: false });
    return client;
  };
  const [first] = [await begin(), await begin()];
  while ((await post(MAIN_TOKEN)) !== 503);
  expect(await post(TOKEN)).not.toBe(503);
  const third = await begin();
  expect(await third.closed).toEqual([1013, 'too much is being read']);
  first!.socket.terminate();
  while ((await post(MAIN_TOKEN)) === 503);

  const incoming = new Shares({ ofAll: 4, ofOne: 2 });
  const part = 1;
  const parts = ['a', 'b', 'c', 'd', 'e'].map((name) => incoming.open(name));
  expect(parts.map((one) => one.hold(part))).toEqual([true, true, true, true, false]);
  parts[0]!.release();
  expect(parts[4]!.hold(part)).toBe(true);
});

test('requests of one token leave room for others, and probes are always answered', async () => {
  const gateway = await startGateway({ receiveWebhook: async () => ({ status: 200 }) });
  const post = (token: string, method = 'test.wait') =>
    fetch(`${gateway.httpUrl}/rpc/${method}`, { method: 'POST', headers: bearer(token) });
  const all = Array.from({ length: 101 }, () => post(MAIN_TOKEN));
  const refused = await Promise.race(all);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect((await post(TOKEN, 'test.echo')).status).toBe(200);
  for (const path of ['/healthz', '/readyz', '/channels/telegram/default'])
    expect([path, (await fetch(`${gateway.httpUrl}${path}`)).status]).toEqual([path, 200]);
  gateway.services.gate.resolve();
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(100);
  expect((await post(MAIN_TOKEN, 'test.echo')).status).toBe(200);
});

describe('/metrics', () => {
  test('is there when it is asked for, for the owner', async () => {
    const closed = await startGateway();
    expect((await fetch(`${closed.httpUrl}/metrics`, { headers: bearer() })).status).toBe(404);
    const gateway = await startGateway({
      settings: { metrics: true },
      measure: () => ['openbot_host_crashes_total 0'],
    });
    await fetch(`${gateway.httpUrl}/rpc/test.echo`, { method: 'POST', headers: bearer() });
    expect((await fetch(`${gateway.httpUrl}/metrics`)).status).toBe(401);
    expect((await fetch(`${gateway.httpUrl}/metrics`, { headers: bearer(MAIN_TOKEN) })).status).toBe(403);
    const body = await (await fetch(`${gateway.httpUrl}/metrics`, { headers: bearer() })).text();
    expect(body).toContain('openbot_gateway_requests_total{method="test.echo",outcome="ok"} 1\n');
    expect(body).toContain('# TYPE openbot_gateway_connections gauge\nopenbot_gateway_connections 0\n');
    expect(body).toContain('openbot_host_crashes_total 0\n');
  });
});

describe("OpenClaw's page", () => {
  test('is served from the folder that the owner names, and nothing outside of it', async () => {
    const folder = makeTempFolder();
    const root = join(folder, 'page');
    mkdirSync(join(root, 'assets'), { recursive: true });
    writeFileSync(
      join(root, 'index.html'),
      '<html><script>start()</script><script src="./assets/a.js"></script></html>',
    );
    writeFileSync(join(root, 'assets', 'a.js'), 'run()');
    writeFileSync(join(root, '.env'), 'secret');
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    symlinkSync(join(folder, 'secret.txt'), join(root, 'link.txt'));
    const gateway = await startGateway({ settings: { controlUiRoot: root } });
    const get = (path: string) => fetch(`${gateway.httpUrl}${path}`);

    for (const path of ['/', '/chat', '/chat/agent%3Amain']) {
      const page = await get(path);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = page.headers.get('content-security-policy');
      expect(policy).toContain("script-src 'self' 'sha256-");
      expect(policy).toContain("frame-ancestors 'none'");
      const html = await page.text();
      expect(html).toContain('src="/assets/a.js"');
      expect(html).toContain('<html data-openclaw-control-ui-base-path="">');
    }
    const script = await get('/assets/a.js');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(await script.text()).toBe('run()');
    expect(await (await get('/control-ui-config.json')).json()).toMatchObject({
      basePath: '',
      serverVersion: '0.0.0',
    });
    for (const path of [
      '/link.txt',
      '/.env',
      '/assets/missing.js',
      '/a%00.js',
      '/%2e%2e/secret.txt',
      '/..%5csecret.txt',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    const socket = connect(gateway.port, '127.0.0.1');
    socket.end('GET /../secret.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 404/);
    expect((await fetch(`${gateway.httpUrl}/chat`, { method: 'POST' })).status).toBe(404);
  });
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { runWithFewDescriptors } from '../../../../test/setup/without-descriptors.ts';
import {
  limitConnections,
  makeHttpLimits,
  readDescriptorLimit,
} from '../../src/gateway/connection-limits.ts';
import { ManualClock } from '../setup/manual-clock.ts';
import { openClient, startGateway, TestClient, until } from './test-server.ts';

/** A connection that says nothing by itself. */
async function open(port: number): Promise<{ socket: Socket; closed: Promise<unknown>; heard(): string }> {
  const socket = connect(port, '127.0.0.1');
  afterTest(() => void socket.destroy());
  const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  await once(socket, 'connect');
  return { socket, closed, heard: () => text };
}

test('half of the descriptors of the process are for connections, a quarter for WebSockets', async () => {
  expect(limitConnections(256)).toEqual({ sockets: 128, webSockets: 64 });
  expect(limitConnections(1024)).toEqual({ sockets: 512, webSockets: 256 });
  expect(limitConnections(1_000_000)).toEqual({ sockets: 2000, webSockets: 1000 });
  expect(limitConnections(Number.POSITIVE_INFINITY)).toEqual({ sockets: 2000, webSockets: 1000 });
  expect(readDescriptorLimit()).toBeGreaterThan(0);
  const program = join(import.meta.dirname, 'print-descriptor-limit.ts');
  expect(await runWithFewDescriptors(program)).toEqual({ code: 0, output: '128\n' });
});

test('connections beyond those of the process are closed, and later ones are taken', async () => {
  // Time stands still: none of them is closed for its silence.
  const gateway = await startGateway({ descriptors: 20, clock: new ManualClock() });
  const first = await Promise.all(Array.from({ length: 10 }, () => open(gateway.port)));
  const further = await Promise.all(Array.from({ length: 10 }, () => open(gateway.port)));
  await Promise.all(further.map(({ closed }) => closed));
  for (const { socket } of first) socket.destroy();
  // They are gone for the server a little later.
  await until(() => first.every(({ socket }) => socket.closed));
  while (
    !(await fetch(`${gateway.httpUrl}/healthz`)
      .then(({ ok }) => ok)
      .catch(() => false))
  )
    await sleep(5);
});

test('WebSockets leave places for requests', async () => {
  const gateway = await startGateway({ descriptors: 20 });
  for (let n = 0; n < 5; n++) await openClient(gateway);
  const sixth = new TestClient(gateway.url);
  expect(await sixth.closed).toEqual([1006, '']);
  expect((await fetch(`${gateway.httpUrl}/healthz`)).status).toBe(200);
});

test('a connection that sends nothing is closed after 5 s, and no other', async () => {
  const clock = new ManualClock();
  const gateway = await startGateway({ clock });
  const client = await openClient(gateway);
  const { socket, closed } = await open(gateway.port);
  // The server may know of it later.
  while (!socket.closed) await clock.advance(5_000);
  await closed;
  expect((await client.request('test.echo')).ok).toBe(true);
});

test('headers that come byte by byte are cut at the limit, which includes the time until it is noticed', async () => {
  const { headersTimeout, requestTimeout, connectionsCheckingInterval } = makeHttpLimits();
  expect(headersTimeout + connectionsCheckingInterval).toBe(15_000);
  expect(requestTimeout + connectionsCheckingInterval).toBe(60_000);
  const gateway = await startGateway({ headersMs: 300 });
  const { socket, closed, heard } = await open(gateway.port);
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
  });
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  while (!isClosed) {
    socket.write('x');
    await sleep(10);
  }
  expect(heard()).toMatch(/^HTTP\/1\.1 408 /);
});

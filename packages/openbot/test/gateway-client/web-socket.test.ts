/** Our half of a WebSocket against a server of `ws`, and against bytes that come in pieces. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { makeSocketServer, type Socket as PeerSocket } from '../../src/gateway/sockets/web-socket.ts';
import { openTextSocket } from '../../src/gateway-client/web-socket.ts';
import { waitFor } from '../setup/terminal-command.ts';

function open(port: number) {
  const texts: string[] = [];
  const closed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = openTextSocket(`ws://127.0.0.1:${port}`, {
    onOpen: resolve,
    onText: (text) => void texts.push(text),
    onClose: (reason) => void closed.push(reason),
  });
  const until = (count: number) =>
    waitFor(
      () => `${count} texts`,
      () => (texts.length >= count ? texts : undefined),
    );
  return { socket, opened: promise, texts, closed, until };
}

test('texts of every size go both ways, pings are answered, and an end is told once', async () => {
  const server = createHttpServer();
  const sockets = makeSocketServer(10_000_000);
  const connected = Promise.withResolvers<PeerSocket>();
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, connected.resolve),
  );
  afterTest(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { socket, opened, closed, until } = open((server.address() as AddressInfo).port);
  const peer = await connected.promise;
  peer.on('message', (data) => peer.send(data.toString()));
  await opened;
  const sizes = [0, 1, 125, 126, 127, 65_535, 65_536, 3_000_000];
  for (const size of sizes) socket.send('ü'.repeat(size));
  const texts = await until(sizes.length);
  expect(texts.map((text) => text.length)).toEqual(sizes);
  expect(texts.every((text) => /^ü*$/.test(text))).toBe(true);
  const ponged = new Promise<void>((resolve) => peer.on('pong', resolve));
  peer.ping();
  await ponged;
  peer.close(1012, 'service restart');
  await waitFor(
    () => 'the end',
    () => closed[0],
  );
  expect(closed).toEqual(['service restart']);
});

async function serveBytes(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => serve(socket));
  });
  afterTest(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a message in several frames, byte by byte, with a ping between them', async () => {
  const port = await serveBytes((socket) => {
    const bytes = Buffer.concat([
      Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n'),
      Buffer.from([0x01, 3]),
      Buffer.from('one'),
      Buffer.from([0x89, 0]),
      Buffer.from([0x80, 3]),
      Buffer.from('two'),
      Buffer.from([0x81, 126, 0, 2]),
      Buffer.from('ok'),
    ]);
    socket.setNoDelay(true);
    const write = (at: number) => {
      if (at < bytes.length) socket.write(bytes.subarray(at, at + 1), () => setImmediate(write, at + 1));
    };
    write(0);
  });
  const { socket, until } = open(port);
  expect(await until(2)).toEqual(['onetwo', 'ok']);
  socket.close();
});

test.each([
  ['HTTP/1.1 403 Forbidden\r\n\r\n', 'it answered HTTP/1.1 403 Forbidden'],
  ['', 'the connection was closed'],
])('what is no gateway is said: %j', async (answer, reason) => {
  const port = await serveBytes((socket) => socket.end(answer));
  const { closed } = open(port);
  expect(
    await waitFor(
      () => 'the end',
      () => closed[0],
    ),
  ).toBe(reason);
});

import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { mediaSettings } from '../../src/media/media-settings.ts';
import { isPublicAddress } from '../../src/media/outgoing/public-address.ts';
import { readOutgoingMedia } from '../../src/media/outgoing/read-outgoing-media.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { makePng } from './files.ts';

const PERMITTING = { attachments: { allowPrivateNetwork: true } };
const LIMITS = { ...mediaSettings({ config: PERMITTING, stateDir: '/nowhere', env: {} }), maxBytes: 100_000 };

test('files of the workspaces and of the media folder are read, others are not', async () => {
  const stateDir = makeTempFolder();
  const config = { agents: { list: [{ id: 'main' }, { id: 'other', workspace: join(stateDir, 'o') }] } };
  const settings = { ...mediaSettings({ config, stateDir, env: {} }), maxBytes: 1000 };
  for (const folder of ['workspace/sub', 'o', 'media/inbound'])
    mkdirSync(join(stateDir, folder), { recursive: true });
  writeFileSync(join(stateDir, 'openbot.json'), '{}');
  for (const path of ['workspace/sub/a.png', 'o/b', 'media/inbound/c.jpeg']) {
    writeFileSync(join(stateDir, path), makePng());
    const read = await readOutgoingMedia(settings, join(stateDir, path));
    expect(read).toMatchObject({
      type: 'image/png',
      kind: 'image',
      name: expect.stringMatching(/^[abc]\.png$/),
    });
    expect(read.bytes).toEqual(makePng());
  }
  symlinkSync(join(stateDir, 'openbot.json'), join(stateDir, 'workspace/link'));
  symlinkSync('sub/a.png', join(stateDir, 'workspace/inner'));
  writeFileSync(join(stateDir, 'workspace/large'), Buffer.alloc(1001));
  writeFileSync(join(stateDir, 'workspace/empty'), '');
  const codeOf = (path: string) =>
    readOutgoingMedia(settings, path).then(
      () => 'read',
      ({ code }) => code,
    );
  expect(await codeOf(join(stateDir, 'workspace/inner'))).toBe('read');
  for (const path of [
    'workspace/link',
    'openbot.json',
    'workspace/../openbot.json',
    'workspace/none.png',
    'workspace/sub',
    'workspace',
    'workspace/empty',
  ])
    expect([path, await codeOf(join(stateDir, path))]).toEqual([path, 'MEDIA_REFUSED']);
  expect(await codeOf(join(stateDir, 'workspace/large'))).toBe('MEDIA_TOO_LARGE');
  expect(await codeOf('workspace/sub/a.png')).toBe('MEDIA_REFUSED');
  expect(await codeOf(`file://${stateDir}/workspace/sub/a.png`)).toBe('MEDIA_REFUSED');
});

test('data: URLs are read', async () => {
  const png = makePng();
  const url = `data:image/png;base64,${png.toString('base64')}`;
  expect(await readOutgoingMedia(LIMITS, url)).toEqual({
    bytes: png,
    type: 'image/png',
    kind: 'image',
    name: 'file.png',
  });
  expect(await readOutgoingMedia(LIMITS, 'data:text/plain;charset=utf-8,a%20b')).toMatchObject({
    type: 'text/plain',
    kind: 'document',
  });
  for (const broken of ['data:image/png;base64,***', 'data:nothing', 'data:,'])
    await expect(readOutgoingMedia(LIMITS, broken)).rejects.toMatchObject({ code: 'MEDIA_REFUSED' });
  const large = `data:;base64,${Buffer.alloc(100_001).toString('base64')}`;
  await expect(readOutgoingMedia(LIMITS, large)).rejects.toMatchObject({ code: 'MEDIA_TOO_LARGE' });
});

test('files of the web are read within limits', async () => {
  const bomb = gzipSync(Buffer.alloc(1_000_000));
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/picture')) response.writeHead(200, { 'content-type': 'text/html' }).end(makePng());
    else if (url === '/on') response.writeHead(302, { location: '/picture?secret' }).end();
    else if (url === '/round') response.writeHead(302, { location: '/round' }).end();
    else if (url === '/away') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    else if (url === '/large')
      response.writeHead(200, { 'content-length': 200_000 }).end(Buffer.alloc(200_000));
    else if (url === '/endless') {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(10_000)));
      };
      response.on('drain', write);
      write();
    } else if (url === '/bomb') response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    else if (url === '/broken') {
      response.writeHead(200, { 'content-length': 10 });
      response.write('ab', () => response.destroy());
    } else response.writeHead(Number(url.slice(1, 4))).end('no');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterTest(() => server.closeAllConnections());
  afterTest(() => server.close());
  const { port } = server.address() as AddressInfo;
  const root = `http://127.0.0.1:${port}`;
  const read = (path: string, settings = LIMITS) => readOutgoingMedia(settings, `${root}${path}`);
  const codeOf = (path: string) =>
    read(path).then(
      () => 'read',
      ({ code }) => code,
    );

  expect(await read('/picture.php')).toMatchObject({
    bytes: makePng(),
    type: 'image/png',
    name: 'picture.png',
  });
  expect(await read('/on')).toMatchObject({ type: 'image/png' });
  // What a server compressed stays so: it is not unpacked here.
  expect(await read('/bomb')).toMatchObject({ type: 'application/gzip', bytes: bomb });
  expect(await codeOf('/large')).toBe('MEDIA_TOO_LARGE');
  expect(await codeOf('/endless')).toBe('MEDIA_TOO_LARGE');
  expect(await codeOf('/round')).toBe('MEDIA_REFUSED');
  expect(await codeOf('/away')).toBe('MEDIA_REFUSED');
  expect(await codeOf('/404')).toBe('MEDIA_REFUSED');
  expect(await codeOf('/503')).toBe('MEDIA_UNREACHABLE');
  expect(await codeOf('/broken')).toBe('MEDIA_UNREACHABLE');
  await expect(read('/503?token=abc')).rejects.toThrow(/^http:\/\/127\.0\.0\.1:\d+\/503 answered with 503$/);
  const aborted = AbortSignal.abort(new Error('it stops'));
  await expect(readOutgoingMedia(LIMITS, `${root}/picture`, aborted)).rejects.toThrow('it stops');

  const careful = mediaSettings({ config: {}, stateDir: '/nowhere', env: {} });
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `[::1]:${port}`,
    `0x7f.1:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
  ])
    await expect(readOutgoingMedia(careful, `http://${host}/picture`)).rejects.toMatchObject({
      code: 'MEDIA_REFUSED',
      message: expect.stringContaining('private network'),
    });
  await expect(
    readOutgoingMedia(LIMITS, `http://user:secret@127.0.0.1:${port}/picture`),
  ).rejects.toMatchObject({
    code: 'MEDIA_REFUSED',
  });
});

test.each([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['10.1.2.3', false],
  ['100.100.100.200', false],
  ['169.254.169.254', false],
  ['172.31.0.1', false],
  ['172.32.0.1', true],
  ['192.168.0.1', false],
  ['0.0.0.0', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['not an address', false],
])('%s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

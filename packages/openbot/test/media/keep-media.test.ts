import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { keepMedia } from '../../src/media/keep-media.ts';
import { pruneMedia } from '../../src/media/prune-media.ts';
import { readImage } from '../../src/media/read-image.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { makePng, PDF } from './files.ts';

const MB = 1024 * 1024;

function listInbound(stateDir: string): string[] {
  const folder = join(stateDir, 'media/inbound');
  return existsSync(folder) ? readdirSync(folder) : [];
}

test('a file is kept privately, and a repeat keeps nothing twice', async () => {
  const stateDir = makeTempFolder();
  const settings = { stateDir, maxBytes: MB };
  const png = makePng();
  async function* inParts() {
    yield png.subarray(0, 3);
    yield png.subarray(3);
  }
  const kept = await keepMedia(settings, { bytes: inParts(), declaredType: 'text/html', name: 'Café.png' });
  expect(kept).toMatchObject({ type: 'image/png', size: png.length, name: 'Café.png' });
  expect(kept.path).toMatch(/\/media\/inbound\/[0-9a-f]{32}\/Café\.png$/);
  expect(readFileSync(kept.path)).toEqual(png);
  expect(lstatSync(kept.path).mode & 0o777).toBe(0o600);
  expect(lstatSync(dirname(kept.path)).mode & 0o777).toBe(0o700);

  const repeats = await Promise.all(
    Array.from({ length: 4 }, () => keepMedia(settings, { bytes: [png], name: 'Café.png' })),
  );
  expect(repeats).toEqual(Array(4).fill(kept));
  expect(listInbound(stateDir)).toHaveLength(1);
  const other = await keepMedia(settings, { bytes: [makePng(3)], name: 'Café.png' });
  expect(other.path).not.toBe(kept.path);
});

test.each([
  ['../../etc/passwd', 'passwd.txt'],
  ['C:\\Windows\\evil.exe', 'evil.txt'],
  ['.bashrc', 'file.txt'],
  ['--help', 'help.txt'],
  ['con.txt', 'file.txt'],
  ['a\u202egnp.\0\n\r"\'`$(rm)', 'a_gnp_rm.txt'],
  ['  ', 'file.txt'],
  [undefined, 'file.txt'],
  ['名'.repeat(300), `${'名'.repeat(26)}.txt`],
  ['notes.md', 'notes.md'],
  ['photo.png.sh', 'photo_png.txt'],
])('the name %j is the file %s', async (given, name) => {
  const stateDir = makeTempFolder();
  const kept = await keepMedia({ stateDir, maxBytes: MB }, { bytes: [Buffer.from('words')], name: given });
  expect(kept.name).toBe(name);
  expect(readFileSync(kept.path, 'utf8')).toBe('words');
});

test.each([
  ['image/jpeg', 'ffd8ffe000104a464946', {}],
  ['image/gif', '474946383961', {}],
  ['image/webp', '524946460000000057454250', {}],
  ['application/pdf', PDF.toString('hex'), { declared: 'image/png', name: 'a.png' }],
  ['audio/ogg', '4f67675300', {}],
  ['audio/opus', '4f67675300', { declared: 'audio/opus; codecs=x' }],
  ['audio/mpeg', '494433', {}],
  ['video/mp4', '000000186674797069736f6d', {}],
  ['audio/mp4', '000000186674797069736f6d', { declared: 'audio/mp4' }],
  ['application/zip', '504b0304', { declared: 'image/png' }],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', '504b0304', { name: 'a.docx' }],
  ['application/x-tgsticker', '1f8b', { name: 'a.tgs' }],
  // No picture, whatever its sender says.
  ['text/plain', '68656c6c6f', { declared: 'image/png', name: 'a.png' }],
  ['text/csv', '612c62', { name: 'a.csv' }],
  ['application/octet-stream', '00010203', { declared: 'application/octet-stream' }],
])(
  '%s is told by bytes, then by name and sender',
  async (type, hex, { declared, name }: { declared?: string; name?: string }) => {
    const bytes = [Buffer.from(hex, 'hex')];
    const kept = await keepMedia(
      { stateDir: makeTempFolder(), maxBytes: MB },
      { bytes, declaredType: declared, name },
    );
    expect(kept.type).toBe(type);
  },
);

test('what is too large, empty or breaks off leaves nothing behind', async () => {
  const stateDir = makeTempFolder();
  let taken = 0;
  function* endless() {
    for (;;) {
      taken++;
      yield Buffer.alloc(64 * 1024);
    }
  }
  const settings = { stateDir, maxBytes: MB };
  await expect(keepMedia(settings, { bytes: endless() })).rejects.toMatchObject({
    code: 'MEDIA_TOO_LARGE',
    message: 'The file is larger than 1 MB',
  });
  expect(taken).toBe(17);
  await expect(keepMedia(settings, { bytes: [] })).rejects.toMatchObject({ code: 'MEDIA_REFUSED' });
  async function* broken() {
    yield makePng();
    throw new Error('the network is gone');
  }
  await expect(keepMedia(settings, { bytes: broken() })).rejects.toThrow('the network is gone');
  expect(listInbound(stateDir)).toEqual([]);
});

test('links are not followed', async () => {
  const stateDir = makeTempFolder();
  const elsewhere = makeTempFolder();
  mkdirSync(join(stateDir, 'media'));
  symlinkSync(elsewhere, join(stateDir, 'media/inbound'));
  const settings = { stateDir, maxBytes: MB };
  await expect(keepMedia(settings, { bytes: [makePng()] })).rejects.toMatchObject({ code: 'MEDIA_REFUSED' });
  expect(readdirSync(elsewhere)).toEqual([]);

  const other = makeTempFolder();
  const { path } = await keepMedia({ ...settings, stateDir: other }, { bytes: [makePng()] });
  writeFileSync(join(elsewhere, 'secret.png'), makePng(9));
  const link = join(dirname(path), 'link.png');
  symlinkSync(join(elsewhere, 'secret.png'), link);
  expect(await readImage(other, link)).toEqual({ reason: 'it cannot be read' });
  expect(await readImage(other, join(elsewhere, 'secret.png'))).toEqual({ reason: 'it is not kept here' });
  expect(await readImage(other, path)).toEqual({ data: makePng().toString('base64'), mimeType: 'image/png' });
});

test('a picture that a provider would refuse is not given to it', async () => {
  const stateDir = makeTempFolder();
  const reasonOf = async (bytes: Buffer) => {
    const { path } = await keepMedia({ stateDir, maxBytes: 10 * MB }, { bytes: [bytes] });
    return readImage(stateDir, path);
  };
  expect(await reasonOf(Buffer.concat([makePng(), Buffer.alloc(4 * MB)]))).toEqual({
    reason: 'larger than 3.75 MB',
  });
  expect(await reasonOf(makePng(1, { width: 9000, height: 5 }))).toEqual({
    reason: '9000 x 5 pixels are too many',
  });
  expect(await reasonOf(makePng().subarray(0, 12))).toEqual({ reason: 'it is damaged' });
  expect(await reasonOf(Buffer.from('ffd8ffe000104a46', 'hex'))).toEqual({ reason: 'it is damaged' });
  expect(await reasonOf(Buffer.from('49492a00', 'hex'))).toEqual({
    reason: 'image/tiff is no image that models read',
  });
});

test('old files are removed, and those that came again are kept', async () => {
  const stateDir = makeTempFolder();
  const settings = { stateDir, maxBytes: MB };
  const old = await keepMedia(settings, { bytes: [makePng(1)] });
  const again = await keepMedia(settings, { bytes: [makePng(2)] });
  for (const { path } of [old, again]) utimesSync(dirname(path), 1, 1);
  await keepMedia(settings, { bytes: [makePng(2)] });
  const elsewhere = makeTempFolder();
  writeFileSync(join(elsewhere, 'mine.txt'), 'mine');
  symlinkSync(elsewhere, join(stateDir, 'media/inbound', '0'.repeat(32)));
  // The link is new, but nothing is kept for longer than that.
  expect(await pruneMedia(stateDir, 1_000_000)).toBe(1);
  expect(existsSync(old.path)).toBe(false);
  expect(existsSync(again.path)).toBe(true);
  expect(await pruneMedia(stateDir, Date.now() + 60_000)).toBe(2);
  expect(listInbound(stateDir)).toEqual([]);
  expect(readFileSync(join(elsewhere, 'mine.txt'), 'utf8')).toBe('mine');
});

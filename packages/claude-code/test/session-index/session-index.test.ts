import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ClaudeLineReader } from '@openbot/sessions/lines';
import { expect, test } from 'vitest';
import { SessionIndex } from '../../src/session-index/session-index.ts';
import { referenceHeader } from '../scan/reference-header.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { awaitNewTime } from './new-time.ts';

const ID = '11111111-1111-4111-8111-111111111111';
/** Files of a test are as young as it is; ten seconds on they count as settled. */
const LATER = () => Date.now() + 10_000;

class WatchedReader extends ClaudeLineReader {
  readonly starts: number[] = [];
  override read(...args: Parameters<ClaudeLineReader['read']>): Promise<number> {
    this.starts.push(args[2]?.from ?? 0);
    return super.read(...args);
  }
}

function setUp(text: string) {
  const root = makeTempFolder();
  const folder = join(root, 'project');
  const cache = join(root, 'cache');
  mkdirSync(folder);
  const path = join(folder, `${ID}.jsonl`);
  writeFileSync(path, text);
  const reader = new WatchedReader();
  /** As a process of its own would look: with nothing but what is on disk. */
  async function look(now: () => number = LATER) {
    const index = new SessionIndex(folder, cache, now);
    const { header, read } = await index.scan(ID, reader);
    await index.save();
    expect(header).toEqual(referenceHeader(readFileSync(path, 'utf8')));
    // Where the clock says that it is later, what is written next is to have a later time too.
    if (now === LATER) awaitNewTime(path);
    return read;
  }
  const indexPath = () => join(cache, readdirSync(cache).find((name) => name.endsWith('.index'))!);
  return { root, folder, cache, path, reader, look, indexPath };
}

let count = 0;
const block = (id: string, input: number, own: object = {}) =>
  `${JSON.stringify({
    parentUuid: null,
    isSidechain: false,
    message: { id, model: 'm', content: [], usage: { input_tokens: input, output_tokens: 7 } },
    type: 'assistant',
    uuid: `uuid-${++count}`,
    cwd: '/work',
    gitBranch: 'main',
    ...own,
  })}\n`;
const boundary = (uuid: string) =>
  `${JSON.stringify({ type: 'system', subtype: 'compact_boundary', uuid })}\n`;

test('an unchanged file is read once', async () => {
  const { look, reader } = setUp(block('m1', 5) + block('m2', 6));
  expect(await look()).toBe('whole');
  expect(await look()).toBe('nothing');
  expect(await look()).toBe('nothing');
  expect(reader.starts).toHaveLength(1);
});

test('a grown file is read from where it grew, and a message across that place is counted once', async () => {
  const { look, path, reader } = setUp(block('m1', 5) + block('m2', 6));
  await look();
  const end = statSync(path).size;
  appendFileSync(path, block('m2', 6) + block('m2', 6) + block('m3', 1, { gitBranch: 'next' }));
  expect(await look()).toBe('grown');
  expect(reader.starts).toEqual([0, end]);
  expect(await look()).toBe('nothing');
});

test('a half-written last line is read again when the rest has come', async () => {
  const last = block('m2', 600);
  const { look, path, reader } = setUp(block('m1', 5) + last.slice(0, 40));
  const end = block('m1', 5).length;
  await look();
  appendFileSync(path, last.slice(40));
  expect(await look()).toBe('grown');
  expect(reader.starts[1]).toBeLessThanOrEqual(end + 2);
});

test('a whole last line without a line end is counted, and not a second time', async () => {
  const { look, path } = setUp(block('m1', 5) + boundary('b1').trimEnd());
  await look();
  appendFileSync(path, `\n${boundary('b1')}${boundary('b2')}`);
  expect(await look()).toBe('grown');
});

test('a changed prefix of a grown file is seen', async () => {
  const { look, path } = setUp(block('m1', 111) + block('m2', 222) + block('m3', 333));
  await look();
  writeFileSync(path, readFileSync(path, 'utf8').replace(':222', ':999') + block('m4', 4));
  expect(await look()).toBe('whole');
});

test('a file that was cut, and one that was cut and grew again, are read anew', async () => {
  const { look, path } = setUp(block('m1', 5) + block('m2', 6) + block('m3', 7));
  await look();
  truncateSync(path, block('m1', 5).length);
  expect(await look()).toBe('whole');
  truncateSync(path, 0);
  appendFileSync(path, block('m8', 8).repeat(3) + block('m9', 9));
  expect(await look()).toBe('whole');
});

test('other content of the same size under the same time is seen', async () => {
  const { look, path } = setUp(block('m1', 111) + block('m2', 222));
  const past = new Date('2026-01-01T00:00:00Z');
  utimesSync(path, past, past);
  await look();
  writeFileSync(path, readFileSync(path, 'utf8').replace(':111', ':777'));
  utimesSync(path, past, past);
  expect(await look()).toBe('whole');
});

test('a change so soon after a reading that times cannot show it is seen', async () => {
  const { look, path } = setUp(block('m1', 111) + block('m2', 222));
  const atOnce = () => statSync(path).ctimeMs;
  for (let i = 3; i < 9; i++) {
    await look(atOnce);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/:\d{3},/, `:${i}${i}${i},`));
  }
  // One that did not change is looked at again as long as it is that young, and then no more.
  await look(atOnce);
  expect(await look()).toBe('grown');
  expect(await look()).toBe('nothing');
});

test('the time of a search is taken before the file is read', async () => {
  const { folder, cache, path, reader } = setUp(block('m1', 5));
  const index = new SessionIndex(folder, cache, () => {
    appendFileSync(path, block('m2', 6));
    return Date.now();
  });
  expect((await index.scan(ID, reader)).header.totalInputTokens).toBe(11);
});

test('a file in its place under the same time and size is another file', async () => {
  const { look, path, folder } = setUp(block('m1', 111));
  const past = new Date('2026-01-01T00:00:00Z');
  utimesSync(path, past, past);
  await look();
  writeFileSync(join(folder, 'new'), readFileSync(path, 'utf8').replace(':111', ':888'));
  utimesSync(join(folder, 'new'), past, past);
  renameSync(join(folder, 'new'), path);
  expect(await look()).toBe('whole');
});

test('while the clock says less than the times of the file, nothing is taken for settled', async () => {
  const { look, path } = setUp(block('m1', 5));
  const past = () => statSync(path).ctimeMs - 3_600_000;
  await look(past);
  expect(await look(past)).toBe('grown');
});

test('a known file that became a link to itself is reported when it is read, not before', async () => {
  const { look, path, folder, cache } = setUp(block('m1', 5));
  await look();
  rmSync(path);
  symlinkSync(path, path);
  const index = new SessionIndex(folder, cache, LATER);
  expect(index.peek(ID)).toBeUndefined();
  await expect(index.scan(ID, new ClaudeLineReader())).rejects.toMatchObject({
    code: 'TRANSCRIPT_UNREADABLE',
  });
});

test.each([3, 8, 9, 10])(
  'an entry that ends after %i bytes of a table costs a reading, never an answer',
  async (bytes) => {
    const { look, path, indexPath } = setUp(block('m1', 5));
    await look();
    const [title, line] = readFileSync(indexPath(), 'utf8').split('\n');
    const [, head, growth] = line!.split('\t');
    const table = Buffer.alloc(bytes, 0xff).toString('base64');
    const body = [head, growth, table, table].join('\t');
    const checksum = crc32(`${body}\n`).toString(16).padStart(8, '0');
    writeFileSync(indexPath(), `${title}\n${checksum}\t${body}\n`);
    expect(await look()).toBe('nothing');
    appendFileSync(path, block('m2', 7));
    expect(await look()).toBe('whole');
  },
);

test('a damaged entry costs a reading, never an answer', async () => {
  const { look, indexPath } = setUp(block('m1', 111) + block('m2', 222));
  await look();
  const whole = readFileSync(indexPath());
  for (let at = 0; at < whole.length; at += 13) {
    const damaged = Buffer.from(whole);
    damaged[at] = damaged[at]! ^ 1;
    writeFileSync(indexPath(), damaged);
    expect(await look()).toBe('whole');
  }
  writeFileSync(indexPath(), whole.subarray(0, whole.length - 20));
  expect(await look()).toBe('whole');
  writeFileSync(indexPath(), whole.toString().replace(/ \d+ /, ' 1 '));
  expect(await look()).toBe('whole');
  writeFileSync(indexPath(), '');
  expect(await look()).toBe('whole');
  expect(await look()).toBe('nothing');
});

test('an index under the name of that of another folder is not taken', async () => {
  const { look, indexPath, root, cache } = setUp(block('m1', 111));
  await look();
  const foreign = readFileSync(indexPath());
  renameSync(join(root, 'project'), join(root, 'moved'));
  writeFileSync(join(root, 'moved', `${ID}.jsonl`), block('m2', 222));
  const index = new SessionIndex(join(root, 'moved'), cache, LATER);
  await index.scan(ID, new ClaudeLineReader());
  await index.save();
  for (const name of readdirSync(cache)) writeFileSync(join(cache, name), foreign);
  const { header } = await new SessionIndex(join(root, 'moved'), cache, LATER).scan(
    ID,
    new ClaudeLineReader(),
  );
  expect(header.totalInputTokens).toBe(222);
});

test('where the index cannot be written, everything is read each time', async () => {
  const { look, cache } = setUp(block('m1', 5));
  writeFileSync(cache, 'a file in the way');
  expect(await look()).toBe('whole');
  expect(await look()).toBe('whole');
  rmSync(cache);
  await look();
  expect(await look()).toBe('nothing');
});

test('sessions that are gone are forgotten, those of others stay', async () => {
  const { look, folder, cache, indexPath } = setUp(block('m1', 5));
  const other = '22222222-2222-4222-8222-222222222222';
  writeFileSync(join(folder, `${other}.jsonl`), block('m2', 6));
  await look();
  const late = new SessionIndex(folder, cache, LATER);
  await new SessionIndex(folder, cache, LATER).scan(other, new ClaudeLineReader());
  const first = new SessionIndex(folder, cache, LATER);
  await first.scan(other, new ClaudeLineReader());
  await first.save();
  // Learnt nothing of the other session, and does not take it away.
  appendFileSync(join(folder, `${ID}.jsonl`), block('m3', 1));
  await late.scan(ID, new ClaudeLineReader());
  await late.save();
  expect(readFileSync(indexPath(), 'utf8')).toContain(other);
  const last = new SessionIndex(folder, cache, LATER);
  last.retain(new Set([ID]));
  await last.save();
  expect(readFileSync(indexPath(), 'utf8')).not.toContain(other);
  expect(await look()).toBe('nothing');
});

test('what is saved while more is being read is all kept', async () => {
  const { folder, cache, reader } = setUp(block('m1', 5));
  const ids = Array.from({ length: 9 }, (_, index) => `${index}2222222-2222-4222-8222-222222222222`);
  for (const id of ids) writeFileSync(join(folder, `${id}.jsonl`), block('m2', 6));
  const index = new SessionIndex(folder, cache, LATER);
  const saves: Promise<void>[] = [];
  for (const id of ids) {
    await index.scan(id, reader);
    saves.push(index.save());
  }
  await Promise.all(saves);
  const again = new SessionIndex(folder, cache, LATER);
  expect(ids.map((id) => again.peek(id)?.read)).toEqual(ids.map(() => 'nothing'));
});

test('a long file goes on where it ended, and a change in the middle of it is seen', async () => {
  const filler = `${JSON.stringify({ type: 'user', uuid: 'x', message: { content: [{ type: 'tool_result', content: 'y'.repeat(999_000) }] } })}\n`;
  const { look, path } = setUp(filler.repeat(11) + block('m1', 111) + filler.repeat(11));
  await look();
  appendFileSync(path, block('m2', 6));
  expect(await look()).toBe('grown');
  const at = readFileSync(path).indexOf(':111');
  const write = (text: string) => {
    const file = openSync(path, 'r+');
    writeSync(file, text, at);
    closeSync(file);
  };
  write(':999');
  expect(await look()).toBe('whole');
  write(':888');
  appendFileSync(path, block('m3', 7));
  expect(await look()).toBe('whole');
});

test('lines that are longer than what is read at once are read whole', async () => {
  const long = (id: string) => block(id, 5, { toolUseResult: 'y'.repeat(20_000_000) });
  const { look, path } = setUp(block('m0', 1) + long('m1') + block('m2', 6));
  expect(await look()).toBe('whole');
  appendFileSync(path, long('m3') + block('m4', 7).trimEnd());
  expect(await look()).toBe('grown');
});

test('who has no time at all gets past a line of any length', async () => {
  const long = (id: string) => block(id, 5, { filler: 'x'.repeat(20_000_000) });
  const lines = [block('m1', 1), long('m2'), long('m3'), long('m4'), block('m5', 1)];
  const { folder, cache, reader, look } = setUp(lines.join(''));
  const starts = lines.map((_, at) => lines.slice(0, at).join('').length);
  for (let looks = 0; looks < 3; looks++) {
    const index = new SessionIndex(folder, cache, LATER);
    await expect(index.scan(ID, reader, undefined, AbortSignal.abort())).rejects.toThrow();
    await index.save();
  }
  expect(await look()).toBe('grown');
  expect(reader.starts).toEqual(starts.slice(0, 4));
});

test('a reading that is ended is taken up where it was, and what changed meanwhile is seen', async () => {
  const lines = Array.from({ length: 30 }, (_, at) =>
    block(`m${at % 20}`, at, { filler: 'x'.repeat(1_000_000) }),
  );
  const { folder, cache, path, reader, look } = setUp(lines.join(''));
  const lookUntil = async (bytes: number) => {
    const ending = new AbortController();
    const index = new SessionIndex(folder, cache, LATER);
    const onRead = (read: number) => read >= bytes && ending.abort(new Error('enough'));
    await expect(index.scan(ID, reader, onRead, ending.signal)).rejects.toThrow('enough');
    expect(index.peek(ID)).toBeUndefined();
    await index.save();
  };
  await lookUntil(1);
  await lookUntil(9_000_000);
  expect(await look()).toBe('grown');
  expect(await look()).toBe('nothing');
  // Each part once, from the end of the last whole line before it.
  expect(reader.starts).toEqual(reader.starts.toSorted((one, other) => one - other));
  expect(new Set(reader.starts).size).toBe(reader.starts.length);
  rmSync(cache, { recursive: true });
  await lookUntil(9_000_000);
  const file = openSync(path, 'r+');
  writeSync(
    file,
    block('other', 99)
      .slice(0, -1)
      .padEnd(lines[0]!.length - 1),
    0,
  );
  closeSync(file);
  expect(await look()).toBe('whole');
});

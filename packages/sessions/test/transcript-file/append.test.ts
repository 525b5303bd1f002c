import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import {
  type EntryDraft,
  openTranscriptForAppend,
  withTranscriptLock,
} from '../../src/exports/transcript.ts';
import { appendToTranscript, createTranscript } from '../../src/index.ts';
import { composeUserMessage } from '../../src/transcript/compose.ts';
import { readEntries, useTempFolder } from './temp-folder.ts';

const FIXTURES = join(import.meta.dirname, '../../../../fixtures');
const folder = useTempFolder();
const say = (text: string): EntryDraft => ({ type: 'message', message: composeUserMessage(text, 1) });
const HEADER = '{"type":"session","version":3,"id":"s1","timestamp":"2026-11-15T18:00:00.000Z","cwd":"/w"}\n';

let path: string;
beforeEach(() => {
  path = join(folder.path, 's1.jsonl');
});

describe('appendToTranscript', () => {
  beforeEach(() => createTranscript({ path, sessionId: 's1', cwd: '/w' }));

  it('gives each entry an id, the time, and the entry before it as parent', async () => {
    const now = () => Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    const first = await appendToTranscript(path, say('one'), { now });
    const rest = await appendToTranscript(path, [say('two'), { type: 'session_info', name: 'n' }], { now });
    const [, a, b, c] = readEntries(path);
    expect(a).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{8}$/),
      parentId: null,
      timestamp: '2026-01-02T03:04:05.006Z',
    });
    expect([b!.parentId, c!.parentId]).toEqual([a!.id, b!.id]);
    expect(first.entries).toEqual([
      { type: 'message', id: a!.id, parentId: null, timestamp: '2026-01-02T03:04:05.006Z' },
    ]);
    expect(rest.entries.map((entry) => entry.id)).toEqual([b!.id, c!.id]);
    expect(rest.offset + rest.bytes).toBe(statSync(path).size);
    expect(readFileSync(path).toString('utf8', rest.offset)).toMatch(/^\{"type":"message".*\n.*\n$/);
  });

  it('follows what others appended since', async () => {
    const mine = openTranscriptForAppend(path);
    const theirs = openTranscriptForAppend(path);
    const ids: (string | undefined)[] = [];
    for (const appender of [mine, theirs, theirs, mine, theirs, mine]) {
      ids.push((await appender.append(say('x'))).entries[0]!.id);
    }
    expect(
      readEntries(path)
        .slice(1)
        .map((entry) => entry.parentId),
    ).toEqual([null, ...ids.slice(0, -1)]);
  });

  it('keeps the order of calls made at once', async () => {
    const appender = openTranscriptForAppend(path, { durable: false });
    await Promise.all(Array.from({ length: 50 }, (_, i) => appender.append(say(`m${i}`))));
    const entries = readEntries(path).slice(1);
    expect(entries.map((entry) => (entry.message as { content: string }).content)).toEqual(
      Array.from({ length: 50 }, (_, i) => `m${i}`),
    );
    expect(entries.map((entry) => entry.parentId)).toEqual([
      null,
      ...entries.slice(0, -1).map((entry) => entry.id),
    ]);
  });

  it('leaves every separator in a text as it is', async () => {
    const text = 'a\u2028b\u2029c\u0085d\r\ne\0f\u{1f600}"\\';
    await appendToTranscript(path, say(text));
    expect(readFileSync(path, 'utf8')).toContain('a\u2028b\u2029c\u0085d');
    expect(readEntries(path)[1]).toMatchObject({ message: { content: text } });
  });

  it('makes ids that the file does not hold yet', async () => {
    const taken = (await appendToTranscript(path, say('x'))).entries[0]!.id!;
    const offers = [`${taken}-aaaa`, `${taken}-bbbb`, '00000001-cccc', '00000001-dddd', '00000002-eeee'];
    const randomId = () => offers.shift()!;
    const result = await appendToTranscript(path, [say('y'), say('z')], { randomId });
    expect(result.entries.map((entry) => entry.id)).toEqual(['00000001', '00000002']);
  });

  it('uses uuids when the file is too long to know all its ids', async () => {
    await appendToTranscript(path, { type: 'custom', customType: 'big', data: 'x'.repeat(9_000_000) });
    const result = await appendToTranscript(path, [say('a'), say('b')]);
    expect(result.entries[0]!.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(readEntries(path).at(-1)!.parentId).toBe(result.entries[0]!.id);
  });

  it('goes on with short ids in a file that it has followed all along', async () => {
    const appender = openTranscriptForAppend(path, { durable: false });
    await appender.append(say('a'));
    for (let i = 0; i < 3; i++)
      await appender.append({ type: 'custom', customType: 'big', data: 'x'.repeat(4_000_000) });
    expect((await appender.append(say('b'))).entries[0]!.id).toMatch(/^[0-9a-f]{8}$/);
  });

  it('refuses targets that are not there, and writes nothing', async () => {
    const id = (await appendToTranscript(path, say('x'))).entries[0]!.id!;
    const call = { type: 'toolCall', id: 'call_1', name: 'n', arguments: {} };
    await appendToTranscript(path, { type: 'message', message: { role: 'assistant', content: [call] } });
    const before = readFileSync(path);
    for (const draft of [
      { type: 'label', targetId: 'ffffffff', label: 'L' },
      { type: 'label', targetId: 'call_1', label: 'not an entry' },
      { type: 'label', targetId: 's1', label: 'the header' },
      { type: 'compaction', summary: 'S', tokensBefore: 1, firstKeptEntryId: 'x' },
    ] as const) {
      await expect(appendToTranscript(path, [say('y'), draft])).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    }
    expect(readFileSync(path)).toEqual(before);
    await appendToTranscript(path, [
      { type: 'label', targetId: id, label: 'L' },
      { type: 'compaction', summary: 'S', tokensBefore: 1, firstKeptEntryId: id },
    ]);
    expect(readEntries(path)).toHaveLength(5);
  });

  it('refuses invalid drafts before it looks at the file', async () => {
    const before = readFileSync(path);
    await expect(appendToTranscript(path, { type: 'message' } as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    await expect(
      appendToTranscript(path, { type: 'custom', customType: 'c', data: circular }),
    ).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(readFileSync(path)).toEqual(before);
  });

  it('an empty batch changes nothing', async () => {
    const before = statSync(path);
    expect((await appendToTranscript(path, [])).entries).toEqual([]);
    expect(statSync(path).mtimeMs).toBe(before.mtimeMs);
  });

  it('can be nested in a lock that the caller holds', async () => {
    await withTranscriptLock(path, async () => {
      await appendToTranscript(path, say('inside'));
    });
    expect(readEntries(path)).toHaveLength(2);
  });

  it('holds the lock that OpenClaw knows, with all that it reads there, and no longer than needed', async () => {
    let held: Record<string, unknown> = {};
    const randomId = () => {
      held = JSON.parse(readFileSync(`${path}.lock`, 'utf8'));
      return randomUUID();
    };
    await appendToTranscript(path, say('x'), { randomId });
    expect(held).toMatchObject({ pid: process.pid, createdAt: expect.any(String), maxHoldMs: 300_000 });
    if (process.platform === 'linux') expect(held.starttime).toEqual(expect.any(Number));
    expect(readdirSync(folder.path)).toEqual(['s1.jsonl']);
  });

  it('follows a file that was replaced by another', async () => {
    const appender = openTranscriptForAppend(path);
    await appender.append(say('old'));
    const other = join(folder.path, 'other');
    writeFileSync(other, `${HEADER}{"type":"custom","customType":"c","id":"feedbeef","parentId":null}\n`);
    await rename(other, path);
    expect((await appender.append(say('new'))).entries[0]!.parentId).toBe('feedbeef');
  });

  it.each([
    ['replaced by another of the same length', (text: string) => rename(write(`${path}.other`, text), path)],
    ['changed in its place', async (text: string) => write(path, text)],
  ])('reads the end of a file again that was %s', async (_, change) => {
    const appender = openTranscriptForAppend(path);
    const { id } = (await appender.append(say('mine'))).entries[0]!;
    // The time of a file moves in steps.
    await sleep(20);
    await change(readFileSync(path, 'utf8').replace(id!, 'feedbeef'));
    expect((await appender.append(say('next'))).entries[0]!.parentId).toBe('feedbeef');
    await sleep(20);
    await change(readFileSync(path, 'utf8').replace('"type":"session"', '"type":"nothing"'));
    await expect(appender.append(say('last'))).rejects.toMatchObject({ code: 'TRANSCRIPT_HEADER_INVALID' });
  });

  const write = (file: string, text: string) => {
    writeFileSync(file, text);
    return file;
  };
});

describe('the end of the file', () => {
  const ONE = '{"type":"message","id":"00000001","parentId":null,"message":{"role":"user","content":"one"}}';
  const TWO =
    '{"type":"message","id":"00000002","parentId":"00000001","message":{"role":"user","content":"two"}}';

  it.each<[string, string | Buffer, string, string | null]>([
    ['header only', '', 'whole', null],
    ['one entry', `${ONE}\n`, 'whole', '00000001'],
    ['a finished line without its line feed', `${ONE}\n${TWO}`, 'unterminated', '00000002'],
    ['half a line', `${ONE}\n${TWO.slice(0, 50)}`, 'torn', '00000001'],
    [
      'half a line cut inside a character',
      Buffer.from(`${ONE}\n{"x":"\u{1f600}`).subarray(0, -2),
      'torn',
      '00000001',
    ],
    ['NUL blocks after a power cut', `${ONE}\n${'\0'.repeat(4096)}`, 'torn', '00000001'],
    ['half a line and NUL', `${ONE}\n${TWO.slice(0, 20)}${'\0'.repeat(100)}`, 'torn', '00000001'],
    ['broken lines at the end', `${ONE}\n{"type":\nnot json\n[1]\n7\n"text"\nnull\n`, 'whole', '00000001'],
    ['CRLF', `${ONE}\r\n${TWO}\r\n`, 'whole', '00000002'],
    ['CRLF, the last one cut', `${ONE}\r\n${TWO}\r`, 'unterminated', '00000002'],
    ['blank lines', `${ONE}\n\n\n`, 'whole', '00000001'],
    ['a second header', `${ONE}\n${HEADER}`, 'whole', '00000001'],
    [
      'a type nobody knows',
      `${ONE}\n{"type":"new","id":"00000009","parentId":"00000001"}\n`,
      'whole',
      '00000009',
    ],
    [
      'an entry without an id after one with',
      `${ONE}\n{"type":"custom","key":"k","value":1}\n`,
      'whole',
      '00000001',
    ],
    ['an id that is no text', `${ONE}\n{"type":"custom","id":7}\n`, 'whole', '00000001'],
    [
      'a line longer than any buffer',
      `${ONE}\n{"type":"custom","data":"${'y'.repeat(300_000)}","id":"0000000a"}\n`,
      'whole',
      '0000000a',
    ],
  ])('%s', async (_name, content, tail, parentId) => {
    writeFileSync(path, Buffer.concat([Buffer.from(HEADER), Buffer.from(content)]));
    const before = readFileSync(path);
    const result = await appendToTranscript(path, [say('three'), say('four')]);
    expect(result.tail).toBe(tail);
    expect(result.entries[0]!.parentId).toBe(parentId);
    const after = readFileSync(path);
    expect(after.subarray(0, before.length)).toEqual(before);
    const added = after.toString('utf8', before.length);
    expect(added.startsWith('\n')).toBe(tail !== 'whole');
    expect(
      after
        .toString('utf8', result.offset)
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line).id),
    ).toEqual(result.entries.map((entry) => entry.id));
  });

  it('is found behind a line of 65 MB, which is looked into without being held', LONG, async () => {
    const handle = await open(path, 'w');
    await handle.writeFile(`${HEADER}${ONE}\n{"type":"custom","data":{"id":"ffffffff","list":["`);
    for (let i = 0; i < 65; i++) await handle.writeFile(`\\"id\\":\\"eeeeeeee\\"${'z'.repeat(1024 * 1024)}`);
    await handle.writeFile('"]},"id":"000000aa"}\n');
    await handle.close();
    expect((await appendToTranscript(path, say('after'))).entries[0]!.parentId).toBe('000000aa');
    const torn = await open(path, 'a');
    await torn.writeFile(`{"type":"custom","id":"000000bb","data":"${'z'.repeat(65 * 1024 * 1024)}`);
    await torn.close();
    const result = await appendToTranscript(path, say('again'));
    expect(result.tail).toBe('torn');
    expect(result.entries[0]!.parentId).not.toBe('000000bb');
  });

  it('is looked for again after a repair, once and for all', async () => {
    writeFileSync(path, `${HEADER}${ONE}\n{"torn`);
    const a = await appendToTranscript(path, say('a'));
    const b = await appendToTranscript(path, say('b'));
    expect([a.tail, b.tail]).toEqual(['torn', 'whole']);
    expect(b.entries[0]!.parentId).toBe(a.entries[0]!.id);
    expect(readFileSync(path, 'utf8').split('\n')[2]).toBe('{"torn');
  });
});

describe('an empty file', () => {
  beforeEach(() => writeFileSync(path, ''));

  it('gets a header and the entries in one write, where the caller says which session it is', async () => {
    const create = { sessionId: 's1', cwd: '/w' };
    const { entries, offset, bytes } = await appendToTranscript(path, [say('a'), say('b')], { create });
    const text = readFileSync(path, 'utf8');
    expect(JSON.parse(text.split('\n')[0]!)).toMatchObject({
      type: 'session',
      version: 3,
      id: 's1',
      cwd: '/w',
    });
    expect(offset).toBe(text.indexOf('\n') + 1);
    expect(offset + bytes).toBe(Buffer.byteLength(text));
    expect(
      readEntries(path)
        .slice(1)
        .map(({ id }) => id),
    ).toEqual(entries.map(({ id }) => id));
  });

  it('is refused otherwise', async () => {
    const refused = { code: 'TRANSCRIPT_HEADER_INVALID' };
    await expect(appendToTranscript(path, say('a'))).rejects.toMatchObject(refused);
    expect(readFileSync(path, 'utf8')).toBe('');
  });
});

describe('older files', () => {
  it('a version 1 file goes on without ids', async () => {
    copyFileSync(join(FIXTURES, 'pi/legacy-v1.before-open.jsonl.orig'), path);
    const result = await appendToTranscript(path, [
      say('more'),
      { type: 'compaction', summary: 'S', tokensBefore: 2 },
    ]);
    expect(result.entries.map(({ id, parentId }) => [id, parentId])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    const added = readEntries(path).slice(-2);
    expect(
      added.every((entry) => !('id' in entry) && !('parentId' in entry) && !('firstKeptEntryId' in entry)),
    ).toBe(true);
    await expect(appendToTranscript(path, { type: 'label', targetId: 'x' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('in version 1 the last line decides, whatever came before it', async () => {
    const entry = '{"type":"message","id":"00000001","message":{"role":"user","content":"x"}}\n';
    const header = HEADER.replace('"version":3,', '');
    writeFileSync(path, header + entry + entry.replace('"id":"00000001",', ''));
    expect((await appendToTranscript(path, say('y'))).entries[0]!.id).toBeUndefined();
    writeFileSync(path, header + entry);
    expect((await appendToTranscript(path, say('y'))).entries[0]!.parentId).toBe('00000001');
  });

  it('an empty version 1 file stays one', async () => {
    writeFileSync(path, HEADER.replace('"version":3,', ''));
    expect((await appendToTranscript(path, say('x'))).entries[0]!.id).toBeUndefined();
  });

  it.each(['"2"', '"3"', '2', '4', '"<CURRENT_SESSION_VERSION>"'])(
    'version %s with lines that have no ids',
    async (version) => {
      const flat = '{"type":"user","content":[{"type":"text","text":"Hello"}],"timestamp":1}\n';
      writeFileSync(path, HEADER.replace('"version":3', `"version":${version}`) + flat);
      const result = await appendToTranscript(path, [say('a'), say('b')]);
      const [, , a, b] = readEntries(path);
      // Not null, which would say that nothing came before.
      expect('parentId' in a!).toBe(false);
      expect(b!.parentId).toBe(a!.id);
      expect((await appendToTranscript(path, say('c'))).entries[0]!.parentId).toBe(result.entries[1]!.id);
    },
  );

  it('where some lines have ids and no parents, the last one with an id is the parent', async () => {
    writeFileSync(
      path,
      `${HEADER.replace('3', '2')}{"type":"message","id":"msg_02","message":{"role":"user","content":"x"}}\n{"type":"custom","key":"k","value":1,"timestamp":"t"}\n`,
    );
    expect((await appendToTranscript(path, say('y'))).entries[0]!.parentId).toBe('msg_02');
  });
});

describe('what is not appended to', () => {
  const refuses = async (code: string) => {
    await expect(appendToTranscript(path, say('x'), { lock: { timeoutMs: 50 } })).rejects.toMatchObject({
      code,
    });
  };

  it.each([
    ['an empty file', ''],
    ['a broken header', '{"type":"sess\n{"type":"message","id":"a","parentId":null}\n'],
    ['no header', '{"type":"message","id":"a","parentId":null}\n'],
    ['a header without an id', '{"type":"session","version":3}\n'],
    ['a transcript of Claude Code', '{"type":"queue-operation"}\n{"type":"user","uuid":"u"}\n'],
    ['some other file', 'hello\nworld'],
    ['a number as first line', `7\n${HEADER}`],
    ['a byte order mark before the header', `\uFEFF${HEADER}`],
    ['a header beyond the first megabyte', `${'x'.repeat(1_100_000)}\n${HEADER}`],
  ])('%s', async (_name, content) => {
    writeFileSync(path, content);
    await refuses('TRANSCRIPT_HEADER_INVALID');
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  it.each([
    ['after blank and broken lines', `\n{"x\n${HEADER}`],
    ['after a line that holds a byte order mark alone', `\uFEFF\n${HEADER}`],
    ['without a line feed', HEADER.trimEnd()],
    ['that is long', HEADER.replace('/w', `/${'w'.repeat(200_000)}`)],
  ])('but a header counts %s', async (_name, content) => {
    writeFileSync(path, content);
    expect((await appendToTranscript(path, say('x'))).entries[0]!.parentId).toBeNull();
    expect(readFileSync(path, 'utf8').startsWith(content)).toBe(true);
  });

  it('a file that is not there, without making its folder', async () => {
    path = join(folder.path, 'no/such/s.jsonl');
    await refuses('TRANSCRIPT_NOT_FOUND');
    expect(() => statSync(join(folder.path, 'no'))).toThrow();
  });

  it('a folder', async () => {
    mkdirSync(path);
    await refuses('TRANSCRIPT_UNREADABLE');
  });

  it('a pipe, without waiting for its other end', async () => {
    execFileSync('mkfifo', [path]);
    await refuses('TRANSCRIPT_UNREADABLE');
    expect(readdirSync(folder.path)).toEqual(['s1.jsonl']);
  });

  it('a link out of the folder', async () => {
    mkdirSync(join(folder.path, 'in'));
    const outside = join(folder.path, 'outside.jsonl');
    writeFileSync(outside, HEADER);
    path = join(folder.path, 'in/s1.jsonl');
    symlinkSync(outside, path);
    await refuses('PATH_ESCAPES_FOLDER');
    expect(readFileSync(outside, 'utf8')).toBe(HEADER);
  });

  it('a transcript whose lock another process holds', async () => {
    writeFileSync(path, HEADER);
    writeFileSync(
      `${path}.lock`,
      JSON.stringify({ pid: process.ppid, createdAt: new Date().toISOString(), maxHoldMs: 300_000 }),
    );
    await refuses('LOCK_TIMEOUT');
    expect(readFileSync(path, 'utf8')).toBe(HEADER);
  });
});

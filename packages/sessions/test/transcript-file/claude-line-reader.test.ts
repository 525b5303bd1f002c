import { readdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { ClaudeLineReader, type LineRange, withOpenTranscript } from '../../src/exports/lines.ts';
import { FLAG } from '../../src/exports/transcript.ts';
import { scanTranscriptFile } from '../../src/index.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const PROJECTS = join(import.meta.dirname, '../../../../fixtures/claude-code/projects');
const FIXTURES = readdirSync(PROJECTS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => join(PROJECTS, name));

async function readAll(path: string, range?: LineRange, reader = new ClaudeLineReader()) {
  const lines: {
    kind: string;
    start: number;
    terminated: boolean;
    uuid: string | undefined;
    text: string;
  }[] = [];
  const handle = await open(path);
  try {
    const resumeAt = await reader.read(
      handle,
      {
        line({ kind, start, terminated, readUuid, readTypedText }) {
          lines.push({ kind, start, terminated, uuid: readUuid(), text: readTypedText() });
        },
      },
      range,
    );
    return { lines, resumeAt };
  } finally {
    await handle.close();
  }
}

function write(text: string | Buffer): string {
  const path = join(makeTempFolder(), 'session.jsonl');
  writeFileSync(path, text);
  return path;
}
const user = (uuid: string, content: unknown) =>
  `${JSON.stringify({ type: 'user', uuid, message: { content } })}\n`;

test.each(FIXTURES)('says of each line what the whole transcript does: %s', async (path) => {
  const transcript = await scanTranscriptFile(path);
  const { lines, resumeAt } = await readAll(path);
  expect(resumeAt).toBe(transcript.byteLength);
  const entries = Array.from({ length: transcript.length }, (_, index) => transcript.entry(index));
  expect(lines.map(({ start }) => start)).toEqual(entries.map(({ start }) => start));
  expect(lines.map(({ uuid }) => uuid)).toEqual(entries.map(({ id }) => id));
  expect(lines.map(({ kind }) => kind === 'person')).toEqual(
    entries.map(({ flags }) => (flags & FLAG.startsTurn) !== 0),
  );
  expect(lines.map(({ kind }) => kind === 'compaction')).toEqual(
    entries.map(({ kind }) => kind === 'compaction'),
  );
  expect(lines.map(({ kind }) => kind === 'assistant')).toEqual(
    entries.map(({ role, flags }) => role === 'assistant' && (flags & FLAG.failed) === 0),
  );
});

test('goes through a part of the lines, and says where to go on', async () => {
  const [first, second] = [user('1', 'one'), user('2', 'two')];
  const path = write(`${first}${second}{"half`);
  const whole = await readAll(path);
  expect(whole.resumeAt).toBe(first.length + second.length);
  expect(whole.lines.map(({ kind, terminated }) => [kind, terminated])).toEqual([
    ['person', true],
    ['person', true],
    ['broken', false],
  ]);
  const part = await readAll(path, { from: first.length, to: first.length + second.length });
  expect(part.lines.map(({ text, start }) => [text, start])).toEqual([['two', first.length]]);
  const none = await readAll(path, { from: first.length, to: first.length });
  expect(none).toEqual({ lines: [], resumeAt: first.length });
  const cut = await readAll(path, { to: first.length - 3 });
  expect(cut).toMatchObject({ resumeAt: 0, lines: [{ kind: 'broken', terminated: false }] });
});

test('one reader serves for many files, whose strings it does not pile up', async () => {
  const reader = new ClaudeLineReader();
  for (let file = 0; file < 3; file++) {
    const lines = Array.from({ length: 15_000 }, (_, index) =>
      JSON.stringify({ type: 'assistant', uuid: 'u', message: { id: `msg_${file}_${index}` } }),
    );
    const seen = new Set<string | undefined>();
    await withOpenTranscript(write(`${lines.join('\n')}\n`), (handle) =>
      reader.read(handle, { line: ({ messageId }) => void seen.add(messageId) }),
    );
    expect(seen.size).toBe(15_000);
    expect(seen).toContain(`msg_${file}_14999`);
  }
});

test('hands out every byte, in order', async () => {
  const text = user('1', 'x'.repeat(300_000)) + user('2', 'é'.repeat(300_000));
  const pieces: Buffer[] = [];
  let next = 0;
  await withOpenTranscript(write(text), (handle, stats) => {
    expect(Number(stats.size)).toBe(Buffer.byteLength(text));
    return new ClaudeLineReader().read(handle, {
      line: () => {},
      bytes(chunk, offset) {
        expect(offset).toBe(next);
        next += chunk.length;
        pieces.push(Buffer.from(chunk));
      },
    });
  });
  expect(Buffer.concat(pieces).toString()).toBe(text);
});

test('of lines that are too long to be held, all but the ends of their texts is read', LONG, async () => {
  const tail = 'y'.repeat(9);
  const text = `Hello "you"\n${'é'.repeat(2_000_000)}${tail}`;
  const long = [
    user('1', text),
    user('2', [{ type: 'image', source: { data: 'A'.repeat(5_000_000) } }]),
    user('3', [{ type: 'tool_result', content: 'z'.repeat(3_000_000) }]),
    user('4', [
      { type: 'text', text: `<ide_selection>${'s'.repeat(3_000_000)}` },
      { type: 'text', text: 'short' },
    ]),
    `{"type":"user","uuid":"5","message":{"content":"${'b'.repeat(3_000_000)}\u0001"}}\n`,
    `${JSON.stringify({ message: { id: 'm', content: [{ text }], usage: { output_tokens: 3 } }, type: 'assistant', uuid: '6' })}\r\n`,
    user(
      '7',
      Array.from({ length: 200_000 }, (_, at) => ({ type: 'text', text: `line ${at}` })),
    ),
  ];
  const last = user('8', text).slice(0, -4);
  const { lines, resumeAt } = await readAll(write(long.join('') + last));
  const starts = [...long, ''].map((_, at) => Buffer.byteLength(long.slice(0, at).join('')));
  expect(lines.map(({ kind, start, uuid }) => [kind, start, uuid])).toEqual([
    ['person', 0, '1'],
    ['person', starts[1], '2'],
    ['other', starts[2], '3'],
    ['person', starts[3], '4'],
    ['broken', starts[4], undefined],
    ['assistant', starts[5], '6'],
    ['person', starts[6], '7'],
    ['broken', starts[7], undefined],
  ]);
  expect(resumeAt).toBe(starts[7]);
  expect(lines[0]!.text).toBe(text.slice(0, lines[0]!.text.length));
  expect(lines[0]!.text.length).toBeGreaterThan(30_000);
  expect(lines.map((line) => line.text).slice(1)).toEqual([
    '',
    '',
    'short',
    '',
    expect.any(String),
    'line 0',
    '',
  ]);
});

test('a reading that is enough ends behind a line, never inside of the first one', async () => {
  const path = write(user('1', 'x'.repeat(3_000_000)) + user('2', 'two').repeat(50_000));
  const seen: string[] = [];
  const reader = new ClaudeLineReader();
  const ends: number[] = [];
  await withOpenTranscript(path, async (handle, { size }) => {
    for (let from = 0; from < Number(size); ) {
      const visitor = { line: ({ kind }: { kind: string }) => void seen.push(kind) };
      from = await reader.read(handle, visitor, { from, to: Number(size), isEnough: () => true });
      ends.push(from);
    }
  });
  expect(ends.length).toBeGreaterThan(5);
  expect(ends[0]).toBeGreaterThan(3_000_000);
  expect(seen).toEqual(Array.from({ length: 50_001 }, () => 'person'));
});

test('what the visitor throws comes out, and the reader goes on to serve', async () => {
  const reader = new ClaudeLineReader();
  const path = write(user('1', 'one').repeat(20_000));
  const failing = withOpenTranscript(path, (handle) =>
    reader.read(handle, {
      line() {
        throw new Error('enough');
      },
    }),
  );
  await expect(failing).rejects.toEqual(new Error('enough'));
  expect((await readAll(path, {}, reader)).lines).toHaveLength(20_000);
});

test('the first text that a person typed, behind what the program put before it', async () => {
  const { lines } = await readAll(
    write(
      user('1', [
        { type: 'text', text: '<ide_selection>code</ide_selection>' },
        { type: 'image', source: { data: 'AAAA' } },
        { type: 'text', text: 'explain "this" – \u{1F600}' },
        { type: 'text', text: 'later' },
      ]) + user('2', [{ type: 'image', source: { data: 'AAAA' } }]),
    ),
  );
  expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
    ['person', 'explain "this" – \u{1F600}'],
    ['person', ''],
  ]);
});

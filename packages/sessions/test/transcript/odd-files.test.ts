import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { OpenBotError } from '../../src/errors.ts';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { contextOf } from '../../src/transcript/context/context.ts';
import { FLAG } from '../../src/transcript/entry.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';
import { activePath, leafOf } from '../../src/transcript/tree/tree.ts';
import { turnsOf } from '../../src/transcript/tree/turns.ts';
import { scanTranscriptFile } from '../../src/transcript-file/scan.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openbot-odd-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function scan(content: string | Buffer) {
  const path = join(folder, `${files++}.jsonl`);
  writeFileSync(path, content);
  return scanTranscriptFile(path);
}
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n';
const user = (id: string, parentId: string | null, text = 'hello') =>
  `${JSON.stringify({ type: 'message', id, parentId, message: { role: 'user', content: text } })}\n`;

describe('files that are not as they should be', () => {
  test('empty', async () => {
    const transcript = await scan('');
    expect(transcript).toMatchObject({ length: 0, dialect: undefined, terminated: true, problems: [] });
    expect(leafOf(transcript)).toBe(-1);
  });

  test('no header', async () => {
    const transcript = await scan(user('a', null) + user('b', 'a'));
    expect(transcript.header).toBeUndefined();
    expect(activePath(transcript).entries).toEqual([0, 1]);
  });

  test('nothing but noise', async () => {
    const transcript = await scan('what is this\n{"who":"knows"}\n');
    expect(transcript.dialect).toBeUndefined();
    expect([transcript.kindOf(0), transcript.kindOf(1)]).toEqual(['broken', 'unknown']);
    expect(transcript.problems).toMatchObject([{ line: 1, problem: 'broken' }]);
  });

  test('CRLF and a byte order mark', async () => {
    const content = `\ufeff${(HEADER + user('a', null)).replaceAll('\n', '\r\n')}`;
    const transcript = await scan(content);
    expect(transcript.header?.id).toBe('s');
    expect(transcript.startOf(0)).toBe(3);
    expect(Buffer.from(content).subarray(transcript.startOf(1), transcript.endOf(1)).toString()).toBe(
      user('a', null).trimEnd(),
    );
  });

  test('broken and blank lines in between are kept by number', async () => {
    const transcript = await scan(`${HEADER}${user('a', null)}{"type":"mess\n\n${user('b', 'a')}`);
    expect(transcript.problems).toMatchObject([{ line: 3, problem: 'broken' }]);
    expect([2, 3].map((index) => transcript.kindOf(index))).toEqual(['broken', 'blank']);
    expect(activePath(transcript).entries).toEqual([1, 4]);
  });

  test('a block of zero bytes, as a power cut leaves them', async () => {
    const transcript = await scan(
      Buffer.concat([
        Buffer.from(HEADER + user('a', null)),
        Buffer.alloc(4096),
        Buffer.from(`\n${user('b', 'a')}`),
      ]),
    );
    expect(transcript.problems).toMatchObject([{ line: 3, problem: 'broken' }]);
    expect(activePath(transcript).entries).toEqual([1, 3]);
  });

  test('a last line that is whole but has no end', async () => {
    const transcript = await scan(HEADER + user('a', null).trimEnd());
    expect(transcript.terminated).toBe(false);
    expect(transcript.problems).toEqual([]);
    expect(leafOf(transcript)).toBe(1);
  });

  test('separators of Unicode inside a text', async () => {
    const transcript = await scan(HEADER + user('a', null, 'x\u2028y\u2029z\u0085'));
    expect(transcript.length).toBe(2);
    expect(transcript.textSizeOf(1)).toBe(6);
  });

  test('a long line across many reads', async () => {
    const text = 'é"\\ '.repeat(1_000_000);
    const transcript = await scan(HEADER + user('a', null, text) + user('b', 'a'));
    expect(transcript.textSizeOf(1)).toBe(text.length);
    expect(transcript.idOf(2)).toBe('b');
  });

  test('a line above the limit is carried and reported', () => {
    const builder = new TranscriptBuilder();
    const splitter = new LineSplitter(builder, 1000);
    const long = user('a', null, 'x'.repeat(5000));
    const content = Buffer.from(HEADER + long + user('b', 'a'));
    splitter.push(content);
    splitter.finish();
    const transcript = builder.finish(splitter.offset);
    expect(transcript.kindOf(1)).toBe('oversize');
    expect(transcript.problems).toEqual([
      { line: 2, start: HEADER.length, end: HEADER.length + long.length - 1, problem: 'oversize' },
    ]);
    // Nobody looked into it, so what hangs from it hangs from nothing that is known.
    expect(transcript.entry(2).parentId).toBe('a');
    expect(activePath(transcript).brokenAt).toBe(2);
  });

  test('a line above 64 MB in a real file keeps its place in the tree', LONG, async () => {
    const long = user('big', 'a', 'x'.repeat(64 * 1024 * 1024)).trimEnd();
    const transcript = await scan(`${HEADER}${user('a', null)}${long}\n${user('b', 'big')}`);
    expect(transcript.problems).toMatchObject([{ line: 3, problem: 'oversize' }]);
    expect(transcript.endOf(2) - transcript.startOf(2)).toBe(long.length);
    expect(transcript.entry(2)).toMatchObject({ kind: 'oversize', id: 'big', parentId: 'a' });
    expect(activePath(transcript)).toEqual({ entries: [1, 2, 3], brokenAt: undefined });
  });

  test('such a line may be the last one, or no JSON at all', LONG, async () => {
    const last = await scan(`${HEADER}${user('a', null)}${user('big', 'a', 'x'.repeat(64 * 1024 * 1024))}`);
    expect(last.idOf(leafOf(last))).toBe('big');
    const noise = await scan(
      `${HEADER}${user('a', null)}${'x'.repeat(64 * 1024 * 1024 + 1)}\n${user('b', 'a')}`,
    );
    expect(activePath(noise).entries).toEqual([1, 3]);
  });

  test('a version 4 transcript with a reset: the model sees what came after it', async () => {
    const lines = [
      { type: 'session', version: 4, id: 's', cwd: '/w' },
      { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'old' } },
      { type: 'reset', id: 'b', parentId: 'a' },
      { type: 'message', id: 'c', parentId: 'b', message: { role: 'user', content: 'new' } },
    ];
    const transcript = await scan(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(transcript.header?.version).toBe(4);
    expect(contextOf(transcript, activePath(transcript).entries)).toMatchObject({ entries: [3], cutBy: 2 });
  });

  test('what a person ran for himself alone stays out of the context', async () => {
    const run = { role: 'bashExecution', command: 'ls', output: 'a b', excludeFromContext: true };
    const line = { type: 'message', id: 'b', parentId: 'a', message: run };
    const transcript = await scan(`${HEADER}${user('a', null)}${JSON.stringify(line)}\n`);
    expect(contextOf(transcript, [1, 2]).entries).toEqual([1]);
  });

  test('a line that names a session does not make a file Claude Code’s', async () => {
    const line = {
      type: 'message',
      sessionId: 'x',
      id: 'a',
      parentId: null,
      message: { role: 'user', content: 'x' },
    };
    const transcript = await scan(`${JSON.stringify(line)}\n`);
    expect(transcript.dialect).toBe('openclaw');
  });

  test('a Claude Code file cut before its last boundary is whole', async () => {
    const transcript = await scan(
      [
        {
          type: 'system',
          subtype: 'compact_boundary',
          uuid: 'b',
          parentUuid: null,
          logicalParentUuid: 'gone',
        },
        { type: 'user', uuid: 'c', parentUuid: 'b', message: { role: 'user', content: 'x' } },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    expect(activePath(transcript)).toEqual({ entries: [0, 1], brokenAt: undefined });
  });

  test('flat lines, and messages without a type', async () => {
    const transcript = await scan(
      `${HEADER}${[
        { type: 'user', content: [{ type: 'text', text: 'Hello' }], timestamp: 1 },
        {
          type: 'assistant',
          content: [{ type: 'text', text: 'Hi!' }],
          usage: { input: 10, output: 2, totalTokens: 12 },
        },
        { role: 'user', content: 'again' },
        { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'ls', arguments: {} }] },
        { role: 'toolResult', toolCallId: 'c', content: 'a b' },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('')}`,
    );
    const path = activePath(transcript).entries;
    expect(path.map((index) => transcript.roleOf(index))).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'toolResult',
    ]);
    expect(transcript.usageOf(2)).toMatchObject({ input: 10, output: 2, total: 12 });
    expect(turnsOf(transcript, path).map((turn) => turn.toolCalls)).toEqual([0, 1]);
  });

  test('a header version as text, custom lines with key and value, usage beside the message', async () => {
    const transcript = await scan(
      [
        '{"type":"session","version":"0.49.3","id":"s","timestamp":"2025-01-31T12:00:00.000Z","cwd":"/w"}',
        '{"type":"message","id":"msg_01","timestamp":"t","message":{"role":"user","content":[{"type":"text","text":"Hello"}]}}',
        '{"type":"custom","key":"openclaw.cache-ttl","value":45000,"timestamp":"t"}',
        '{"type":"message","id":"msg_02","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}]},"usage":{"input":1000,"output":50}}',
      ].join('\n'),
    );
    expect(transcript.header?.version).toBe('0.49.3');
    expect(transcript.typeOf(2)).toBe('openclaw.cache-ttl');
    expect(transcript.usageOf(3)).toMatchObject({ input: 1000, output: 50 });
    // No line names a parent: the order is the conversation.
    expect(activePath(transcript).entries).toEqual([1, 2, 3]);
    expect(transcript.entry(3).parentId).toBeUndefined();
  });

  test('an id that appears twice means the later line', async () => {
    const transcript = await scan(
      HEADER + user('a', null) + user('b', 'a') + user('a', null, 'again') + user('c', 'b'),
    );
    expect(transcript.has(1, FLAG.duplicate)).toBe(true);
    expect(activePath(transcript).entries).toEqual([3, 2, 4]);
  });

  test('a parent that comes later is found, a ring of parents ends', async () => {
    const later = await scan(HEADER + user('b', 'a') + user('a', null) + user('c', 'b'));
    expect(activePath(later)).toEqual({ entries: [2, 1, 3], brokenAt: undefined });
    const ring = await scan(HEADER + user('a', 'b') + user('b', 'a'));
    expect(activePath(ring).entries).toHaveLength(2);
    expect(activePath(ring).brokenAt).toBe(2);
  });

  test('no file, and a folder in its place', async () => {
    await expect(scanTranscriptFile(join(folder, 'none.jsonl'))).rejects.toMatchObject({
      code: 'TRANSCRIPT_NOT_FOUND',
    });
    const inTheWay = join(folder, 'folder.jsonl');
    mkdirSync(inTheWay);
    const error = await scanTranscriptFile(inTheWay).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenBotError);
    expect(error).toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
  });

  test('a pipe in its place does not keep us waiting', async () => {
    const pipe = join(folder, 'pipe.jsonl');
    execFileSync('mkfifo', [pipe]);
    await expect(scanTranscriptFile(pipe)).rejects.toMatchObject({ code: 'TRANSCRIPT_UNREADABLE' });
  });
});

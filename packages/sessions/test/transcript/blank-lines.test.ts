/** Millions of blank lines cost no memory, and every line is still where it is. */
import { expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { type LineSink, LineSplitter } from '../../src/transcript/lines.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';

const BLOCK = 4096;

const line = (id: string, parentId: string | null, role: string, content: object[]) =>
  `${JSON.stringify({ type: 'message', id, parentId, message: { role, content, toolCallId: 'c1' } })}\n`;
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}\n';
const CALL = line('b', 'a', 'assistant', [{ type: 'toolCall', id: 'c1', name: 'read', arguments: { x: 1 } }]);
const RESULT = line('c', 'b', 'toolResult', [{ type: 'text', text: 'four' }]);

function build(text: string): Transcript {
  const bytes = Buffer.from(text);
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  // In pieces, as a file is read.
  for (let at = 0; at < bytes.length; at += 10_000) splitter.push(bytes.subarray(at, at + 10_000));
  splitter.finish();
  return builder.finish(bytes.length);
}

test.each([
  ['of nothing', '\n'],
  ['of a carriage return', '\r\n'],
  ['of spaces', '  \n'],
  ['that differ', '\n \n'],
  ['that differ, with carriage returns', ' \n\r\n\t\r\r\n'],
])('blank lines %s between others', (_, blank) => {
  const run = blank.repeat(3 * BLOCK + 7);
  const text = `${HEADER}${run}${line('a', null, 'user', [{ type: 'text', text: 'hi' }])}${run}${CALL}${run}${RESULT}${run}`;
  const transcript = build(text);
  const lines = text.split('\n').slice(0, -1);
  expect(transcript.length).toBe(lines.length);
  let start = 0;
  const wrong: number[] = [];
  // Not in order: what was asked for before must not tell.
  for (const [at, content] of lines.entries()) {
    const own = content.replace(/\r$/, '');
    const far = (at * 7919) % lines.length;
    if (transcript.startOf(far) > transcript.endOf(far)) wrong.push(far);
    if (transcript.startOf(at) !== start || transcript.endOf(at) !== start + own.length) wrong.push(at);
    if ((transcript.kindOf(at) === 'blank') !== (own.trim() === '')) wrong.push(at);
    if (own.trim() === '') {
      const isPlain =
        transcript.typeOf(at) === '' &&
        transcript.roleOf(at) === 'none' &&
        transcript.idOf(at) === undefined &&
        transcript.parentOf(at) === -1 &&
        transcript.flagsOf(at) === 0 &&
        transcript.callCountOf(at) === 0 &&
        transcript.usageTokensOf(at) === 0;
      if (!isPlain) wrong.push(at);
    }
    start += content.length + 1;
  }
  expect(wrong).toEqual([]);
  const [a, b, c] = ['a', 'b', 'c'].map((id) => transcript.indexOf(id)!);
  expect([transcript.parentOf(b!), transcript.parentOf(c!)]).toEqual([a, b]);
  expect(transcript.callCountOf(b!)).toBe(1);
});

test.each([
  ['nothing', '\n', ''],
  ['a carriage return', '\r\n', ''],
  ['spaces', '  \n', '  '],
  ['what differs', ' \n\r\n', ' '],
])('a million of them of %s are found together, and looked at together', (_, blank, content) => {
  const text = Buffer.from(`${HEADER}${blank.repeat(1_000_000 / blank.match(/\n/g)!.length)}${CALL}`);
  const builder = new TranscriptBuilder();
  let calls = 0;
  const counted: LineSink = {
    line: (...given) => {
      calls++;
      builder.line(...given);
    },
    blanks: (...given) => {
      calls++;
      builder.blanks(...given);
    },
    oversize: (...given) => builder.oversize(...given),
  };
  const splitter = new LineSplitter(counted);
  for (let at = 0; at < text.length; at += 65_536) splitter.push(text.subarray(at, at + 65_536));
  splitter.finish();
  const transcript = builder.finish(text.length);
  expect(transcript.length).toBe(1_000_002);
  expect(transcript.startOf(1_000_001)).toBe(text.length - CALL.length);
  expect(transcript.endOf(777_777) - transcript.startOf(777_777)).toBe(content.length);
  expect(calls).toBeLessThan(4 * Math.ceil(text.length / 65_536));
  let looked = 0;
  for (let at = transcript.behindBlanks(0); at < transcript.length; at = transcript.behindBlanks(at + 1))
    looked++;
  expect(looked).toBeLessThan(3 * BLOCK);
});

test.each([3, 999, 1001, 3 * BLOCK])('%d before the first line', (count) => {
  const text = `${'\n'.repeat(count)}${HEADER}${line('a', null, 'user', [{ type: 'text', text: 'hi' }])}`;
  const transcript = build(text);
  expect([transcript.length, transcript.dialect]).toEqual([count + 2, 'openclaw']);
  expect(transcript.startOf(count)).toBe(count);
  expect(transcript.kindOf(count - 1)).toBe('blank');
  expect(transcript.indexOf('a')).toBe(count + 1);
});

test('millions of them cost less than a byte each', LONG, () => {
  const builder = new TranscriptBuilder('openclaw');
  const empty = Buffer.alloc(1);
  const held = () => process.memoryUsage().arrayBuffers;
  const before = held();
  for (let at = 0; at < 4_000_000; at++) builder.line(empty, 0, 0, at, true);
  expect(held() - before).toBeLessThan(4_000_000);
  expect(builder.finish(4_000_000).length).toBe(4_000_000);
});

test.each([
  ['are alike', () => ' \n'],
  ['repeat', (at: number) => (at % 2 === 0 ? ' \n' : '\r\n')],
  ['are in no order', (at: number) => `${' '.repeat((at * at) % 7)}${at % 3 === 0 ? '\r' : ''}\n`],
])('what is held of 300,000 that %s is less than three bytes each', (_, lineAt) => {
  const run = Buffer.from(Array.from({ length: 300_000 }, (_, at) => lineAt(at)).join(''));
  const held = () => process.memoryUsage().arrayBuffers;
  const builder = new TranscriptBuilder('openclaw');
  const splitter = new LineSplitter(builder);
  splitter.push(Buffer.from(HEADER));
  const before = held();
  for (let at = 0; at < run.length; at += 65_536) splitter.push(run.subarray(at, at + 65_536));
  expect(held() - before).toBeLessThan(900_000 + 2 * 2 ** 20);
  splitter.finish();
  expect(builder.finish(HEADER.length + run.length).length).toBe(300_001);
});

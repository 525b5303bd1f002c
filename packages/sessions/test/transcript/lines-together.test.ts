/** Lines that are skimmed together give what each gives alone, whatever is among them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { type LineSink, LineSplitter } from '../../src/transcript/lines.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';

const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}\n';

function build(bytes: Buffer, chunk: number, sinkOf: (builder: TranscriptBuilder) => LineSink): Transcript {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(sinkOf(builder));
  for (let at = 0; at < bytes.length; at += chunk) splitter.push(bytes.subarray(at, at + chunk));
  splitter.finish();
  return builder.finish(bytes.length);
}

const alone = (builder: TranscriptBuilder): LineSink => ({
  line: (...given) => builder.line(...given),
  oversize: (...given) => builder.oversize(...given),
});

function describe(transcript: Transcript) {
  const { problems, terminated, header, dialect, length } = transcript;
  const parents = Array.from({ length }, (_, index) => transcript.parentOf(index));
  return { entries: [...transcript.entries()], parents, problems, terminated, header, dialect };
}

function expectSame(bytes: Buffer, chunk: number): void {
  const together = build(bytes, chunk, (builder) => builder);
  expect(describe(together)).toEqual(describe(build(bytes, chunk, alone)));
}

const message = (id: string, text: string) =>
  JSON.stringify({ type: 'message', id, parentId: null, message: { role: 'user', content: text } });

const ODD_LINES = [
  '',
  '  ',
  '{"type":"message","id":"torn',
  'no JSON',
  '[1]',
  '{"type":"message","id":"a"} \t',
  ' {"type":"message","id":"b"}  ',
  '{"type":"message","id":"c"}{"type":"message","id":"d"}',
  '{"type":"message","id":"e","id":"f"}',
  '{"type":"message","\\u0069d":"g"}',
  `{"type":"message","id":"h","x":"\u2028\u00e9\u{1f600}"}`,
  `{"type":"custom","id":"i","data":${'['.repeat(300)}${']'.repeat(300)}}`,
  message('j', 'x'.repeat(300_000)),
  // More than there is room for what is found in it.
  JSON.stringify({
    type: 'message',
    id: 'k',
    message: {
      role: 'assistant',
      content: Array.from({ length: 3000 }, (_, n) => ({
        type: 'toolCall',
        id: `k${n}`,
        name: 'read',
        arguments: {},
      })),
    },
  }),
];

test('odd lines among plain ones', HUNT, () => {
  const plain = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.string({ maxLength: 40 }));
  const line = fc.oneof(
    { arbitrary: plain.map(([id, text]) => message(`m${id}`, text)), weight: 6 },
    { arbitrary: fc.constantFrom(...ODD_LINES), weight: 1 },
  );
  const ended = fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n'), fc.integer({ min: 1, max: 40 }));
  const file = fc.array(ended, { maxLength: 30 });
  const chunk = fc.constantFrom(1000, 65_536, 262_143, 262_144, 1_000_000);
  fc.assert(
    fc.property(file, chunk, fc.constantFrom('', '\ufeff'), fc.boolean(), (lines, size, mark, isCut) => {
      const text = lines.map(([content, end, times]) => {
        const count = content.length > 10_000 ? 1 : times;
        return `${content}${end}`.repeat(count);
      });
      const all = `${mark}${HEADER}${text.join('')}`;
      expectSame(Buffer.from(isCut ? all.slice(0, -1) : all), size);
    }),
    cases({ gate: 60, torture: 2000 }),
  );
});

test('more lines than are skimmed at once', () => {
  const lines = Array.from({ length: 5000 }, (_, n) => message(`m${n}`, 'x'.repeat(n % 97)));
  expectSame(Buffer.from(`${HEADER}${lines.join('\n')}\n`), 1_000_000);
});

test.each([
  ['escaped letters', '\\u0041'],
  ['escaped quotes', '\\"'],
  ['letters beyond ASCII', '\u00e9'],
])('ids of %s that are longer than the memory they are held in', (_, unit) => {
  for (const times of [100, 1000, 3000, 10_000]) {
    const lines = Array.from(
      { length: 24 },
      (_, n) => `{"type":"message","id":"${unit.repeat(times)}${n}","parentId":null}`,
    );
    expectSame(Buffer.from(`${HEADER}${lines.join('\n')}\n`), 1_000_000);
  }
});

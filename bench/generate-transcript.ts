/**
 * A transcript as an OpenClaw agent writes it: turns of a person's text, tool calls and their results, mostly
 * results. The text of the results is what tools really return (source code, listings, logs, prose, some JSON),
 * because how often a quote or a line end must be escaped decides what parsing costs.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

export interface GeneratedTranscript {
  lines: number;
  bytes: number;
}

/** A small deterministic generator (mulberry32), so that every run measures the same file. */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const WORDS =
  'session index result entry lock path value store reader window parent branch token cache model channel message record update handle state'.split(
    ' ',
  );

export function textMaker(random: () => number, nonAscii: boolean): (length: number) => string {
  const word = () => WORDS[Math.floor(random() * WORDS.length)]!;
  const number = () => Math.floor(random() * 10_000);
  const source = () =>
    random() < 0.15
      ? `  const ${word()} = ${word()}.get('${word()}') ?? '${word()}';\n`
      : random() < 0.3
        ? `    ${word()}.${word()}(${word()}, ${number()});\n`
        : `    if (${word()} === undefined) return ${word()}.${word()}(${word()} + ${number()});\n`;
  const listing = () =>
    `-rw-r--r-- 1 user user ${number()} Nov 15 18:${number() % 60} src/${word()}/${word()}.ts\n`;
  const log = () =>
    nonAscii && random() < 0.05
      ? ` ✓ ${word()} ${word()} — ${number()} ms\n`
      : `[2026-11-15T18:15:${number() % 60}.${number() % 1000}Z] INFO ${word()} ${word()} took ${number()}ms\n`;
  const prose = () => `${Array.from({ length: 14 }, word).join(' ')}.\n`;
  const json = () => `  "${word()}": { "${word()}": ${number()}, "${word()}": "${word()}" },\n`;
  const kinds = [source, source, source, source, source, listing, listing, log, log, log, prose, prose, json];
  return (length) => {
    const make = kinds[Math.floor(random() * kinds.length)]!;
    let text = '';
    while (text.length < length) text += make();
    return text;
  };
}

export async function generateTranscript(
  path: string,
  targetBytes: number,
  options: { nonAscii?: boolean; seed?: number } = {},
): Promise<GeneratedTranscript> {
  const random = seeded(options.seed ?? 1);
  const text = textMaker(random, options.nonAscii ?? true);
  const out = createWriteStream(path);
  const hex = () =>
    Math.floor(random() * 0x100000000)
      .toString(16)
      .padStart(8, '0');
  let bytes = 0;
  let lines = 0;
  let parentId: string | null = null;
  let pending: string[] = [];
  let pendingSize = 0;

  async function flush(): Promise<void> {
    const chunk = pending.join('');
    bytes += Buffer.byteLength(chunk);
    pending = [];
    pendingSize = 0;
    if (!out.write(chunk)) await once(out, 'drain');
  }
  async function write(line: object): Promise<void> {
    const json = `${JSON.stringify(line)}\n`;
    pending.push(json);
    pendingSize += json.length;
    lines++;
    if (pendingSize > 1 << 20) await flush();
  }
  async function message(body: object): Promise<void> {
    const id = hex();
    await write({ type: 'message', id, parentId, timestamp: '2026-11-15T18:15:19.520Z', message: body });
    parentId = id;
  }
  const usage = (input: number) => ({
    input,
    output: 80,
    cacheRead: 300,
    cacheWrite: 100,
    totalTokens: input + 480,
    cost: { input: 0.0036, output: 0.0012, cacheRead: 0.00009, cacheWrite: 0.000375, total: 0.005265 },
  });
  const assistant = (content: object[], stopReason: string) => ({
    role: 'assistant',
    content,
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    usage: usage(1200 + lines),
    stopReason,
    timestamp: 1794762936013,
  });

  await write({
    type: 'session',
    version: 3,
    id: '5ae5f53e-1a33-4851-aa5f-78e1df28e50b',
    timestamp: '2026-11-15T18:15:19.520Z',
    cwd: '/home/user/work',
  });
  while (bytes + pendingSize < targetBytes) {
    await message({
      role: 'user',
      content: [{ type: 'text', text: text(160) }],
      timestamp: 1794762936013,
    });
    const rounds = 4 + Math.floor(random() * 8);
    for (let round = 0; round < rounds; round++) {
      const callId = `call_${hex()}${hex()}`;
      await message(
        assistant(
          [
            {
              type: 'toolCall',
              id: callId,
              name: round % 3 === 0 ? 'exec' : 'read',
              arguments: { path: `src/${hex()}.ts` },
            },
          ],
          'toolUse',
        ),
      );
      // Results are long-tailed: many short, some long; the mean over all lines is about 3 KB.
      const length = random() < 0.8 ? 1500 + random() * 6000 : 12_000 + random() * 6000;
      await message({
        role: 'toolResult',
        toolCallId: callId,
        toolName: round % 3 === 0 ? 'exec' : 'read',
        content: [{ type: 'text', text: text(length) }],
        isError: false,
        timestamp: 1794762936013,
      });
    }
    await message(assistant([{ type: 'text', text: text(400) }], 'stop'));
  }
  await flush();
  out.end();
  await once(out, 'finish');
  return { lines, bytes };
}

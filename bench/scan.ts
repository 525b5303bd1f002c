import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scanTranscriptFile } from '@openbot/sessions';
import { generateTranscript } from './generate-transcript.ts';
import { type BenchRow, fastest } from './measure.ts';

const ROUNDS = 9;

async function parseEveryLine(path: string): Promise<unknown[]> {
  const text = await readFile(path, 'utf8');
  const entries: unknown[] = [];
  for (const line of text.split('\n')) if (line !== '') entries.push(JSON.parse(line));
  return entries;
}

async function compare(folder: string, nonAscii: boolean): Promise<BenchRow> {
  const path = join(folder, `${nonAscii}.jsonl`);
  const { lines } = await generateTranscript(path, 50_000_000, { nonAscii });
  const [ours, peer] = await fastest(
    ROUNDS,
    async () => {
      const { length } = await scanTranscriptFile(path);
      if (length !== lines) throw new Error(`read ${length} lines of ${lines}`);
    },
    () => parseEveryLine(path),
  );
  return {
    name: `scan 50 MB transcript${nonAscii ? '' : ', ASCII only'}`,
    ours: `${ours.toFixed(0)} ms`,
    peer: `readFile + split + JSON.parse ${peer.toFixed(0)} ms`,
    ratio: peer / ours,
    // Text in which every character is one byte is what JSON.parse is fastest at; no transcript of this size is.
    limit: nonAscii ? 2.5 : 1.5,
    better: 'higher',
  };
}

export default async function bench(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'openbot-bench-'));
  try {
    return [await compare(folder, true), await compare(folder, false)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

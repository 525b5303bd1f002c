import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateTranscript } from './generate-transcript.ts';
import type { BenchRow } from './measure.ts';

const CHILD = fileURLToPath(new URL('./children/scan.ts', import.meta.url));
const PROCESSES = 3;
const ROUNDS = 8;

async function run(way: 'ours' | 'peer', path: string, lines: number): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=openbot-source',
    CHILD,
    way,
    path,
    String(ROUNDS),
  ]);
  const result = JSON.parse(stdout) as { fastest: number; lines: number };
  if (result.lines !== lines) throw new Error(`${way} read ${result.lines} lines of ${lines}`);
  return result.fastest;
}

async function compare(folder: string, nonAscii: boolean): Promise<BenchRow> {
  const path = join(folder, `${nonAscii}.jsonl`);
  const { lines } = await generateTranscript(path, 50_000_000, { nonAscii });
  let ours = Number.POSITIVE_INFINITY;
  let peer = Number.POSITIVE_INFINITY;
  for (let i = 0; i < PROCESSES; i++) {
    ours = Math.min(ours, await run('ours', path, lines));
    peer = Math.min(peer, await run('peer', path, lines));
  }
  return {
    name: `scan a 50 MB transcript${nonAscii ? '' : ' of ASCII only'}`,
    ours: `${ours.toFixed(0)} ms`,
    peer: `readFile + split + JSON.parse ${peer.toFixed(0)} ms`,
    ratio: peer / ours,
    limit: 2.5,
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

/** What it costs to append to a long transcript, against one that has just begun. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeUserMessage } from '@openbot/sessions/transcript';
import type { TranscriptRef, Transcripts } from '../packages/openbot/src/transcripts/contract.ts';
import { openFileTranscripts } from '../packages/openbot/src/transcripts/files/file-transcripts.ts';
import { type BenchRow, percentile, timesOf } from './measure.ts';

const RUNS = 60;

export default async function bench(): Promise<BenchRow[]> {
  const stateDir = mkdtempSync(join(tmpdir(), 'openbot-bench-'));
  try {
    const short = await makeTranscript(stateDir, 1, 0);
    const middle = await makeTranscript(stateDir, 2, 7);
    const long = await makeTranscript(stateDir, 3, 50);
    const warm = openFileTranscripts(stateDir);
    const append = (transcripts: Transcripts, ref: TranscriptRef) =>
      transcripts.append(ref, [{ type: 'message', message: composeUserMessage('hello', 1) }]);
    for (const ref of [short, middle, long]) await append(warm, ref);

    const median = async (work: () => Promise<unknown>) => percentile(await timesOf(RUNS, work), 0.5);
    const row = (name: string, ours: number, peer: number): BenchRow => ({
      name,
      ours: `p50 ${ours.toFixed(2)} ms`,
      peer: `${peer.toFixed(2)} ms`,
      ratio: ours / peer,
      limit: 1.5,
      better: 'lower',
    });
    const empty = await median(() => append(warm, short));
    const cold = (ref: TranscriptRef) => median(() => append(openFileTranscripts(stateDir), ref));
    const emptyCold = await cold(short);
    return [
      row(
        'append to a transcript of 50 MB, against an empty one',
        await median(() => append(warm, long)),
        empty,
      ),
      row('the first append of a process to one of 50 MB, against an empty one', await cold(long), emptyCold),
      row(
        'the first append of a process to one of 7 MB, against an empty one',
        await cold(middle),
        emptyCold,
      ),
    ];
  } finally {
    rmSync(stateDir, { recursive: true });
  }
}

async function makeTranscript(stateDir: string, index: number, megabytes: number): Promise<TranscriptRef> {
  const sessionId = `0b0c6d1e-1111-4222-8333-44445555000${index}`;
  const sessionFile = `${sessionId}.jsonl`;
  const ref = { agentId: 'main', sessionKey: 'agent:main:main', sessionId, sessionFile, cwd: '/' };
  await openFileTranscripts(stateDir).append(ref, []);
  const path = join(stateDir, 'agents', 'main', 'sessions', sessionFile);
  let parentId: string | null = null;
  let lines = '';
  for (let n = 0; n < megabytes * 250; n++) {
    const id = n.toString(16).padStart(8, '0');
    const message = composeUserMessage('y'.repeat(4000), 1);
    lines += `${JSON.stringify({ type: 'message', id, parentId, timestamp: new Date(0).toISOString(), message })}\n`;
    parentId = id;
  }
  if (lines !== '') appendFileSync(path, lines);
  return ref;
}

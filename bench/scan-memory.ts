import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateTranscript } from './generate-transcript.ts';
import type { BenchRow } from './measure.ts';
import { peakMemoryOf } from './peak-memory.ts';

const MEGABYTE = 1024 * 1024;

export default async function bench(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'openbot-bench-'));
  try {
    const path = join(folder, 'large.jsonl');
    const { lines, bytes } = await generateTranscript(path, 500_000_000);
    const idle = await peakMemoryOf('');
    const scanning = await peakMemoryOf(
      `import { scanTranscriptFile } from '@openbot/sessions';
       const { length } = await scanTranscriptFile(${JSON.stringify(path)});
       if (length !== ${lines}) throw new Error('read ' + length + ' lines of ${lines}');`,
    );
    const above = (scanning - idle) / MEGABYTE;
    return [
      {
        name: `memory to scan a ${Math.round(bytes / 1e6)} MB transcript (${lines} lines), above an idle Node`,
        ours: `${above.toFixed(0)} MB`,
        peer: `limit 96 MB (idle Node ${(idle / MEGABYTE).toFixed(0)} MB)`,
        ratio: above / 96,
        limit: 1,
        better: 'lower',
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

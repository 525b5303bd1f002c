import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateTranscript } from './generate-transcript.ts';
import type { BenchRow } from './measure.ts';

const MEGABYTE = 1024 * 1024;

/** Peak memory of a process that does the given work with what is published, in bytes. */
async function peakOf(script: string): Promise<number> {
  const report = 'process.stdout.write(String(process.resourceUsage().maxRSS * 1024));';
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    `${script}\n${report}`,
  ]);
  return Number(stdout);
}

export default async function bench(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'openbot-bench-'));
  try {
    const path = join(folder, 'large.jsonl');
    const { lines, bytes } = await generateTranscript(path, 500_000_000);
    const idle = await peakOf('');
    const scanning = await peakOf(
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

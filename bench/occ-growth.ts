import { join } from 'node:path';
import { GENERATED_ID, generateTranscript } from './generate-transcript.ts';
import type { BenchRow } from './measure.ts';
import { bestOf, inTempFolder, MEGABYTE, OCC, peakOf, placeSession, runNode } from './occ-command.ts';

/** In millions of bytes. */
const SIZES = [5, 50, 250, 1000];
const ROUNDS = 3;
/** Peak memory in MB that an edit of a transcript of this size may hold. */
const MEMORY = new Map([
  [50, 100],
  [1000, 200],
]);

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const source = join(folder, 'source.jsonl');
    const stateDir = join(folder, 'state');
    const env = { HOME: folder };
    const edit = [OCC, 'edit', GENERATED_ID, '--strip-tools', '--state-dir', stateDir];
    const place = async () => void (await placeSession(stateDir, source, GENERATED_ID));
    const start = await bestOf(ROUNDS, () => runNode(['-e', '0']));
    const rows: BenchRow[] = [];
    const perMegabyte = new Map<number, number>();
    const figures: string[] = [];
    for (const size of SIZES) {
      await generateTranscript(source, size * 1_000_000, { mixed: true });
      const ms = await bestOf(ROUNDS, () => runNode(edit, { env }), place);
      perMegabyte.set(size, (ms - start) / size);
      figures.push(`${size} MB ${ms.toFixed(0)} ms`);
      const limit = MEMORY.get(size);
      if (limit === undefined) continue;
      await place();
      const peak = (await peakOf(edit, env)) / MEGABYTE;
      rows.push({
        name: `peak memory of occ edit --strip-tools of ${size} MB`,
        ours: `${peak.toFixed(0)} MB`,
        peer: `limit ${limit} MB`,
        ratio: peak / limit,
        limit: 1,
        better: 'lower',
      });
    }
    const [of50, of1000] = [perMegabyte.get(50)!, perMegabyte.get(1000)!];
    rows.push({
      name: `occ edit grows with the size of the transcript, start of Node apart (${figures.join(', ')})`,
      ours: `${of1000.toFixed(2)} ms a MB of 1 GB`,
      peer: `${of50.toFixed(2)} ms a MB of 50 MB`,
      ratio: of1000 / of50,
      limit: 1.5,
      better: 'lower',
    });
    return rows;
  });
}

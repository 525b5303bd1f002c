import { join } from 'node:path';
import { GENERATED_ID, generateTranscript } from './generate-transcript.ts';
import type { BenchRow } from './measure.ts';
import { bestOf, inTempFolder, MEGABYTE, OCC, peakOf, placeSession, runNode } from './occ-command.ts';

/** In millions of bytes. */
const SIZES = [5, 50, 250, 1000];
const ROUNDS = 3;
/** Peak memory in MB that a command may hold with a transcript of this size, in the order in which they are run. */
const MEMORY = new Map([
  [50, { edit: 100 }],
  [1000, { info: 200, edit: 200, restore: 350 }],
]);

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const source = join(folder, 'source.jsonl');
    const stateDir = join(folder, 'state');
    const env = { HOME: folder };
    const argsOf = (command: string) => [
      ...[OCC, command, GENERATED_ID, '--state-dir', stateDir],
      ...(command === 'edit' ? ['--strip-tools'] : []),
    ];
    const edit = argsOf('edit');
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
      await place();
      for (const [command, limit] of Object.entries(MEMORY.get(size) ?? {})) {
        const peak = (await peakOf(argsOf(command), env)) / MEGABYTE;
        rows.push({
          name: `peak memory of occ ${command} of ${size} MB`,
          ours: `${peak.toFixed(0)} MB`,
          peer: `limit ${limit} MB`,
          ratio: peak / limit,
          limit: 1,
          better: 'lower',
        });
      }
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

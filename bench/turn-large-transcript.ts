/** The overhead of a turn in a session with a large transcript, against one that has just begun. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateTranscript } from './generate-transcript.ts';
import { type BenchRow, percentile } from './measure.ts';
import { inTempFolder } from './occ-command.ts';
import { openBenchBot, placeTalkers, transcriptOf } from './turn-fixture.ts';

const BYTES = 50_000_000;
const [LARGE, EMPTY] = [0, 1];
const TURNS = 150;
const WARM_UP = 10;

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    await placeTalkers(folder, 2);
    const source = join(folder, 'source.jsonl');
    await generateTranscript(source, BYTES, { mixed: true });
    const bytes = await readFile(source);
    const header = async (person: number) => {
      const text = await readFile(transcriptOf(folder, person), 'utf8');
      return text.slice(0, text.indexOf('\n') + 1);
    };
    const lines = bytes.subarray(bytes.indexOf(0x0a) + 1);
    await writeFile(transcriptOf(folder, LARGE), Buffer.concat([Buffer.from(await header(LARGE)), lines]));
    await writeFile(transcriptOf(folder, EMPTY), await header(EMPTY));
    const { bot, ask } = await openBenchBot(folder);
    const times: [number[], number[]] = [[], []];
    for (let turn = 0; turn < WARM_UP + TURNS; turn++) {
      for (const person of [LARGE, EMPTY]) {
        const begun = performance.now();
        await ask(person);
        if (turn >= WARM_UP) times[person]!.push(performance.now() - begun);
        await bot.idle();
      }
    }
    await bot.close();
    const [large, empty] = times.map((all) =>
      percentile(
        all.toSorted((a, b) => a - b),
        0.5,
      ),
    ) as [number, number];
    return [
      {
        name: 'turn overhead with a transcript of 50 MB, against an empty one, p50',
        ours: `${large.toFixed(2)} ms`,
        peer: `${empty.toFixed(2)} ms`,
        ratio: large / empty,
        limit: 1.5,
        better: 'lower',
      },
    ];
  });
}

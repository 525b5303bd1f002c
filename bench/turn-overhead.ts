/** From the acceptance of a message to its reply in the outbox, with a model that answers at once. */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { writeAtomic } from './bare-write.ts';
import { type BenchRow, percentile } from './measure.ts';
import { inTempFolder } from './occ-command.ts';
import { openBenchBot, placeTalkers, timeTurns } from './turn-fixture.ts';

const SESSIONS = 1000;
const TURNS = 300;
const WARM_UP = 30;

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    await placeTalkers(folder, SESSIONS);
    const { bot, ask } = await openBenchBot(folder);
    const disk = await openBareDisk(folder);
    // The end of the turn and the sending are not part of the wait.
    const [ours = [], bare = []] = await timeTurns(
      bot,
      { warmUp: WARM_UP, count: TURNS },
      (turn) => ask((turn * 37) % SESSIONS),
      () => disk.write(),
    );
    await bot.close();
    await disk.close();
    const at = (times: readonly number[], share: number) =>
      percentile(
        times.toSorted((a, b) => a - b),
        share,
      );
    const row = (name: string, share: number, limitMs: number): BenchRow => ({
      name: `turn overhead with ${SESSIONS} sessions, ${name}`,
      ours: `${at(ours, share).toFixed(2)} ms`,
      peer: `a limit of ${limitMs} ms`,
      ratio: at(ours, share) / limitMs,
      limit: 1,
      better: 'lower',
    });
    return [
      { ...row('p50', 0.5, 8), details: `p95 ${at(ours, 0.95).toFixed(2)} ms` },
      row('p99', 0.99, 40),
      {
        name: `turn overhead with ${SESSIONS} sessions against its writes, p50`,
        ours: `${at(ours, 0.5).toFixed(2)} ms`,
        peer: `${at(bare, 0.5).toFixed(2)} ms for the same writes by themselves`,
        ratio: at(ours, 0.5) / at(bare, 0.5),
        limit: 2.5,
        better: 'lower',
        details: `p99 of the writes ${at(bare, 0.99).toFixed(2)} ms`,
      },
    ];
  });
}

/** What one turn waits for, without the turn: accept; begin beside the store; ask; answer; reply. */
export async function openBareDisk(
  folder: string,
): Promise<{ write(): Promise<void>; close(): Promise<void> }> {
  const store = await readFile(join(folder, 'agents', 'main', 'sessions', 'sessions.json'));
  const database = new DatabaseSync(join(folder, 'bare.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (text TEXT)');
  const insert = database.prepare('INSERT INTO row VALUES (?)');
  const transcript = await open(join(folder, 'bare.jsonl'), 'a');
  const text = 'x'.repeat(700);
  const append = async () => {
    await transcript.appendFile(`${text}\n`);
    await transcript.datasync();
  };
  return {
    write: async () => {
      insert.run(text);
      const stored = writeAtomic(join(folder, 'bare.json'), store);
      insert.run(text);
      await stored;
      await append();
      await append();
      insert.run(text);
    },
    close: async () => {
      database.close();
      await transcript.close();
    },
  };
}

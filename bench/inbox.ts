/** What it costs to keep a message, against what it cannot do without: one append that waits for the disk. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBotDatabase } from '../packages/openbot/src/database/bot-database.ts';
import { openSqliteInbox } from '../packages/openbot/src/inbox/sqlite/sqlite-inbox.ts';
import { arrival } from '../packages/openbot/test/inbox/arrival.ts';
import { type BenchRow, percentile, timesOf } from './measure.ts';

const RUNS = 1000;
const ACCEPTORS = 50;
const EACH = 40;

export default async function bench(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'openbot-bench-'));
  const database = await openBotDatabase(folder);
  const inbox = openSqliteInbox(database);
  const log = await open(join(folder, 'log'), 'a');
  try {
    let count = 0;
    const next = () => arrival(`m${count++}`, { ctx: { Body: 'x'.repeat(500) } });
    const line = Buffer.from(`${JSON.stringify(next())}\n`);
    const append = async () => {
      await log.write(line);
      await log.datasync();
    };
    const lone: number[] = [];
    const bare: number[] = [];
    for (let run = 0; run < RUNS; run += 50) {
      lone.push(...(await timesOf(50, () => inbox.accept(next()))));
      bare.push(...(await timesOf(50, append)));
    }
    const at = (times: readonly number[], share: number) =>
      percentile(
        times.toSorted((a, b) => a - b),
        share,
      );
    const describe = (times: readonly number[]) =>
      `p50 ${at(times, 0.5).toFixed(2)} ms, p99 ${at(times, 0.99).toFixed(2)} ms`;

    const [together] = await timesOf(1, () =>
      Promise.all(
        Array.from({ length: ACCEPTORS }, async () => {
          for (let n = 0; n < EACH; n++) await inbox.accept(next());
        }),
      ),
    );
    const perSecond = (ACCEPTORS * EACH * 1000) / together!;
    const bareSecond = 1000 / at(bare, 0.5);
    return [
      {
        name: 'a message is accepted, against an append and fdatasync of the same bytes',
        ours: describe(lone),
        peer: describe(bare),
        ratio: at(lone, 0.5) / at(bare, 0.5),
        limit: 4,
        better: 'lower',
      },
      {
        name: `${ACCEPTORS} callers accept at once, against appends in turn`,
        ours: `${perSecond.toFixed(0)} a second`,
        peer: `${bareSecond.toFixed(0)} a second`,
        ratio: perSecond / bareSecond,
        limit: 1,
        better: 'higher',
      },
    ];
  } finally {
    await log.close();
    await database.close();
    await rm(folder, { recursive: true });
  }
}

import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { HUNT, sample, tries } from '../../../../test/setup/hunt.ts';
import { makeLastingFolder } from '../setup/temp-folder.ts';
import { copyHome, furnish, homeIn, occ, talk } from './homes.ts';
import { inLanes } from './in-lanes.ts';
import { killAfter, killAtCall, listCalls, type Operation, prepare } from './kill-lab.ts';

const KILLS = tries({ gate: 1, torture: 150 });

const root = makeLastingFolder();
let scratches = 0;
const makeScratch = () => join(root, `s${++scratches}`);

const operations: Operation[] = [];
const points: { operation: Operation; at: number; strike: 'kill-before' | 'kill-half' | 'kill-after' }[] = [];

beforeAll(async () => {
  const edit = ['edit', '--strip-tools=extreme'];
  for (const source of ['openclaw', 'pi', 'claude'] as const) {
    const home = homeIn(makeScratch(), source);
    await furnish(home);
    operations.push(await prepare(`edit of ${source}`, home, edit, makeScratch()));
    if (source === 'pi') continue;
    operations.push(await prepare(`clone of ${source}`, home, ['clone', '--keep', '2'], makeScratch()));
    const edited = copyHome(home, makeScratch());
    await occ(edited, edit);
    talk(edited, 'after the third edit');
    operations.push(await prepare(`restore of ${source}`, edited, ['restore'], makeScratch()));
  }
  for (const operation of operations) {
    const calls = await listCalls(operation, makeScratch());
    for (const [index, call] of calls.entries()) {
      points.push({ operation, at: index + 1, strike: 'kill-before' });
      if (call.startsWith('write ')) points.push({ operation, at: index + 1, strike: 'kill-half' });
    }
    points.push({ operation, at: calls.length, strike: 'kill-after' });
  }
});

// Hundreds of processes: on a machine with other work to do they take their time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

test(
  'killed before, in the middle of and after every change that edit, clone and restore make on disk',
  HUNT,
  async () => {
    await inLanes(sample(points, { gate: 6 }), ({ operation, at, strike }) =>
      killAtCall(operation, at, strike, makeScratch()),
    );
    // Locks, the new file, the backup, the journal, the swap and the index are all among them.
    expect(points.length).toBeGreaterThan(100);
  },
);

test('killed at any time', HUNT, async () => {
  let kills = 0;
  // From the first write to the end of most runs, by an even spread instead of by chance.
  const tries = Array.from({ length: 3 * KILLS }, (_, index) => ({
    operation: operations[index % operations.length]!,
    delayMs: ((index * 7) % 40) / 2,
  }));
  await inLanes(tries, async ({ operation, delayMs }) => {
    if (kills >= KILLS) return;
    if (await killAfter(operation, delayMs, makeScratch())) kills++;
  });
  expect(kills).toBeGreaterThanOrEqual(KILLS);
});

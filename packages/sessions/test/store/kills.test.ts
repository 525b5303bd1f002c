import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HUNT, makeChance, tries } from '../../../../test/setup/hunt.ts';
import { openFileSessionStore } from '../../src/store/file-store.ts';
import { startChild } from '../setup/child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const countUp = new URL('./children/count-up.ts', import.meta.url);
const PROCESSES = 8;
const KILLS = tries({ gate: 12, torture: 200 });
const STEPS = ['', 'locked', '', 'half written', '', 'written', '', 'synced', '', 'renamed'];

test(
  'eight processes update while they are killed: no finished update is lost, nothing is left behind',
  HUNT,
  async () => {
    const root = makeTempFolder();
    const folder = join(root, 'sessions');
    mkdirSync(folder);
    const path = join(folder, 'sessions.json');
    const filler = Array.from({ length: 300 }, (_, n) => [
      `agent:main:filler${n}`,
      { sessionId: `f${n}`, text: 'x'.repeat(900) },
    ]);
    const slots = Array.from({ length: PROCESSES }, (_, n) => ({
      key: `agent:main:w${n}`,
      journal: join(root, `w${n}`),
      kills: 0,
    }));
    const counters = slots.map(({ key }) => [key, { sessionId: key, updatedAt: 0 }]);
    writeFileSync(path, JSON.stringify(Object.fromEntries([...filler, ...counters]), null, 2));

    const finished = (journal: string): number[] =>
      existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1).map(Number) : [];
    const counted = (key: string): number => JSON.parse(readFileSync(path, 'utf8'))[key].updatedAt;

    for (const { key, journal } of slots.slice(0, 1)) {
      expect(await startChild(countUp, [path, key, journal, '3']).ended).toBe(0);
      expect(finished(journal)).toEqual([1, 2, 3]);
    }

    let kills = 0;
    const chance = makeChance();
    await Promise.all(
      slots.map(async (slot, at) => {
        const { key, journal } = slot;
        for (let round = at; kills < KILLS; round++) {
          kills++;
          slot.kills++;
          const before = finished(journal).length;
          const updates = 1 + Math.floor(chance() * 3);
          // By turns at a moment that chance chooses, and in the middle of an update, at each step of it.
          const step = STEPS[round % STEPS.length]!;
          const child = startChild(countUp, [path, key, journal, 'Infinity', step, String(updates)]);
          if (step === '') {
            await child.printed(`finished ${updates}`);
            await sleep(chance() * 60);
            child.process.kill('SIGKILL');
          }
          // Null: it was killed, not ended by an error of its own.
          expect(await child.ended).toBeNull();
          const steps = finished(journal);
          expect(steps.length - before).toBeGreaterThanOrEqual(updates);
          expect(counted(key)).toBeGreaterThanOrEqual(steps.at(-1) ?? 0);
        }
      }),
    );

    const store = openFileSessionStore(path);
    await store.update('agent:main:last', () => ({ sessionId: 'last', updatedAt: 1 }));
    expect(readdirSync(folder)).toEqual(['sessions.json']);

    let total = 0;
    for (const { key, journal, kills } of slots) {
      const steps = finished(journal);
      total += steps.length;
      // Each finished update saw the one before it: never twice the same number, never a step back.
      expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b));
      const count = (await store.get(key))?.updatedAt ?? 0;
      expect(count).toBeGreaterThanOrEqual(steps.at(-1) ?? 0);
      // Who is killed has made at most one that it could not note.
      expect(count - steps.length).toBeLessThanOrEqual(kills);
    }
    expect(await store.list()).toHaveLength(filler.length + PROCESSES + 1);
    expect(total).toBeGreaterThanOrEqual(KILLS);
  },
);

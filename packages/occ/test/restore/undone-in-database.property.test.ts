/** Whatever an edit accepts in OpenClaw's database, a restore undoes byte for byte. */
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counted, HUNT } from '../../../../test/setup/hunt.ts';
import { arbitraryOddSession } from '../../../sessions/test/openclaw-db/setup/arbitrary-odd-session.ts';
import {
  arbitrarySession,
  arbitrarySessionOf,
} from '../../../sessions/test/openclaw-db/setup/arbitrary-session.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { spellJson } from '../clean/arbitraries/spell-json.ts';
import { makeHome } from '../session-db/database-home.ts';
import { changeDatabase, readAsFile, readLinesOf, readPathOf, readRowsOf } from '../session-db/look-into.ts';
import { talkIn } from '../session-db/talking-home.ts';
import { addOddities, oddities } from './odd-values.ts';
import { renumber } from './renumber.ts';

const runs = { ...counted({ gate: 4, torture: 100, seed: 11 }), endOnFailure: true };
const ID = '00000000-0000-4000-8000-000000000001';
const KEY = 'agent:main:main';

type Json = Record<string, unknown>;

/** Times that other programs write, and what JSON can hold for one. */
const ODD_TIMES = [
  1_794_767_000_000.25,
  1e300,
  -1e300,
  2 ** 60,
  -1,
  0,
  '',
  'soon',
  null,
  {},
  '+275760-09-13T00:00:00.000Z',
];
const oddTimes = fc.array(fc.tuple(fc.nat({ max: 60 }), fc.constantFrom<unknown>(...ODD_TIMES)), {
  maxLength: 12,
});

function withTimes(events: readonly object[], times: readonly (readonly [number, unknown])[]): object[] {
  const changed = events.map((event) => ({ ...event }) as Json);
  for (const [at, timestamp] of times) changed[at % changed.length]!.timestamp = timestamp;
  return changed;
}

const withoutKey = (event: Json) =>
  typeof event.message === 'object' && event.message !== null && !Array.isArray(event.message)
    ? { ...event, message: { ...event.message, idempotencyKey: undefined } }
    : event;

const odd = fc
  .tuple(arbitrarySessionOf(['turn', 'calls']), arbitraryOddSession)
  .map(([ordinary, events]) => [...ordinary, ...events.map((event) => withoutKey(event as Json))]);

interface Told {
  edited: number;
}

/** The active path by the places of its lines: those that come back may have other numbers. */
function readPath(path: string): number[] {
  const places = new Map(readLinesOf(path, ID).map(({ seq }, place) => [seq, place]));
  return readPathOf(path, ID).map((seq) => places.get(seq)!);
}

/** How an edit refuses what it does not understand. */
const REFUSAL = /cannot be changed: its structure is unknown|did not pass verification/;

async function undo(
  events: readonly (object | string)[],
  keep: number,
  truncate: number,
  told: Told,
  statements?: readonly string[],
): Promise<void> {
  const home = talkIn(
    makeHome([
      { key: KEY, sessionId: ID, events, compress: statements === undefined, createdAt: 1_794_767_348_365 },
    ]),
  );
  try {
    changeDatabase(home.path, 'PRAGMA foreign_keys = OFF', ...(statements ?? []));
    const before = home.file();
    const path = readPath(home.path);
    const faults = findDatabaseFaults(home.path);
    const { code, stdout, stderr } = await home.occ(
      'edit',
      ID,
      `--keep=${keep}`,
      `--truncate=${truncate}`,
      '--json',
    );
    if (code !== 0) expect(stderr).toMatch(REFUSAL);
    if (code !== 0 || !JSON.parse(stdout).changed) {
      expect(home.file() === before).toBe(true);
      return;
    }
    told.edited++;
    const cleaned = home.file();
    const done = await home.json('restore', ID);
    expect(home.file() === before).toBe(true);
    expect(readPath(home.path)).toEqual(path);
    expect(done.linesKept).toBe(0);
    expect(findDatabaseFaults(home.path)).toEqual(faults);
    await home.json('restore', ID);
    expect(readAsFile(home.path, ID)).toBe(cleaned);
    expect(Object.keys(readRowsOf(home.path, ID, KEY)).length).toBeGreaterThan(0);
  } finally {
    rmSync(home.folder, { recursive: true });
  }
}

test.each([
  ['as OpenClaw writes them', arbitrarySession as fc.Arbitrary<object[]>],
  ['that no program should write', odd as fc.Arbitrary<object[]>],
])('sessions %s, at any time', HUNT, async (_, sessions) => {
  const told = { edited: 0 };
  await fc.assert(
    fc.asyncProperty(
      sessions,
      oddTimes,
      fc.constantFrom(0, 0, 1, 2),
      fc.constantFrom(0, 50, 100),
      (events, times, keep, truncate) => undo(withTimes(events, times), keep, truncate, told),
    ),
    runs,
  );
  expect(told.edited).toBeGreaterThan(runs.numRuns / 8);
});

const MAX = Number.MAX_SAFE_INTEGER;

/** How the lines are numbered. */
const numberings = fc.oneof(
  fc.constant([]),
  fc.constantFrom(renumber(0, 0, '- 1'), renumber(0, 0, `- ${MAX}`), renumber(0, MAX, `+ ${MAX} - 2000`)),
  fc
    .tuple(fc.nat({ max: 60 }), fc.constantFrom(1000, 1e6, 2 ** 31, 2 ** 40))
    .map(([from, by]) => renumber(from, MAX, `+ ${by}`)),
  fc
    .tuple(fc.nat({ max: 60 }), fc.constantFrom(1000, 1e6, 2 ** 40))
    .map(([to, by]) => renumber(0, to, `- ${by}`)),
);

test('sessions with strange ids, values and numbers', HUNT, async () => {
  const told = { edited: 0 };
  await fc.assert(
    fc.asyncProperty(
      arbitrarySession as fc.Arbitrary<Json[]>,
      oddities,
      numberings,
      fc.constantFrom(0, 0, 1, 2),
      fc.constantFrom(0, 50, 100),
      (events, odd, numbering, keep, truncate) =>
        undo(
          addOddities(events, odd, 'id').map((event) => spellJson(event)),
          keep,
          truncate,
          told,
          numbering,
        ),
    ),
    runs,
  );
  expect(told.edited).toBeGreaterThan(runs.numRuns / 10);
});

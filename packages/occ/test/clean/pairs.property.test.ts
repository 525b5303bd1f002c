import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { removalOptions } from './arbitraries/removal-options.ts';
import { cleanBytes } from './clean-bytes.ts';
import { DIALECTS, RUNS } from './dialects.ts';
import { expectClean } from './oracle/expect-clean.ts';
import { pairCalls } from './oracle/pair-calls.ts';
import { readLines } from './oracle/read-bytes.ts';
import type { OracleDialect, OracleLine } from './oracle/read-line.ts';
import { cutTurns, parentsOf, walkPath, walkTo } from './oracle/walk-path.ts';

/** Ids of calls without a result and of results without a call, each as often as it occurs. */
function unpaired(lines: readonly OracleLine[]): string[] {
  const calls = pairCalls(lines);
  const answered = calls.flatMap(({ results }) => results);
  const orphans = lines.flatMap((line) =>
    line.results.filter((_, order) => !answered.some((one) => one.line === line && one.order === order)),
  );
  return [
    ...calls.filter(({ results }) => results.length === 0).map(({ id }) => `call ${id}`),
    ...orphans.map((id) => `result ${id}`),
  ].sort();
}

/** What is left of a list when each of the others is taken out once. */
function without(list: readonly string[], others: readonly string[]): string[] {
  const rest = [...others];
  return list.filter((item) => {
    const at = rest.indexOf(item);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** The calls of each turn with tools; of one with commands of a person alone, none. */
const callsOf = (bytes: Buffer, dialect: OracleDialect) =>
  cutTurns(walkPath(readLines(bytes, dialect), dialect).lines)
    .filter(({ calls }) => calls > 0)
    .map(({ lines }) => lines.flatMap(({ calls }) => calls.map(({ id }) => id)));

describe.each(DIALECTS)('calls and results, $dialect', ({ dialect, transcripts }) => {
  test('none loses its other half on the active path', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const onPath = (file: Buffer) => unpaired(walkPath(readLines(file, dialect), dialect).lines);
        expect(without(onPath(cleanBytes(bytes, options).planned), onPath(bytes))).toEqual([]);
      }),
      RUNS,
    );
  });

  test('none loses its other half on any other branch', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { plan, planned } = cleanBytes(bytes, options);
        const before = readLines(bytes, dialect);
        const after = readLines(planned, dialect);
        const [parentsBefore, parentsAfter] = [parentsOf(before), parentsOf(after)];
        const kept = before.filter(({ index }) => !plan.isRemoved(index));
        const path = new Set(walkPath(before, dialect).lines);
        // Where an id comes round again on another branch, nobody can say which call a result before it is for.
        const ids = before.flatMap(({ calls }) => calls.map(({ id }) => id));
        const isTold = (name: string) => ids.filter((id) => name.endsWith(` ${id}`)).length === 1;
        for (const [position, line] of kept.entries()) {
          if (!line.inTree || path.has(line)) continue;
          const then = unpaired(walkTo(line, parentsBefore));
          const now = unpaired(walkTo(after[position]!, parentsAfter));
          expect([line.index, without(now, then).filter(isTold)]).toEqual([line.index, []]);
        }
        if (dialect === 'claude-code') expect(without(unpaired(after), unpaired(before))).toEqual([]);
      }),
      RUNS,
    );
  });

  test('the newest turns keep all their calls, older ones only what is in progress or tied', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { planned, lines } = cleanBytes(bytes, options);
        const before = callsOf(bytes, dialect);
        const after = callsOf(planned, dialect);
        const kept = options.keepTurnsWithTools === 0 ? [] : before.slice(-options.keepTurnsWithTools);
        expect(after.slice(after.length - kept.length)).toEqual(kept);
        const texts = lines.map((line) => line.before);
        const { calls, tied, unfinished } = expectClean(
          texts,
          dialect,
          options,
          lines.map((line) => line.after),
        );
        const mayStay = calls.filter((call) => tied.has(call) || unfinished.has(call)).map(({ id }) => id);
        const older = after.slice(0, after.length - kept.length).flat();
        expect(older.filter((id) => !mayStay.includes(id))).toEqual([]);
        if (options.keepTurnsWithTools === 0 && mayStay.length === 0) expect(after.flat()).toEqual([]);
      }),
      RUNS,
    );
  });
});

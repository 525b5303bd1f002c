import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { removalOptions } from './arbitraries/removal-options.ts';
import { ODD_MEMBERS } from './arbitraries/transcript-bytes.ts';
import { cleanBytes } from './clean-bytes.ts';
import { DIALECTS, RUNS } from './dialects.ts';
import { splitLines } from './oracle/read-bytes.ts';
import { parseObject } from './oracle/read-line.ts';

describe.each(DIALECTS)('bytes, $dialect', ({ dialect: _, transcripts }) => {
  test('a line that need not change is the same to the byte, broken lines included', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { lines, plan } = cleanBytes(bytes, options);
        expect(lines.map(({ before }) => before)).toEqual(splitLines(bytes));
        for (const [index, { before, after }] of lines.entries()) {
          const value = parseObject(before);
          if (value === undefined) expect(after).toBe(before);
          if (after === undefined || value === undefined) continue;
          const isSame = JSON.stringify(parseObject(after)) === JSON.stringify(value);
          if (isSame) expect(after).toBe(before);
          if (plan.editOf(index) === undefined) expect(after).toBe(before);
        }
        if (!plan.changes) expect(lines.every(({ before, after }) => before === after)).toBe(true);
      }),
      RUNS,
    );
  });

  test('in a line that changes, what is not understood keeps the way it was written', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        for (const { before, after } of cleanBytes(bytes, options).lines) {
          if (after === undefined) continue;
          for (const member of [...ODD_MEMBERS, '"bad":"\xff"']) {
            if (before.includes(member)) expect(after).toContain(member);
          }
        }
      }),
      RUNS,
    );
  });

  test('cleaning again changes nothing', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const once = cleanBytes(bytes, options);
        const twice = cleanBytes(once.bytes, options);
        expect(twice.bytes.toString()).toBe(once.bytes.toString());
        expect(twice.bytes.equals(once.bytes)).toBe(true);
        // Also where the first clean was not worth writing.
        const again = cleanBytes(once.planned, options);
        expect(again.planned.toString()).toBe(once.planned.toString());
        expect(again.plan.changes).toBe(false);
      }),
      RUNS,
    );
  });

  test('a clean never makes a transcript larger', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const cleaned = cleanBytes(bytes, options);
        expect(cleaned.bytes.length).toBeLessThanOrEqual(bytes.length);
        if (!cleaned.plan.changes) expect(cleaned.planned.equals(bytes)).toBe(true);
      }),
      RUNS,
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { removalOptions } from './arbitraries/removal-options.ts';
import { cleanBytes } from './clean-bytes.ts';
import { DIALECTS, RUNS } from './dialects.ts';
import { expectClean } from './oracle/expect-clean.ts';
import { expectLinks } from './oracle/expect-links.ts';
import { judgeLine } from './oracle/judge-line.ts';
import { parseObject } from './oracle/read-line.ts';

describe.each(DIALECTS)('the rules of cleaning, $dialect', ({ dialect, transcripts }) => {
  test('each line goes, stays or changes as the rules say', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { lines } = cleanBytes(bytes, options);
        const texts = lines.map(({ before }) => before);
        const clean = expectClean(
          texts,
          dialect,
          options,
          lines.map(({ after }) => after),
        );
        for (const [index, { before, after }] of lines.entries()) {
          const expected = clean.expected[index]!;
          expect([index, after === undefined]).toEqual([index, expected.isRemoved]);
          if (after === undefined) continue;
          if (expected.line.value === undefined) expect(after).toBe(before);
          else judgeLine(expected, expectLinks(clean, expected.line, dialect), parseObject(after)!, dialect);
        }
      }),
      RUNS,
    );
  });
});

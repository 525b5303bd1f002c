import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { removalOptions } from './arbitraries/removal-options.ts';
import { cleanBytes } from './clean-bytes.ts';
import { DIALECTS, RUNS } from './dialects.ts';
import { readLines } from './oracle/read-bytes.ts';
import type { OracleLine } from './oracle/read-line.ts';
import { walkPath } from './oracle/walk-path.ts';

/** All that was said, in order. Blanks say nothing: beside calls and results they may go with them. */
function wordsOf(lines: readonly OracleLine[]): string[] {
  return lines.flatMap(({ role, texts }) =>
    texts.filter((text) => text.trim() !== '').map((text) => `${role}: ${text}`),
  );
}

/** A person's words beside results are theirs also when the results are gone. */
const asSpoken = (words: readonly string[]) => words.map((text) => text.replace(/^toolResult: /, 'user: '));

describe.each(DIALECTS)('what was said, $dialect', ({ dialect, transcripts }) => {
  test('stays word for word, on the active path and off it', () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const before = readLines(bytes, dialect);
        const after = readLines(cleanBytes(bytes, options).planned, dialect);
        expect(asSpoken(wordsOf(after))).toEqual(asSpoken(wordsOf(before)));
        const path = (lines: OracleLine[]) => asSpoken(wordsOf(walkPath(lines, dialect).lines));
        expect(path(after)).toEqual(path(before));
      }),
      RUNS,
    );
  });

  test('thinking stays where no call went, and is gone where one did', () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { lines } = cleanBytes(bytes, options);
        const before = readLines(bytes, dialect);
        const after = lines.map((line, index) => ({ index, text: line.after }));
        const left = readLines(
          Buffer.from(after.map(({ text }) => text ?? '').join('\n'), 'latin1'),
          dialect,
        );
        const lost = new Set<unknown>();
        for (const line of before) {
          if ((left[line.index]?.calls.length ?? 0) < line.calls.length)
            lost.add(line.messageId ?? line.index);
        }
        for (const line of before) {
          // Of an entry that is there twice only the last line counts.
          if (before.findLast(({ id }) => id === line.id) !== line && line.id !== undefined) continue;
          const has = left[line.index]?.thinking ?? 0;
          const isLoser = lost.has(line.messageId ?? line.index);
          expect([line.index, has]).toEqual([line.index, isLoser ? 0 : line.thinking]);
        }
      }),
      RUNS,
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { BINDING_MODEL } from './arbitraries/models.ts';
import { removalOptions } from './arbitraries/removal-options.ts';
import { cleanBytes } from './clean-bytes.ts';
import { DIALECTS, RUNS } from './dialects.ts';
import { readLines } from './oracle/read-bytes.ts';
import { type OracleLine, readLine } from './oracle/read-line.ts';
import { neededMessages } from './oracle/tied-calls.ts';
import { cutTurns, walkPath } from './oracle/walk-path.ts';

/** All that was said, in order. Blanks say nothing: beside calls and results they may go with them. */
function wordsOf(lines: readonly OracleLine[]): string[] {
  return lines.flatMap(({ role, texts }) =>
    texts.filter((text) => text.trim() !== '').map((text) => `${role}: ${text}`),
  );
}

/** A person's words beside results are theirs also when the results are gone. */
const asSpoken = (words: readonly string[]) => words.map((text) => text.replace(/^toolResult: /, 'user: '));

describe.each(DIALECTS)('what was said, $dialect', ({ dialect, transcripts }) => {
  test('stays word for word, on the active path and off it', HUNT, () => {
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

  test(
    'thinking that is not bound stays in turns that are kept, and goes with the calls of others',
    HUNT,
    () => {
      fc.assert(
        fc.property(transcripts, removalOptions, ({ bytes }, options) => {
          const { lines } = cleanBytes(bytes, options);
          const before = readLines(bytes, dialect);
          const left = before.map(({ index }) => readLine(lines[index]!.after ?? '', index, dialect));
          const path = walkPath(before, dialect);
          if (bytes.includes(BINDING_MODEL)) return;
          const turns = cutTurns(path.lines);
          const withTools = turns.filter(({ calls }) => calls > 0);
          const kept = new Set(
            options.keepTurnsWithTools === 0 ? [] : withTools.slice(-options.keepTurnsWithTools),
          );
          // An edit may take out what a person said between two turns.
          const isEdited = before.some(({ value }) => value?.type === 'context_edit');
          const last = path.lines.findLast(({ role }) => role === 'assistant');
          const needed = neededMessages(before, path);
          const messageOf = (line: OracleLine | undefined) => line?.messageId ?? line?.index;
          for (const turn of turns) {
            const hasLost = turn.lines.some(({ index, calls }) => left[index]!.calls.length < calls.length);
            const withCalls = new Set(
              turn.lines.filter(({ index }) => left[index]!.calls.length > 0).map(messageOf),
            );
            const mayThink = (line: OracleLine) =>
              withCalls.has(messageOf(line)) ||
              needed.has(line.messageId!) ||
              line === path.leaf ||
              messageOf(line) === messageOf(last);
            for (const line of turn.lines) {
              const { thinking } = left[line.index]!;
              if (kept.has(turn) && !isEdited)
                expect([line.index, thinking]).toEqual([line.index, line.thinking]);
              else if (hasLost && !mayThink(line)) expect([line.index, thinking]).toEqual([line.index, 0]);
            }
          }
        }),
        RUNS,
      );
    },
  );
});

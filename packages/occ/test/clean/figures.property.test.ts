import { contextTokens } from '@openbot/sessions';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { removalOptions } from './arbitraries/removal-options.ts';
import { cleanBytes } from './clean-bytes.ts';
import { DIALECTS, RUNS } from './dialects.ts';
import { expectClean } from './oracle/expect-clean.ts';
import { same } from './oracle/judge-cut.ts';
import { readLines } from './oracle/read-bytes.ts';
import { blocksOf, isCall, isObject, type Json, type OracleLine, parseObject } from './oracle/read-line.ts';
import { walkPath } from './oracle/walk-path.ts';

function countMessages(path: readonly OracleLine[]): number {
  const messages = path.filter(({ isMessage }) => isMessage);
  return new Set(messages.map(({ messageId, index }) => messageId ?? index)).size;
}

const countCalls = (path: readonly OracleLine[]) => path.reduce((sum, { calls }) => sum + calls.length, 0);

/** A call of a line, with its arguments. */
function callIn(value: Json | undefined, order: number): unknown {
  const message = isObject(value?.message) ? value.message : value;
  return blocksOf(message?.content).filter(isCall)[order];
}

/** A result of a line, with its copies. */
function resultIn(value: Json | undefined, order: number): unknown {
  const message = isObject(value?.message) ? value.message : value;
  const results = blocksOf(message?.content).filter(({ type }) => type === 'tool_result');
  return results.length === 0 ? [message?.content, message?.details] : results[order];
}

/** Without the results of a provider's own tools. */
const countThinking = (lines: readonly OracleLine[]) =>
  lines.reduce((sum, { thinking, value }) => {
    const { content } = (value?.message ?? value ?? {}) as Json;
    const ofTools = blocksOf(content).filter(({ type }) => type === 'web_search_tool_result');
    return sum + Math.max(0, thinking - ofTools.length);
  }, 0);

const nameOf = ({ line, order }: { line: OracleLine; order: number }) => `${line.index} ${order}`;

/** Of a command that a person ran. */
function outputOf(value: Json | undefined): unknown {
  return isObject(value?.message) ? value.message.output : undefined;
}

function usageOf(value: Json | undefined): Json | undefined {
  const message = isObject(value?.message) ? value.message : value;
  return isObject(message?.usage) ? message.usage : undefined;
}

describe.each(DIALECTS)('figures, $dialect', ({ dialect, transcripts }) => {
  test('statistics agree with a count before and after', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { plan, planned, lines } = cleanBytes(bytes, options);
        const before = walkPath(readLines(bytes, dialect), dialect).lines;
        const after = walkPath(readLines(planned, dialect), dialect).lines;
        const texts = lines.map((line) => line.before);
        const onPath = new Set(before.map(({ id }) => id));
        const isBeside = ({ id }: OracleLine) => !onPath.has(id);
        const [all, allNow] = [readLines(bytes, dialect), readLines(planned, dialect)];
        const beside = countThinking(all.filter(isBeside)) - countThinking(allNow.filter(isBeside));
        const now = lines.map((line) => line.after);
        const { calls, turns, expected } = expectClean(texts, dialect, options, now);
        const afterOf = (line: OracleLine) => {
          const text = lines[line.index]!.after;
          return text === undefined ? undefined : parseObject(text);
        };
        const orderNow = (actions: readonly string[], order: number) =>
          order - actions.slice(0, order).filter((action) => action === 'remove').length;
        const isCallCut = ({ line, order }: { line: OracleLine; order: number }) => {
          const now = orderNow(expected[line.index]!.calls, order);
          return !same(callIn(line.value, order), callIn(afterOf(line), now));
        };
        const isResultCut = ({ line, order }: { line: OracleLine; order: number }) => {
          const now = orderNow(expected[line.index]!.results, order);
          return !same(resultIn(line.value, order), resultIn(afterOf(line), now));
        };
        // A copy beside the message counts for the first of several results, where none of them was cut.
        const isCopyCut = ({ line, order }: { line: OracleLine; order: number }) =>
          order === 0 &&
          !same(line.value?.toolUseResult, afterOf(line)?.toolUseResult) &&
          !line.results.some((_, other) => isResultCut({ line, order: other }));
        const truncated = calls.filter(
          (call) =>
            expected[call.line.index]!.calls[call.order] === 'truncate' &&
            (isCallCut(call) || call.results.some((result) => isResultCut(result) || isCopyCut(result))),
        ).length;
        const removed = countCalls(before) - countCalls(after);
        const answers = new Set(calls.flatMap(({ results }) => results.map(nameOf)));
        const orphans = before.flatMap((line) => line.results.map((_, order) => ({ line, order })));
        const orphansRemoved = orphans.filter(
          (result) =>
            !answers.has(nameOf(result)) && expected[result.line.index]!.results[result.order] === 'remove',
        ).length;
        expect(plan.statistics).toEqual({
          messagesOriginal: countMessages(before),
          messagesAfter: countMessages(after),
          toolCallsOriginal: countCalls(before),
          toolCallsRemoved: removed,
          orphanedResultsRemoved: orphansRemoved,
          toolOutputsTruncated: before.filter(
            (line) => line.role === 'bashExecution' && !same(outputOf(line.value), outputOf(afterOf(line))),
          ).length,
          toolCallsTruncated: truncated,
          thinkingRemoved: countThinking(before) - countThinking(after) + beside,
          // bound-thinking.test.ts
          thinkingUnbound: expect.any(Number),
          toolCallsPreserved: countCalls(before) - removed - truncated,
          turnsTotal: turns.total,
          turnsWithToolsTotal: turns.withTools,
          turnsWithToolsRemoved: turns.removed,
          turnsWithToolsTruncated: turns.truncated,
          turnsWithToolsPreserved: turns.withTools - turns.removed - turns.truncated,
        });
      }),
      RUNS,
    );
  });

  test('the context never grows, and stays as it is where nothing changes', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { plan, transcript } = cleanBytes(bytes, options);
        expect(plan.tokens.before).toBe(contextTokens(transcript).tokens);
        expect(plan.tokens.after).toBeLessThanOrEqual(plan.tokens.before);
        expect(plan.tokens.after).toBeGreaterThanOrEqual(0);
        if (!plan.changes) expect(plan.tokens.after).toBe(plan.tokens.before);
      }),
      RUNS,
    );
  });

  test('usage is lowered on one message alone, marked as ours, and keeps what it cost', HUNT, () => {
    fc.assert(
      fc.property(transcripts, removalOptions, ({ bytes }, options) => {
        const { lines, plan, planned } = cleanBytes(bytes, options);
        const changed: OracleLine[] = [];
        for (const line of readLines(bytes, dialect)) {
          const text = lines[line.index]!.after;
          const recorded = usageOf(line.value);
          const now = text === undefined ? undefined : usageOf(parseObject(text));
          if (recorded === undefined || now === undefined || same(recorded, now)) continue;
          changed.push(line);
          const { estimatedBy, ...figures } = now;
          expect(estimatedBy).toBe('openbot');
          expect(Object.keys(figures)).toEqual(Object.keys(recorded));
          expect(figures.cost).toEqual(recorded.cost);
          expect(figures.service_tier).toEqual(recorded.service_tier);
          expect(sumOf(figures)).toBeLessThan(sumOf(recorded));
        }
        expect(new Set(changed.map(({ messageId, index }) => messageId ?? index)).size).toBeLessThanOrEqual(
          1,
        );
        if (changed.length === 0) return;
        expect(plan.changes).toBe(true);
        const after = readLines(planned, dialect);
        // Of what a compaction left behind no agent reads the figures.
        if (after.some(({ value }) => value !== undefined && isCompaction(value))) return;
        const path = walkPath(after, dialect).lines;
        const takenOut = path
          .filter(({ value }) => value!.replacement === null)
          .map(({ value }) => value!.targetId);
        const last = path.findLast(
          ({ id, value }) => sumOf(usageOf(value)) > 0 && !isOutOfContext(value!) && !takenOut.includes(id),
        );
        expect(usageOf(last?.value)?.estimatedBy).toBe('openbot');
      }),
      RUNS,
    );
  });
});

function sumOf(usage: Json | undefined): number {
  if (usage === undefined) return 0;
  if (typeof usage.totalTokens === 'number') return usage.totalTokens;
  return [usage.input_tokens, usage.output_tokens].reduce<number>((sum, part) => sum + Number(part ?? 0), 0);
}

function isCompaction({ type, subtype }: Json): boolean {
  return type === 'compaction' || subtype === 'compact_boundary';
}

/** No model wrote it, or it failed: it is not what an agent looks at. */
function isOutOfContext(value: Json): boolean {
  const { model, stopReason } = isObject(value.message) ? value.message : value;
  return model === 'delivery-mirror' || stopReason === 'error' || stopReason === 'aborted';
}

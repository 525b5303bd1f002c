/** What ccusage 20.0.24 printed of the same files, field by field. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome } from '../setup/run-openbot.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures');

type Row = Record<string, unknown> & { modelBreakdowns: Record<string, unknown>[]; modelsUsed: string[] };
interface Output {
  readonly totals: Record<string, unknown>;
  readonly [list: string]: unknown;
}

const TOKENS = ['inputTokens', 'outputTokens', 'cacheCreationTokens', 'cacheReadTokens'];
const FIGURES = [...TOKENS, 'totalTokens', 'totalCost'];

function usage(folder: string, report: string, zone: string): Promise<Output> {
  const home = makeHome();
  home.env.CLAUDE_CONFIG_DIR = join(FIXTURES, folder);
  return home.json<Output>('usage', report, '--source', 'claude', '--timezone', zone);
}

function ccusage(file: string): Output {
  return JSON.parse(readFileSync(join(FIXTURES, 'ccusage', 'output', file), 'utf8')) as Output;
}

/** The same fields of both. Sums of fractions differ in their last digits. */
function pick(row: Record<string, unknown>, fields: readonly string[]): unknown[] {
  return fields.map((field) => {
    const value = row[field];
    return typeof value === 'number' ? Math.round(value * 1e9) / 1e9 : value;
  });
}

function compareRows(
  ours: Row[],
  theirs: Row[],
  name: (row: Row) => unknown,
  fields: readonly string[],
): void {
  expect(ours.map(name)).toEqual(theirs.map(name));
  for (const [at, row] of ours.entries()) {
    expect(pick(row, fields)).toEqual(pick(theirs[at]!, fields));
    expect(row.modelsUsed.toSorted()).toEqual(theirs[at]!.modelsUsed.toSorted());
    const models = (of: Row) =>
      of.modelBreakdowns.map((one) => pick(one, ['modelName', ...TOKENS, 'cost', 'missingPricing']));
    expect(models(row)).toEqual(models(theirs[at]!));
  }
}

describe.each([
  ['UTC', 'UTC'],
  ['America/New_York', 'New_York'],
])('of files with everything that is easily counted wrong, in %s', (zone, file) => {
  test.each(['daily', 'monthly'])('%s', async (report) => {
    const [ours, theirs] = [await usage('ccusage', report, zone), ccusage(`${report}-${file}.json`)];
    // The report of all programs calls both of them a period.
    const name = (row: Row) => row.period ?? row.date ?? row.month;
    compareRows(ours[report] as Row[], theirs[report] as Row[], name, FIGURES);
    expect(pick(ours.totals, [...FIGURES, 'unpricedModels'])).toEqual(
      pick(theirs.totals, [...FIGURES, 'unpricedModels']),
    );
  });
});

test('of the same files by session, but for what ccusage itself counts otherwise by day', async () => {
  const [ours, theirs] = [await usage('ccusage', 'session', 'UTC'), ccusage('session-UTC.json')];
  // By session it counts the replay of a side conversation again, and leaves out what a subagent reported.
  const isOdd = ({ sessionId }: Row) => String(sessionId).startsWith('cccc');
  const sorted = (rows: unknown) =>
    (rows as Row[])
      .filter((row) => !isOdd(row))
      .toSorted((a, b) => (String(a.sessionId) < String(b.sessionId) ? -1 : 1));
  compareRows(sorted(ours.sessions), sorted(theirs.sessions), ({ sessionId }) => sessionId, [
    ...FIGURES,
    'firstActivity',
    'lastActivity',
    'projectPath',
  ]);
  const [odd] = (ours.sessions as Row[]).filter(isOdd);
  expect(pick(odd!, TOKENS)).toEqual([509, 89, 50, 2100]);
});

test.each(['daily', 'monthly', 'session'])('of files of Claude Code itself: %s', async (report) => {
  const [ours, theirs] = [
    await usage('claude-code', report, 'UTC'),
    ccusage(`claude-code-${report}-UTC.json`),
  ];
  const list = report === 'session' ? 'sessions' : report;
  const name = (row: Row) => row.date ?? row.month ?? row.sessionId;
  const sorted = (rows: unknown) =>
    (rows as Row[]).toSorted((a, b) => (String(name(a)) < String(name(b)) ? -1 : 1));
  const more = report === 'session' ? ['firstActivity', 'lastActivity', 'projectPath'] : [];
  compareRows(sorted(ours[list]), sorted(theirs[list]), name, [...FIGURES, ...more]);
  expect(pick(ours.totals, [...FIGURES, 'unpricedModels'])).toEqual(
    pick(theirs.totals, [...FIGURES, 'unpricedModels']),
  );
});

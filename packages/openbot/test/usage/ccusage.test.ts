/** What ccusage 20.0.24 printed of the same files, field by field. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** With the prices that this version of ccusage has: it knows no model that came later. */
async function usage(folder: string, report: string, zone: string): Promise<Output> {
  const home = makeHome();
  home.env.CLAUDE_CONFIG_DIR = join(FIXTURES, folder);
  const table = await home.json<{ models: Record<string, unknown> }>('usage', '--prices');
  for (const name of Object.keys(table.models)) if (/-5-[1-9]$/.test(name)) delete table.models[name];
  mkdirSync(home.stateDir, { recursive: true });
  writeFileSync(join(home.stateDir, 'prices.json'), JSON.stringify(table));
  writeFileSync(join(home.stateDir, 'openbot.json'), '{"usage":{"prices":"prices.json"}}');
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

interface Line {
  readonly day: number;
  readonly model: string;
  /** Input, output, read from the cache. */
  readonly tokens: readonly [number, number, number];
  readonly of: object;
  readonly speed?: string;
}

/** Found by comparing both on generated files. The days that ccusage 20.0.24 printed: input, output, read from the cache. */
test.each<[string, Line[], Record<string, readonly number[]>]>([
  [
    'of lines of one request with equal sums the dearer one counts',
    [
      { day: 1, model: 'claude-sonnet-4-5', tokens: [10, 1, 4], of: { requestId: 'r' }, speed: 'standard' },
      { day: 2, model: 'claude-sonnet-4-5', tokens: [10, 5, 0], of: { requestId: 'r' } },
    ],
    { '2026-11-02': [10, 5, 0] },
  ],
  [
    'of lines with equal figures that of the dearer model',
    [
      { day: 2, model: 'claude-sonnet-4-5', tokens: [3, 5, 0], of: { requestId: 'r' } },
      { day: 1, model: 'claude-opus-4-5', tokens: [3, 5, 0], of: { requestId: 'r' } },
    ],
    { '2026-11-01': [3, 5, 0] },
  ],
  [
    'a message takes the place of the replay that its session had first',
    [
      {
        day: 1,
        model: 'm',
        tokens: [3, 2, 4],
        of: { sessionId: 'other', requestId: 'r', isSidechain: true },
      },
      { day: 2, model: 'm', tokens: [10, 2, 4], of: { sessionId: 'own', isSidechain: true } },
      { day: 2, model: 'm', tokens: [3, 1, 0], of: { sessionId: 'own', requestId: 'r', isSidechain: true } },
      { day: 3, model: 'm', tokens: [1, 2, 4], of: { sessionId: 'own' } },
    ],
    { '2026-11-01': [3, 2, 4], '2026-11-03': [1, 2, 4] },
  ],
])('%s', async (_, lines, expected) => {
  const home = makeHome();
  const folder = join(home.env.CLAUDE_CONFIG_DIR!, 'projects', '-w');
  mkdirSync(folder, { recursive: true });
  const text = lines.map(({ day, model, tokens: [input, output, read], of, speed }) => {
    const figures = { input_tokens: input, output_tokens: output, cache_read_input_tokens: read, speed };
    const message = { id: 'msg', model, usage: figures };
    return `${JSON.stringify({ timestamp: `2026-11-0${day}T10:00:00.000Z`, message, ...of })}\n`;
  });
  writeFileSync(join(folder, 'own.jsonl'), text.join(''));
  const { daily } = await home.json<Output>('usage', '--source', 'claude', '--timezone', 'UTC');
  const fields = ['inputTokens', 'outputTokens', 'cacheReadTokens'];
  expect(Object.fromEntries((daily as Row[]).map((row) => [row.date, pick(row, fields)]))).toEqual(expected);
});

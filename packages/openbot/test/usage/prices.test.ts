/** What a request costs by the built-in table and by a table of the person, in literals: dollars for a million tokens. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPiPrices } from '../../src/usage/prices/pi-prices.ts';
import { type Home, makeHome } from '../setup/run-openbot.ts';

interface Tokens {
  readonly input?: number;
  readonly output?: number;
  readonly read?: number;
  readonly short?: number;
  readonly long?: number;
}
interface Printed {
  readonly models: readonly { readonly modelName: string; readonly totalCost: number; costSource: string }[];
  readonly totals: { readonly unpricedModels: readonly string[]; readonly missingPricing?: true };
  readonly priceTable: { readonly date: string; readonly path?: string };
}

/** One answer of Claude Code for each. */
function place(home: Home, requests: readonly (readonly [model: string, tokens: Tokens])[]): void {
  const folder = join(home.env.CLAUDE_CONFIG_DIR!, 'projects', '-home-user-app');
  mkdirSync(folder, { recursive: true });
  const lines = requests.map(([model, { input = 0, output = 0, read = 0, short = 0, long = 0 }], at) => {
    const usage = {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: short + long,
      cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
    };
    const message = { id: `msg_${at}`, model, usage };
    const timestamp = '2026-11-15T10:00:00.000Z';
    return `${JSON.stringify({ type: 'assistant', timestamp, requestId: `req_${at}`, message })}\n`;
  });
  writeFileSync(join(folder, 'aaaa0001-0000-4000-8000-000000000001.jsonl'), lines.join(''));
}

const report = (home: Home) =>
  home.json<Printed>('usage', 'model', '--source', 'claude', '--timezone', 'UTC');

async function costOf(model: string, tokens: Tokens): Promise<number | undefined> {
  const home = makeHome();
  place(home, [[model, tokens]]);
  const { models, totals } = await report(home);
  return totals.missingPricing ? undefined : Math.round(models[0]!.totalCost * 1e6) / 1e6;
}

/** Few enough that a prompt is long for no model, and no sum is rounded. */
const K = 10_000;

describe('ten thousand tokens of a kind cost', () => {
  test.each([
    ['claude-opus-5-5', 0.04, 0.2, 0.002, 0.05, 0.08],
    ['claude-fable-5-1', 0.1, 0.5, 0.0025, 0.125, 0.2],
    ['claude-fable-5-2', 0.08, 0.4, 0.002, 0.1, 0.16],
    ['claude-sonnet-5-5', 0.02, 0.1, 0.001, 0.025, 0.04],
    ['claude-haiku-5-5', 0.001, 0.005, 0.0001, 0.00125, 0.002],
    ['claude-opus-4-7', 0.05, 0.25, 0.005, 0.0625, 0.1],
    ['claude-3-haiku-20240307', 0.0025, 0.0125, 0.0003, 0.003, 0.005],
  ])('of %s', async (model, input, output, read, short, long) => {
    const kinds = ['input', 'output', 'read', 'short', 'long'] as const;
    const costs: (number | undefined)[] = [];
    for (const kind of kinds) costs.push(await costOf(model, { [kind]: K }));
    expect(costs).toEqual([input, output, read, short, long].map((cost) => Math.round(cost * 1e6) / 1e6));
  });
});

test('the conversation of Claude Code with claude-opus-5-5 costs what its tokens cost', async () => {
  const home = makeHome();
  home.env.CLAUDE_CONFIG_DIR = join(import.meta.dirname, '../../../../fixtures/claude-code');
  const { models, totals } = await report(home);
  const opus = models.find(({ modelName }) => modelName === 'claude-opus-5-5');
  // 48,997 tokens of input, 2,075 of output, 9,300 from the cache.
  expect(opus?.totalCost).toBeCloseTo(0.239348, 9);
  expect(totals.unpricedModels).toEqual([]);
});

describe('a long prompt', () => {
  test.each([
    ['of 100,000 tokens costs as a short one', { input: 10_000, read: 90_000, output: K }, 0.0069],
    [
      'that is longer with its cache costs five times as much, all of it',
      { input: 20_000, read: 90_000, output: K },
      0.0395,
    ],
  ])('%s', async (_, tokens, cost) => {
    expect(await costOf('claude-haiku-5-5', tokens)).toBe(cost);
  });

  test('is counted apart from short ones of the same quarter of an hour', async () => {
    const home = makeHome();
    place(home, [
      ['claude-haiku-5-5', { input: 60_000 }],
      ['claude-haiku-5-5', { input: 60_000 }],
      ['claude-haiku-5-5', { input: 120_000 }],
    ]);
    const { models } = await report(home);
    expect(models[0]!.totalCost).toBeCloseTo(0.012 + 0.06, 9);
  });
});

describe('the same model', () => {
  test.each([
    ['claude-opus-5-5-20260915', 0.04],
    ['claude-opus-5-5@20260915', 0.04],
    ['claude-opus-5-5@default', 0.04],
    ['claude-opus-5-5[1m]', 0.04],
    ['claude-opus-5-5-latest', 0.04],
    ['anthropic/claude-opus-5.5', 0.04],
    ['global.anthropic.claude-opus-5-5-20260915-v1:0', 0.04],
    ['anthropic.claude-opus-5-5', 0.04],
    ['us.anthropic.claude-opus-5-5-20260915-v1:0[1m]', 0.044],
    ['arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-opus-5-5-v1:0', 0.044],
    ['apac.anthropic.claude-sonnet-4-20250514-v1:0', 0.03],
    ['claude-3-5-sonnet-v2@20241022', 0.03],
  ])('%s', async (model, cost) => {
    expect(await costOf(model, { input: K })).toBe(cost);
  });
});

test.each([
  'claude-opus-5-6',
  'claude-mythos-5-1',
  'us.anthropic.claude-mythos-5',
  'claude-opus-5-5:batch',
  'claude-opus-5-5-mini',
  'opus',
])('%s has no price, and none is guessed', async (model) => {
  const home = makeHome();
  place(home, [[model, { input: K }]]);
  expect((await report(home)).totals).toMatchObject({ missingPricing: true, unpricedModels: [model] });
  const { stdout } = await home.run(['usage', '--source', 'claude']);
  expect(stdout).toContain(`Unknown price: ${model}`);
});

describe('usage.prices', () => {
  const rates = { input: 1, output: 2, cacheRead: 3, cacheWrite5m: 4, cacheWrite1h: 5 };

  function configure(home: Home, text: string, prices = 'prices.json'): string {
    mkdirSync(home.stateDir, { recursive: true });
    const path = join(home.stateDir, 'prices.json');
    writeFileSync(path, text);
    writeFileSync(join(home.stateDir, 'openbot.json'), JSON.stringify({ usage: { prices } }));
    return path;
  }

  test('a table of the person takes the place of the built-in one', async () => {
    const home = makeHome();
    place(home, [
      ['claude-opus-5-5-20260915', { long: K }],
      ['claude-haiku-4-5', { input: K }],
    ]);
    const path = configure(
      home,
      JSON.stringify({ date: '2026-12-01', models: { 'claude-opus-5-5': rates } }),
    );
    const { models, totals, priceTable } = await report(home);
    expect(models[0]).toMatchObject({ totalCost: 0.05, costSource: 'table' });
    expect(totals.unpricedModels).toEqual(['claude-haiku-4-5']);
    expect(priceTable).toEqual({ date: '2026-12-01', path });
    const { stdout } = await home.run(['usage', '--source', 'claude']);
    expect(stdout.replaceAll('\n', ' ')).toContain(`Prices: ${path}, of 2026-12-01.`);
  });

  test('the example of docs/config.md can be used', async () => {
    const home = makeHome();
    place(home, [['claude-opus-5-5', { long: K }]]);
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/config.md'), 'utf8');
    const [, example = ''] = /\n## Prices\n.*?```json\n(.*?)```/s.exec(page) ?? [];
    configure(home, example);
    expect(await report(home)).toMatchObject({
      models: [{ totalCost: 0.08, costSource: 'table' }],
      priceTable: { date: '2026-11-30' },
    });
  });

  test('what --prices prints is the built-in table, and can be used', async () => {
    const home = makeHome();
    place(home, [['claude-haiku-5-5', { input: 120_000 }]]);
    const before = await report(home);
    expect(before.priceTable).toEqual({ date: '2026-11-10' });
    const { stdout } = await home.run(['usage', '--prices']);
    configure(home, stdout);
    expect((await report(home)).models).toEqual(
      before.models.map((model) => ({ ...model, costSource: 'table' })),
    );
    configure(home, JSON.stringify({ date: '2026-12-01', models: {} }));
    expect((await home.run(['usage', '--prices'])).stdout).toBe(stdout);
  });

  test('a file with a byte order mark is read', async () => {
    const home = makeHome();
    const path = configure(home, `\uFEFF${JSON.stringify({ date: '2026-12-01', models: {} })}`);
    expect((await report(home)).priceTable).toEqual({ date: '2026-12-01', path });
  });

  test('the price of models.providers wins over it', async () => {
    const home = makeHome();
    place(home, [['claude-opus-5-5', { input: K, long: K }]]);
    configure(home, JSON.stringify({ date: '2026-12-01', models: { 'claude-opus-5-5': rates } }));
    const models = [{ id: 'claude-opus-5-5', cost: { input: 7, cacheWrite1h: 9 } }];
    const config = { usage: { prices: 'prices.json' }, models: { providers: { anthropic: { models } } } };
    writeFileSync(join(home.stateDir, 'openbot.json'), JSON.stringify(config));
    expect((await report(home)).models).toMatchObject([{ totalCost: 0.16, costSource: 'config' }]);
  });

  const file = (models: object) => JSON.stringify({ date: '2026-12-01', models });
  test.each([
    ['not JSON', '{', /JSON/],
    ['without a date', '{"models":{}}', /date is missing: it must be a day such as 2026-11-30/],
    ['with a wrong date', '{"date":"soon","models":{}}', /date must be a day/],
    ['without a price', file({ m: { ...rates, cacheRead: undefined } }), /models\.m\.cacheRead is missing/],
    [
      'with a price as text',
      file({ m: { ...rates, input: '1' } }),
      /models\.m\.input must be a number of dollars/,
    ],
    [
      'with a price below zero',
      file({ m: { ...rates, input: -1 } }),
      /models\.m\.input must not be negative/,
    ],
    [
      'with an unknown field',
      file({ m: { ...rates, cacheWrite: 1 } }),
      /models\.m has the unknown cacheWrite/,
    ],
    [
      'with a tier that is not counted',
      file({ m: { ...rates, tiers: [{ ...rates, promptAbove: 150_000 }] } }),
      /promptAbove must be one of 32000, 100000/,
    ],
  ])('a file %s is said, and the built-in table is used', async (_, text, reason) => {
    const home = makeHome();
    place(home, [['claude-opus-5-5', { input: K }]]);
    const path = configure(home, text);
    const { code, stdout, stderr } = await home.run(['usage', '--source', 'claude']);
    expect(code).toBe(0);
    expect(stderr).toContain(`The prices of ${path} cannot be used: `);
    expect(stderr).toMatch(reason);
    expect(stdout).toContain('Prices: the built-in table of 2026-11-10.');
    // What the hint names works with that file too.
    expect(await home.json('usage', '--prices')).toMatchObject({ date: '2026-11-10' });
  });

  test('the table is named, and a fault of it said, where no request needs a price', async () => {
    const home = makeHome();
    const path = configure(home, JSON.stringify({ date: '2026-12-01', models: {} }));
    expect((await report(home)).priceTable).toEqual({ date: '2026-12-01', path });
    writeFileSync(path, '{');
    const { code, stderr } = await home.run(['usage', '--source', 'claude']);
    expect(code).toBe(0);
    expect(stderr).toContain(`The prices of ${path} cannot be used: `);
  });

  test('a file that is not there is said', async () => {
    const home = makeHome();
    place(home, [['claude-opus-5-5', { input: K }]]);
    configure(home, '{}', '~/none.json');
    const { stderr } = await home.run(['usage', '--source', 'claude']);
    expect(stderr).toContain(`${join(home.env.HOME!, 'none.json')} cannot be used: there is no such file`);
  });
});

test('the lists of pi 0.87 and of pi 1.x are read, with the tiers that can be counted', () => {
  const { folder } = makeHome();
  const data = join(folder, 'node_modules/@earendil-works/pi-ai/dist/providers/data');
  mkdirSync(data, { recursive: true });
  const cost = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
  const tiered = (inputTokensAbove: number) => ({
    cost: { ...cost, tiers: [{ ...cost, inputTokensAbove }] },
  });
  const models = {
    old: { cost },
    'chat:new': { cost },
    'chat:long': tiered(100_000),
    'chat:from': tiered(271_999),
    'chat:odd': tiered(150_000),
  };
  writeFileSync(join(data, 'some.json'), JSON.stringify({ 'some-api': models }));
  const find = openPiPrices(join(folder, 'program.js'));
  const rates = { input: 1, output: 2, cacheRead: 3, cacheWrite5m: 4, cacheWrite1h: 2 };
  expect(find('old', 'some')?.price).toEqual(rates);
  expect(find('new', 'some')).toEqual({ price: rates, source: 'pi' });
  expect(find('long', 'some')?.price.tiers).toEqual([{ ...rates, promptAbove: 100_000 }]);
  expect(find('from', 'some')?.price.tiers).toEqual([{ ...rates, promptAbove: 272_000 }]);
  expect(find('odd', 'some')).toBeUndefined();
});

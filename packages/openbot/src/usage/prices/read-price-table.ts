/** The file of `usage.prices`. Loaded where one is set. */
import { readFileSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import * as z from 'zod/mini';
import { PROMPT_EDGES, type PriceTable } from './price.ts';

const dollars = z.number('must be a number of dollars').check(z.gte(0, { error: 'must not be negative' }));
const factor = z.number('must be a number').check(z.gt(0, { error: 'must be above 0' }));
const rates = {
  input: dollars,
  output: dollars,
  cacheRead: dollars,
  cacheWrite5m: dollars,
  cacheWrite1h: dollars,
};
const edge = z.literal(PROMPT_EDGES, `must be one of ${PROMPT_EDGES.join(', ')}`);

const price = z.strictObject(
  {
    ...rates,
    above200k: z.optional(z.strictObject(rates, 'must be an object of prices')),
    tiers: z.optional(
      z.array(z.strictObject({ promptAbove: edge, ...rates }, 'must be an object of prices')),
    ),
    fast: z.optional(factor),
    regional: z.optional(factor),
  },
  'must be an object of prices',
);

const table = z.strictObject(
  {
    $schema: z.optional(z.string()),
    date: z
      .string('must be a day such as 2026-11-30')
      .check(z.regex(/^\d{4}-\d\d-\d\d$/, 'must be a day such as 2026-11-30')),
    source: z.optional(z.string('must be text')),
    models: z.record(z.string(), price, 'must be an object: prices by the name of the model'),
  },
  'must be an object with date and models',
);

/** @throws OpenBotError CONFIG_INVALID */
export function readPriceTable(path: string): PriceTable {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw refuse(path, isMissing ? 'there is no such file' : (cause as Error).message, cause);
  }
  const checked = table.safeParse(value, { reportInput: true });
  if (!checked.success) throw refuse(path, describe(checked.error.issues[0]!), checked.error);
  const models = Object.entries(checked.data.models).map(([name, listed]) => {
    const tiers = listed.tiers?.toSorted((a, b) => a.promptAbove - b.promptAbove);
    return [name, tiers === undefined ? listed : { ...listed, tiers }];
  });
  return { ...checked.data, models: Object.fromEntries(models) };
}

function describe(issue: z.core.$ZodIssue): string {
  const place = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return `${place || 'the file'} has the unknown ${issue.keys.join(', ')}`;
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  return `${place || 'it'} ${isMissing ? `is missing: it ${issue.message}` : issue.message}`;
}

function refuse(path: string, reason: string, cause: unknown): OpenBotError {
  return new OpenBotError('CONFIG_INVALID', `The prices of ${path} cannot be used: ${reason}`, {
    hint: '`openbot usage --prices` prints the built-in table, to begin with',
    cause,
  });
}

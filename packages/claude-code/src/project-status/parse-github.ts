import { shorten } from '@openbot/sessions/terminal-text';
import { hideSecrets } from '../scan/hide-secrets.ts';
import type { GithubStatus } from './project-status.ts';

const TITLE_LIMIT = 200;
const LISTED_PULL_REQUESTS = 30;
const LISTED_CHECKS = 50;
const FAILING = new Set(['fail', 'cancel']);

/** Undefined for anything but a list of pull requests. */
export function parsePullRequests(output: Buffer): GithubStatus['openPrs'] | undefined {
  return parseRows(output, ({ number, title, headRefName, state }) =>
    typeof number === 'number' && isText(title) && isText(headRefName) && isText(state)
      ? { number, title: shortenTitle(title), branch: hideSecrets(headRefName, TITLE_LIMIT), state }
      : undefined,
  )?.slice(0, LISTED_PULL_REQUESTS);
}

/** Those that failed or were cancelled; undefined for anything but a list of checks. */
export function parseChecks(output: Buffer): GithubStatus['failingChecks'] | undefined {
  return parseRows(output, ({ name, state, bucket }) =>
    isText(name) && isText(state) && isText(bucket) ? { name, state, bucket } : undefined,
  )
    ?.filter(({ bucket }) => FAILING.has(bucket))
    .slice(0, LISTED_CHECKS)
    .map(({ name, state }) => ({ name: shortenTitle(name), status: state }));
}

const shortenTitle = (title: string) => shorten(hideSecrets(title, TITLE_LIMIT), TITLE_LIMIT);
const isText = (value: unknown): value is string => typeof value === 'string';

function parseRows<Row>(
  output: Buffer,
  read: (row: Readonly<Record<string, unknown>>) => Row | undefined,
): Row[] | undefined {
  const rows = parseJson(output.toString('utf8'));
  if (!Array.isArray(rows)) return undefined;
  const parsed = rows.map((row: unknown) =>
    typeof row === 'object' && row !== null ? read(row as Readonly<Record<string, unknown>>) : undefined,
  );
  return parsed.every((row) => row !== undefined) ? parsed : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { shorten } from '@openbot/sessions/terminal-text';
import { hideSecrets } from '../scan/hide-secrets.ts';
import { type CommandSettings, ghCommand } from './commands.ts';
import type { GithubStatus, StatusGap } from './project-status.ts';
import { type CommandOutcome, describeOutcome, runCommand } from './run-command.ts';

const NOT_LOGGED_IN = 4;
/** Without a branch or a pull request there are no checks. */
const NO_PULL_REQUEST = /no pull requests found|no open pull requests|not on any branch|no checks reported/i;

export interface GithubReading {
  readonly github?: GithubStatus;
  readonly gaps: readonly StatusGap[];
}

/** Asks gh, which may be missing, logged out, offline, or print anything. */
export async function readGithub(settings: CommandSettings): Promise<GithubReading> {
  const list = ghCommand(settings, [
    'pr',
    'list',
    '--state=open',
    '--limit=30',
    '--json=number,title,headRefName,state',
  ]);
  const checks = ghCommand(settings, ['pr', 'checks', '--json=name,state,bucket']);
  const [listed, checked] = await Promise.all([runCommand(list), runCommand(checks)]);
  const openPrs = listed.kind === 'ended' && listed.code === 0 ? parsePullRequests(listed.output) : undefined;
  if (openPrs === undefined) return { gaps: [{ part: 'github', reason: whyNot(settings, listed) }] };
  const failing = readFailingChecks(checked);
  return {
    github: { openPrs, failingChecks: failing ?? [] },
    gaps: failing === undefined ? [{ part: 'checks', reason: whyNot(settings, checked) }] : [],
  };
}

/** The exit code reports the state of the checks, not of the command: the output counts. */
function readFailingChecks(outcome: CommandOutcome): GithubStatus['failingChecks'] | undefined {
  if (outcome.kind !== 'ended') return undefined;
  if (outcome.code !== 0 && NO_PULL_REQUEST.test(outcome.errors)) return [];
  return parseChecks(outcome.output);
}

function whyNot(settings: CommandSettings, outcome: CommandOutcome): string {
  if (outcome.kind === 'ended' && outcome.code === NOT_LOGGED_IN) return 'gh is not logged in';
  if (outcome.kind === 'ended' && outcome.code === 0) return 'gh printed something that is not understood';
  return describeOutcome({ program: 'gh', timeoutMs: settings.ghTimeoutMs }, outcome);
}

const TITLE_LIMIT = 200;
const LISTED_PULL_REQUESTS = 30;
const LISTED_CHECKS = 50;
const FAILING = new Set(['fail', 'cancel']);

/** Undefined if the output is no list of pull requests. */
function parsePullRequests(output: Buffer): GithubStatus['openPrs'] | undefined {
  return parseRows(output, ({ number, title, headRefName, state }) =>
    typeof number === 'number' && isText(title) && isText(headRefName) && isText(state)
      ? { number, title: shortenTitle(title), branch: hideSecrets(headRefName, TITLE_LIMIT), state }
      : undefined,
  )?.slice(0, LISTED_PULL_REQUESTS);
}

/** Failed and cancelled checks; undefined if the output is no list of checks. */
function parseChecks(output: Buffer): GithubStatus['failingChecks'] | undefined {
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

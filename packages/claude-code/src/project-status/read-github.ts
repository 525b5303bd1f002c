import { describeOutcome } from './describe-outcome.ts';
import { type CommandPlace, ghCommand } from './git-command.ts';
import { parseChecks, parsePullRequests } from './parse-github.ts';
import type { GithubStatus, StatusGap } from './project-status.ts';
import { type CommandOutcome, runCommand } from './run-command.ts';

const NOT_LOGGED_IN = 4;
/** A branch without a pull request, or no branch: nothing can fail there. */
const NO_PULL_REQUEST = /no pull requests found|no open pull requests|not on any branch|no checks reported/i;

export interface GithubReading {
  readonly github?: GithubStatus;
  readonly gaps: readonly StatusGap[];
}

/** Asks gh, which may be missing, logged out, without a network, or print anything. */
export async function readGithub(place: CommandPlace): Promise<GithubReading> {
  const list = ghCommand(place, [
    'pr',
    'list',
    '--state=open',
    '--limit=30',
    '--json=number,title,headRefName,state',
  ]);
  const checks = ghCommand(place, ['pr', 'checks', '--json=name,state,bucket']);
  const [listed, checked] = await Promise.all([runCommand(list), runCommand(checks)]);
  const openPrs = listed.kind === 'ended' && listed.code === 0 ? parsePullRequests(listed.output) : undefined;
  if (openPrs === undefined) return { gaps: [{ part: 'github', reason: whyNot(place, listed) }] };
  const failing = readFailingChecks(checked);
  return {
    github: { openPrs, failingChecks: failing ?? [] },
    gaps: failing === undefined ? [{ part: 'checks', reason: whyNot(place, checked) }] : [],
  };
}

/** The exit code tells the state of the checks, not of the command: what is printed counts. */
function readFailingChecks(outcome: CommandOutcome): GithubStatus['failingChecks'] | undefined {
  if (outcome.kind !== 'ended') return undefined;
  if (outcome.code !== 0 && NO_PULL_REQUEST.test(outcome.errors)) return [];
  return parseChecks(outcome.output);
}

function whyNot(place: CommandPlace, outcome: CommandOutcome): string {
  if (outcome.kind === 'ended' && outcome.code === NOT_LOGGED_IN) return 'gh is not logged in';
  if (outcome.kind === 'ended' && outcome.code === 0) return 'gh printed something that is not understood';
  return describeOutcome({ program: 'gh', timeoutMs: place.ghTimeoutMs }, outcome);
}

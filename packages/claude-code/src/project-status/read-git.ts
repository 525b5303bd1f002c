import { hideSecrets } from '../scan/hide-secrets.ts';
import { describeOutcome } from './describe-outcome.ts';
import { type CommandPlace, gitCommand } from './git-command.ts';
import { LOG_FORMAT, parseLog } from './parse-log.ts';
import type { CommitSummary, GitStatus, StatusGap } from './project-status.ts';
import { type Command, type CommandOutcome, runCommand } from './run-command.ts';
import { type ParsedStatus, StatusParser } from './status-parser.ts';

const LISTED_PATHS = 100;
const RECENT_COMMITS = 10;
/** Git takes no longer name. */
const NAME_LIMIT = 4096;
const NO_CHANGES = { staged: 0, modified: 0, untracked: 0, conflicted: 0 };

export const NO_GIT: GitStatus = {
  currentBranch: '',
  headCommitSha: '',
  headCommitMessage: '',
  uncommittedChanges: [],
  stagedChanges: [],
  changeCounts: NO_CHANGES,
  stashCount: 0,
  recentCommits: [],
};

/** An answer, or why there is none. */
type Answer<Value> = { readonly value: Value } | { readonly fault: string };

export interface GitReading {
  readonly git: GitStatus;
  /** Whether any question was answered: outside a repository none is. */
  readonly isAnswered: boolean;
  readonly gaps: readonly StatusGap[];
}

/** Asks git everything at once. What is not answered is a gap. */
export async function readGit(place: CommandPlace): Promise<GitReading> {
  const [status, branch, log, stashes] = await Promise.all([
    readStatus(place),
    readBranch(place),
    readCommits(place),
    countStashes(place),
  ]);
  const known = 'value' in status ? status.value : undefined;
  const commits = 'value' in log ? log.value : [];
  const currentBranch = 'value' in branch ? branch.value : hideSecrets(known?.branch ?? '', NAME_LIMIT);
  const gaps: StatusGap[] = [
    ...(currentBranch === '' && 'fault' in branch ? [{ part: 'branch' as const, reason: branch.fault }] : []),
    ...('fault' in status ? [{ part: 'changes' as const, reason: status.fault }] : []),
    ...('fault' in log ? [{ part: 'commits' as const, reason: log.fault }] : []),
    ...('fault' in stashes ? [{ part: 'stashes' as const, reason: stashes.fault }] : []),
  ];
  return {
    git: {
      currentBranch,
      headCommitSha: commits[0]?.sha ?? known?.headSha ?? '',
      headCommitMessage: commits[0]?.message ?? '',
      uncommittedChanges: known?.uncommitted ?? [],
      stagedChanges: known?.staged ?? [],
      changeCounts: known?.counts ?? NO_CHANGES,
      stashCount: 'value' in stashes ? stashes.value : 0,
      ...(known?.upstream === undefined
        ? {}
        : { upstream: { ...known.upstream, name: hideSecrets(known.upstream.name, NAME_LIMIT) } }),
      recentCommits: commits,
    },
    isAnswered: [status, log, stashes].some((answer) => 'value' in answer),
    gaps,
  };
}

async function readStatus(place: CommandPlace): Promise<Answer<ParsedStatus>> {
  const parser = new StatusParser(LISTED_PATHS);
  // Whether untracked files are looked for is the person's setting: in some repositories everything else is untracked.
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--find-renames'];
  const command = { ...gitCommand(place, args), onOutput: (chunk: Buffer) => parser.push(chunk) };
  return answer(command, await runCommand(command), () => parser.finish());
}

/** Apart from the status, which takes long in a large work tree. */
export async function readBranch(place: CommandPlace): Promise<Answer<string>> {
  const command = gitCommand(place, ['symbolic-ref', '--quiet', 'HEAD']);
  const outcome = await runCommand(command);
  const isDetached = outcome.kind === 'ended' && outcome.code === 1 && outcome.errors === '';
  if (isDetached) return { value: 'HEAD' };
  return answer(command, outcome, (output) => {
    const name = output
      .toString('utf8')
      .replace(/\n$/, '')
      .replace(/^refs\/heads\//, '');
    return hideSecrets(name, NAME_LIMIT);
  });
}

async function readCommits(place: CommandPlace): Promise<Answer<CommitSummary[]>> {
  const command = gitCommand(place, [
    'log',
    '-z',
    `--max-count=${RECENT_COMMITS}`,
    '--no-show-signature',
    '--no-patch',
    '--no-color',
    '--encoding=UTF-8',
    `--format=${LOG_FORMAT}`,
  ]);
  const outcome = await runCommand(command);
  const isUnborn = outcome.kind === 'ended' && /does not have any commits yet/.test(outcome.errors);
  return isUnborn ? { value: [] } : answer(command, outcome, parseLog);
}

async function countStashes(place: CommandPlace): Promise<Answer<number>> {
  const command = gitCommand(place, ['stash', 'list', '-z', '--format=%H']);
  return answer(
    command,
    await runCommand(command),
    (output) => output.toString('latin1').split('\0').length - 1,
  );
}

function answer<Value>(
  command: Command,
  outcome: CommandOutcome,
  read: (output: Buffer) => Value,
): Answer<Value> {
  if (outcome.kind === 'ended' && outcome.code === 0) return { value: read(outcome.output) };
  return { fault: describeOutcome(command, outcome) };
}

import { shorten } from '@openbot/sessions/terminal-text';
import { hideSecrets } from '../scan/hide-secrets.ts';
import { type CommandSettings, gitCommand, resolveCommandSettings } from './commands.ts';
import type { CommitSummary, GitStatus, ProjectStatus, StatusGap } from './project-status.ts';
import { type Command, type CommandOutcome, describeOutcome, runCommand } from './run-command.ts';
import { type ParsedStatus, StatusParser } from './status-parser.ts';

const LISTED_PATHS = 100;
const RECENT_COMMITS = 10;
/** The longest name that git accepts. */
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

/** An answer, or the reason why there is none. */
type Answer<Value> = { readonly value: Value } | { readonly fault: string };

interface GitReading {
  readonly git: GitStatus;
  /** Whether any command had an answer: outside a repository none has. */
  readonly isAnswered: boolean;
  readonly gaps: readonly StatusGap[];
}

/** Runs all commands at once. A question without an answer is a gap. */
export async function readGit(settings: CommandSettings): Promise<GitReading> {
  const [status, branch, log, stashes] = await Promise.all([
    readStatus(settings),
    readBranch(settings),
    readCommits(settings),
    countStashes(settings),
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

async function readStatus(settings: CommandSettings): Promise<Answer<ParsedStatus>> {
  const parser = new StatusParser(LISTED_PATHS);
  // The user's settings decide whether untracked files are listed: in some repositories almost everything is untracked.
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--find-renames'];
  const command = { ...gitCommand(settings, args), onOutput: (chunk: Buffer) => parser.push(chunk) };
  return answer(command, await runCommand(command), () => parser.finish());
}

/** Separate from the status, which takes long in a large work tree. */
async function readBranch(settings: CommandSettings): Promise<Answer<string>> {
  const command = gitCommand(settings, ['symbolic-ref', '--quiet', 'HEAD']);
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

async function readCommits(settings: CommandSettings): Promise<Answer<CommitSummary[]>> {
  const command = gitCommand(settings, [
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

async function countStashes(settings: CommandSettings): Promise<Answer<number>> {
  const command = gitCommand(settings, ['stash', 'list', '-z', '--format=%H']);
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

/** For `git log -z`: each field ends with a NUL, and so does each commit. */
const LOG_FORMAT = '%H%x00%s%x00%an%x00%aI';
const FIELDS = 4;
const MESSAGE_LIMIT = 200;
const AUTHOR_LIMIT = 100;

function parseLog(output: Buffer): CommitSummary[] {
  const fields = output.toString('utf8').split('\0');
  const commits: CommitSummary[] = [];
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [sha = '', message = '', author = '', date = ''] = fields.slice(at, at + FIELDS);
    if (!/^[0-9a-f]{40,64}$/.test(sha)) break;
    commits.push({
      sha,
      message: shorten(hideSecrets(message, MESSAGE_LIMIT), MESSAGE_LIMIT),
      author: shorten(author, AUTHOR_LIMIT),
      date,
    });
  }
  return commits;
}

/** The part of a status that contains the branch. */
export interface ProjectBranch {
  readonly repo: Pick<ProjectStatus['repo'], 'path'>;
  readonly git: Pick<ProjectStatus['git'], 'currentBranch'>;
}

/**
 * Asks git for the branch only. Empty if git does not answer.
 * @throws OpenBotError REPO_NOT_FOUND if the folder does not exist
 */
export async function readProjectBranch(
  repoPath: string,
  options: { readonly env?: NodeJS.ProcessEnv; readonly gitTimeoutMs?: number } = {},
): Promise<ProjectBranch> {
  const settings = resolveCommandSettings(repoPath, options);
  const branch = await readBranch(settings);
  return { repo: { path: settings.cwd }, git: { currentBranch: 'value' in branch ? branch.value : '' } };
}

import {
  cutEnd,
  cutMiddle,
  formatAge,
  formatCount,
  formatQuantity,
  oneLine,
  type Palette,
  PLAIN_PALETTE,
  padEnd,
  printable,
  textWidth,
} from '@openbot/sessions/terminal-text';
import { type DiscoveredSession, isOwnedBy, shortId } from '../discover/discovered-session.ts';
import type { ProjectStatus, StatusGap } from './project-status.ts';

export interface StatusFormatOptions {
  /** Width of the terminal. Default: 100. */
  readonly columns?: number;
  readonly palette?: Palette;
  /** The most lines of each list. Default: 8. */
  readonly lines?: number;
}

type Colour = (text: string) => string;
/** A line with a label in the margin; it is coloured after it was cut to fit. */
interface Line {
  readonly label?: string;
  readonly text: string;
  /** Behind the text, and cut in its middle where it does not fit. */
  readonly path?: string;
  readonly colour?: Colour;
}
interface Context {
  readonly status: ProjectStatus;
  readonly palette: Palette;
  readonly lines: number;
  readonly now: number;
}

const MARGIN = 10;
const COMMITS_SHOWN = 6;

/** The status for a person, the most urgent first. Ages are relative to the time of the status. */
export function formatProjectStatus(status: ProjectStatus, options: StatusFormatOptions = {}): string {
  const palette = options.palette ?? PLAIN_PALETTE;
  const columns = Math.max(40, options.columns ?? 100);
  const context: Context = {
    status,
    palette,
    lines: Math.max(1, options.lines ?? 8),
    now: Date.parse(status.timestamp),
  };
  const lines = [
    ...showRepo(context),
    ...showChanges(context),
    ...showCommits(context),
    ...showGithub(context),
    ...showSessions(context),
    ...showDocs(context),
    ...showGaps(context),
  ];
  return `${lines.map((line) => layOut(line, columns, palette)).join('\n')}\n`;
}

function layOut({ label = '', text, path = '', colour }: Line, columns: number, palette: Palette): string {
  const room = columns - MARGIN;
  const cut = cutEnd(`${text}${cutMiddle(path, Math.max(0, room - textWidth(text)))}`, room);
  const margin = padEnd(label, MARGIN);
  return `${label === '' ? margin : palette.bold(margin)}${colour === undefined ? cut : colour(cut)}`.trimEnd();
}

function showRepo({ status: { repo, git, gaps }, palette }: Context): Line[] {
  const outside = has(gaps, 'git') ? ' (git unknown)' : ' (not a git repository)';
  const kind = repo.isBare ? ' (bare)' : repo.isGitRepo ? '' : outside;
  const lines: Line[] = [
    { label: 'Project', text: `${printable(repo.name)}${kind}  `, path: printable(repo.path) },
  ];
  if (!repo.isGitRepo) return lines;
  const branch = git.currentBranch === 'HEAD' ? 'detached HEAD' : printable(git.currentBranch);
  lines.push({ label: 'Branch', text: `${branch || 'unknown'}${showUpstream(git)}`, colour: palette.green });
  return lines;
}

function showUpstream({ upstream }: ProjectStatus['git']): string {
  if (upstream === undefined) return '';
  const name = printable(upstream.name);
  if (upstream.ahead === undefined || upstream.behind === undefined)
    return `  (follows ${name}, which is gone)`;
  if (upstream.ahead === 0 && upstream.behind === 0) return `  (as ${name})`;
  const parts = [
    ...(upstream.ahead > 0 ? [`${formatCount(upstream.ahead)} ahead`] : []),
    ...(upstream.behind > 0 ? [`${formatCount(upstream.behind)} behind`] : []),
  ];
  return `  (${parts.join(', ')} of ${name})`;
}

function showChanges(context: Context): Line[] {
  const { repo, git, gaps } = context.status;
  if (!repo.isGitRepo || repo.isBare || has(gaps, 'changes')) return [];
  const { staged, modified, untracked, conflicted } = git.changeCounts;
  const parts = [
    ...(conflicted > 0 ? [`${formatCount(conflicted)} in conflict`] : []),
    ...(staged > 0 ? [`${formatCount(staged)} staged`] : []),
    ...(modified > 0 ? [`${formatCount(modified)} modified`] : []),
    ...(untracked > 0 ? [`${formatCount(untracked)} untracked`] : []),
  ];
  const stashes = git.stashCount > 0 ? `; ${formatQuantity(git.stashCount, 'stash', 'stashes')}` : '';
  const { palette, lines } = context;
  return [
    {
      label: 'Changes',
      text: `${parts.length === 0 ? 'none' : parts.join(', ')}${stashes}`,
      colour: conflicted > 0 ? palette.red : parts.length > 0 ? palette.yellow : undefined,
    },
    ...listPaths('staged', git.stagedChanges, staged, lines),
    ...listPaths('unstaged', git.uncommittedChanges, modified + untracked + conflicted, lines),
  ];
}

function listPaths(title: string, paths: readonly string[], total: number, limit: number): Line[] {
  // If only one path is left, it takes the place of the line that counts the rest.
  const shown = paths.slice(0, total === limit + 1 ? total : limit).map(printable);
  const left = total - shown.length;
  const rows = left > 0 ? [...shown, `… and ${formatCount(left)} more`] : shown;
  return rows.map((path, at) => ({ text: `${padEnd(at === 0 ? title : '', 8)}  `, path }));
}

function showCommits({ status: { repo, git, gaps }, now, palette }: Context): Line[] {
  if (!repo.isGitRepo) return [];
  if (git.recentCommits.length === 0) {
    const none = has(gaps, 'commits') ? 'unknown' : 'no commits yet';
    return [{ label: 'HEAD', text: git.headCommitSha.slice(0, 8) || none }];
  }
  const commits = git.recentCommits.slice(0, COMMITS_SHOWN);
  const ages = commits.map(({ date }) => formatAge(Date.parse(date), now));
  const width = Math.max(...ages.map(textWidth));
  return commits.map(({ sha, message, author }, at) => ({
    ...(at < 2 ? { label: at === 0 ? 'HEAD' : 'Before' } : {}),
    text: `${sha.slice(0, 8)}  ${padEnd(ages[at]!, width)}  ${oneLine(message)}  (${oneLine(author)})`,
    colour: at === 0 ? undefined : palette.dim,
  }));
}

function showGithub({ status: { github, gaps }, palette, lines }: Context): Line[] {
  if (github === undefined) return [];
  const { openPrs, failingChecks } = github;
  const checks = has(gaps, 'checks')
    ? ''
    : failingChecks.length === 0
      ? ', no failing check'
      : `, ${formatQuantity(failingChecks.length, 'failing check')}`;
  const left = openPrs.length - lines;
  return [
    {
      label: 'GitHub',
      text: `${formatQuantity(openPrs.length, 'open pull request')}${checks}`,
      colour: failingChecks.length > 0 ? palette.red : undefined,
    },
    ...failingChecks.slice(0, lines).map(({ name, status }) => ({
      text: `fails  ${oneLine(name)}: ${oneLine(status)}`,
      colour: palette.red,
    })),
    ...openPrs.slice(0, lines).map(({ number, title, branch }) => ({
      text: `#${number}  ${oneLine(title)}  (${printable(branch)})`,
    })),
    ...(left > 0 ? [{ text: `… and ${left} more` }] : []),
  ];
}

function showSessions({ status: { sessions, gaps }, palette, now }: Context): Line[] {
  if (has(gaps, 'sessions') && sessions.total === 0) return [];
  const running = sessions.active.length;
  // The status lists three sessions of the agent, and does not name the agent.
  const [first] = sessions.ownRecent;
  const agentId = first?.agentId ?? first?.originMarker;
  const isOwn = (session: DiscoveredSession) => agentId !== undefined && isOwnedBy(session, agentId);
  const shown = [...sessions.active, ...sessions.recent, ...sessions.ownRecent].filter(
    (session, at, all) => all.findIndex(({ sessionId }) => sessionId === session.sessionId) === at,
  );
  const ages = shown.map(({ lastModified }) => formatAge(lastModified.getTime(), now));
  const width = Math.max(0, ...ages.map(textWidth));
  return [
    {
      label: 'Sessions',
      text: sessions.total === 0 ? 'none' : `${formatCount(sessions.total)}, ${running || 'none'} running`,
      colour: running > 0 ? palette.yellow : undefined,
    },
    ...shown.map((session, at) => ({
      text: `${showSession(session, isOwn(session))}  ${padEnd(ages[at]!, width)}  ${titleOf(session)}`,
      colour: session.isRunning || session.isOpen ? palette.yellow : undefined,
    })),
  ];
}

function showSession(session: DiscoveredSession, isOwn: boolean): string {
  const mark = session.isRunning ? 'running' : session.isOpen ? 'open' : isOwn ? 'own' : '';
  return `${padEnd(mark, 7)}  ${shortId(session.sessionId)}`;
}

function titleOf(session: DiscoveredSession): string {
  const text = oneLine(session.label ?? session.title ?? session.lastTask ?? session.firstMessage);
  return session.branch === '' ? text : `[${printable(session.branch)}] ${text}`;
}

function showDocs({ status: { docs } }: Context): Line[] {
  const parts = [
    ...(docs.hasClaudeMd ? ['CLAUDE.md'] : []),
    ...(docs.hasReadme ? ['README'] : []),
    ...(docs.hasTodo ? ['TODO'] : []),
    ...docs.specFiles.map(printable),
  ];
  return [{ label: 'Docs', text: parts.length === 0 ? 'none' : parts.join(', ') }];
}

function showGaps({ status: { gaps }, palette }: Context): Line[] {
  return gaps.map(({ part, reason }, at) => ({
    ...(at === 0 ? { label: 'Unknown' } : {}),
    text: `${part}: ${printable(reason)}`,
    colour: palette.dim,
  }));
}

function has(gaps: readonly StatusGap[], part: StatusGap['part']): boolean {
  return gaps.some((gap) => gap.part === part);
}

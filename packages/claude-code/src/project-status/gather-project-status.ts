import { type DiscoverOptions, discoverSessions } from '../discover/discover-sessions.ts';
import { compareByRecency, type DiscoveredSession, isOwnedBy } from '../discover/discovered-session.ts';
import { describeError } from '../scan/hide-secrets.ts';
import { resolveCommandSettings } from './commands.ts';
import { locateRepo, type RepoLocation } from './locate-repo.ts';
import { type DocsReading, lookForDocs, NO_DOCS } from './look-for-docs.ts';
import type { ProjectStatus, StatusGap } from './project-status.ts';
import { NO_GIT, readGit } from './read-git.ts';
import { type GithubReading, readGithub } from './read-github.ts';
import { withTimeLimit } from './time-limit.ts';

export interface GatherOptions {
  /** The agent whose own sessions are listed. */
  readonly agentId?: string;
  /**
   * Finds the sessions of a repository. Default: `discoverSessions`. At the time limit its signal aborts. False:
   * sessions are not searched, which is a gap in the status.
   */
  readonly discover?:
    | ((repoPath: string, signal: AbortSignal) => Promise<readonly DiscoveredSession[]>)
    | false;
  /** Contains the registries and the index of sessions. Default: OPENBOT_STATE_DIR, else ~/.openbot. */
  readonly stateDir?: string;
  /** The environment of git and gh. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Of each command. Default: 5 s. */
  readonly gitTimeoutMs?: number;
  readonly ghTimeoutMs?: number;
  /** Of the search for documents, and of that for sessions. Default: 5 s. */
  readonly lookTimeoutMs?: number;
  readonly now?: Date;
}

const LOOK_TIMEOUT_MS = 5000;
const RECENT = 5;
const OWN_RECENT = 3;
const NO_GITHUB: GithubReading = { gaps: [] };
const NO_SESSIONS: ProjectStatus['sessions'] = { active: [], recent: [], ownRecent: [], total: 0 };

/**
 * The status of a repository, or of any folder. A part without an answer is a gap in the status.
 * @param how options, or only the agent whose own sessions are listed
 * @throws OpenBotError REPO_NOT_FOUND if the folder does not exist
 */
export async function gatherProjectStatus(
  repoPath: string,
  how: string | GatherOptions = {},
): Promise<ProjectStatus> {
  const options: GatherOptions = typeof how === 'string' ? { agentId: how } : how;
  const settings = resolveCommandSettings(repoPath, options);
  // All at once, so that the status takes no longer than its slowest part.
  const [repo, reading, asked, found, sessions] = await Promise.all([
    locateRepo(settings),
    readGit(settings),
    settings.hasGitFolder ? readGithub(settings) : NO_GITHUB,
    readDocs(settings.cwd, options.lookTimeoutMs),
    listSessions(settings.cwd, options),
  ]);
  const isGitRepo = repo.isGitRepo || reading.isAnswered;
  const github = repo.isGitRepo ? asked : NO_GITHUB;
  const docs = repo.isGitRepo && !repo.hasWorkTree ? { docs: NO_DOCS, gaps: [] } : found;
  return {
    repo: { path: repo.path, name: repo.name, isGitRepo, isBare: repo.isBare },
    git: isGitRepo ? reading.git : NO_GIT,
    github: github.github,
    sessions: sessions.sessions,
    docs: docs.docs,
    gaps: [
      ...(repo.fault === undefined ? [] : [{ part: 'git' as const, reason: repo.fault }]),
      ...reading.gaps.filter((gap) => isGitRepo && isMeaningful(gap, repo)),
      ...github.gaps,
      ...docs.gaps,
      ...sessions.gaps,
    ],
    timestamp: (options.now ?? new Date()).toISOString(),
  };
}

/** Without a work tree there are no changes and stashes, and git refuses the question. */
function isMeaningful(gap: StatusGap, repo: RepoLocation): boolean {
  return repo.hasWorkTree || !repo.isGitRepo || (gap.part !== 'changes' && gap.part !== 'stashes');
}

async function readDocs(top: string, timeoutMs = LOOK_TIMEOUT_MS): Promise<DocsReading> {
  const unknown = (reason: string): DocsReading => ({ docs: NO_DOCS, gaps: [{ part: 'docs', reason }] });
  try {
    const found = await withTimeLimit(() => lookForDocs(top), timeoutMs);
    return found ?? unknown(`the search took longer than ${timeoutMs / 1000} s`);
  } catch (error) {
    return unknown(describeError(error));
  }
}

async function listSessions(
  repoPath: string,
  options: GatherOptions,
): Promise<{ sessions: ProjectStatus['sessions']; gaps: readonly StatusGap[] }> {
  const { agentId, lookTimeoutMs = LOOK_TIMEOUT_MS } = options;
  const problems: Error[] = [];
  const {
    discover = (path: string, signal: AbortSignal) =>
      discoverSessions(path, { ...discoveryOf(options), signal, onProblem: (error) => problems.push(error) }),
  } = options;
  const unknown = (reason: string) => ({
    sessions: NO_SESSIONS,
    gaps: [{ part: 'sessions' as const, reason }],
  });
  if (discover === false) return unknown('they were not searched for');
  try {
    const found = await withTimeLimit((signal) => discover(repoPath, signal), lookTimeoutMs);
    if (found === undefined) {
      return unknown(`not all were read within ${lookTimeoutMs / 1000} s; run it again to read the rest`);
    }
    const all = [...found].sort(compareByRecency);
    return {
      sessions: {
        active: all.filter((session) => session.isRunning),
        recent: all.slice(0, RECENT),
        ownRecent:
          agentId === undefined
            ? []
            : all.filter((session) => isOwnedBy(session, agentId)).slice(0, OWN_RECENT),
        total: all.length,
      },
      gaps: describeProblems(problems),
    };
  } catch (error) {
    return unknown(describeError(error));
  }
}

/** Sessions whose registry cannot be read are still listed if they have a transcript. */
function describeProblems(problems: readonly Error[]): StatusGap[] {
  const isOfRegistry = (error: Error) => (error as { code?: unknown }).code === 'REGISTRY_UNREADABLE';
  const describe = (what: string, [first, ...others]: readonly Error[]): StatusGap[] => {
    if (first === undefined) return [];
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return [{ part: 'sessions', reason: `${what}: ${describeError(first)}${more}` }];
  };
  return [
    ...describe(
      'some are left out',
      problems.filter((error) => !isOfRegistry(error)),
    ),
    ...describe('some are incomplete', problems.filter(isOfRegistry)),
  ];
}

function discoveryOf({ agentId, stateDir, env }: GatherOptions): DiscoverOptions {
  return {
    agentId,
    stateDir,
    env: env ?? process.env,
  };
}

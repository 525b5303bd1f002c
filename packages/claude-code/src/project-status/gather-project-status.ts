import { redactSecrets } from '@openbot/sessions';
import { type DiscoverOptions, discoverSessions } from '../discover/discover-sessions.ts';
import type { DiscoveredSession } from '../discover/discovered-session.ts';
import { oneLine, shorten } from '../terminal-text/printable.ts';
import { locateRepo, type RepoLocation } from './locate-repo.ts';
import { lookForDocs, NO_DOCS } from './look-for-docs.ts';
import { compareByRecency, isOwnSession } from './own-session.ts';
import { placeCommands } from './place-commands.ts';
import type { ProjectStatus, StatusGap } from './project-status.ts';
import { NO_GIT, readGit } from './read-git.ts';
import { type GithubReading, readGithub } from './read-github.ts';

export interface GatherOptions {
  /** Whose own sessions are listed. */
  readonly agentId?: string;
  /**
   * Finds the sessions of a repository, and is given the time that it needs. Default: `discoverSessions`. False: they are
   * not looked for, which is then a gap.
   */
  readonly discover?: ((repoPath: string) => Promise<readonly DiscoveredSession[]>) | false;
  /** Where registries and the index of sessions are. Default: OPENBOT_STATE_DIR, else ~/.openbot. */
  readonly stateDir?: string;
  /** What git and gh are found and run with. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** For each command. Default: 5 s. */
  readonly gitTimeoutMs?: number;
  readonly ghTimeoutMs?: number;
  readonly now?: Date;
}

const RECENT = 5;
const OWN_RECENT = 3;
const NO_GITHUB: GithubReading = { gaps: [] };
const NO_SESSIONS: ProjectStatus['sessions'] = { active: [], recent: [], ownRecent: [], total: 0 };

/**
 * Looks at a repository, or any folder. What does not answer leaves a gap in the status.
 * @throws ClaudeCodeError REPO_NOT_FOUND where there is no such folder
 */
export async function gatherProjectStatus(
  repoPath: string,
  options: GatherOptions = {},
): Promise<ProjectStatus> {
  const place = placeCommands(repoPath, options);
  // Nobody waits for another, so that nothing takes longer than the slowest.
  const [repo, reading, asked, found, sessions] = await Promise.all([
    locateRepo(place),
    readGit(place),
    place.hasGitFolder ? readGithub(place) : NO_GITHUB,
    readDocs(place.cwd),
    listSessions(place.cwd, options),
  ]);
  const isGitRepo = repo.isGitRepo || reading.isAnswered;
  const github = repo.isGitRepo ? asked : NO_GITHUB;
  const docs = repo.isGitRepo && !repo.hasWorkTree ? { docs: NO_DOCS, gaps: [] } : found;
  return {
    repo: { path: repo.path, name: repo.name, isGitRepo, isBare: repo.isBare },
    git: isGitRepo ? reading.git : NO_GIT,
    ...(github.github === undefined ? {} : { github: github.github }),
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

/** Where there are no files, nothing can be changed or stashed, and git refuses the question. */
function isMeaningful(gap: StatusGap, repo: RepoLocation): boolean {
  return repo.hasWorkTree || !repo.isGitRepo || (gap.part !== 'changes' && gap.part !== 'stashes');
}

async function readDocs(top: string) {
  return lookForDocs(top).catch((error: unknown) => ({
    docs: NO_DOCS,
    gaps: [{ part: 'docs' as const, reason: describeError(error) }],
  }));
}

async function listSessions(
  repoPath: string,
  options: GatherOptions,
): Promise<{ sessions: ProjectStatus['sessions']; gaps: readonly StatusGap[] }> {
  const { agentId, discover = (path: string) => discoverSessions(path, discoveryOf(options)) } = options;
  if (discover === false) {
    return { sessions: NO_SESSIONS, gaps: [{ part: 'sessions', reason: 'they were not looked for' }] };
  }
  try {
    const all = [...(await discover(repoPath))].sort(compareByRecency);
    return {
      sessions: {
        active: all.filter((session) => session.isRunning),
        recent: all.slice(0, RECENT),
        ownRecent:
          agentId === undefined
            ? []
            : all.filter((session) => isOwnSession(session, agentId)).slice(0, OWN_RECENT),
        total: all.length,
      },
      gaps: [],
    };
  } catch (error) {
    return {
      sessions: NO_SESSIONS,
      gaps: [{ part: 'sessions', reason: describeError(error) }],
    };
  }
}

function discoveryOf({ agentId, stateDir, env }: GatherOptions): DiscoverOptions {
  return {
    ...(agentId === undefined ? {} : { agentId }),
    ...(stateDir === undefined ? {} : { stateDir }),
    env: env ?? process.env,
  };
}

function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return shorten(redactSecrets(oneLine(message)), 160);
}

import { redactSecrets } from '@openbot/sessions';
import type { DiscoveredSession } from '../discover/discovered-session.ts';
import { resolveRepo } from '../repo/resolve-repo.ts';
import { oneLine, shorten } from '../terminal-text/printable.ts';
import { makeCommandEnvironment } from './command-environment.ts';
import type { CommandPlace } from './git-command.ts';
import { locateRepo, type RepoLocation } from './locate-repo.ts';
import { lookForDocs, NO_DOCS } from './look-for-docs.ts';
import { compareByRecency, isOwnSession } from './own-session.ts';
import type { ProjectStatus, StatusGap } from './project-status.ts';
import { NO_GIT, readGit } from './read-git.ts';
import { type GithubReading, readGithub } from './read-github.ts';

export interface GatherOptions {
  /** Whose own sessions are listed. */
  readonly agentId?: string;
  /** Finds the sessions of a repository; without it none are listed. It is given the time that it needs. */
  readonly discover?: (repoPath: string) => Promise<readonly DiscoveredSession[]>;
  /** What git and gh are found and run with. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** For each command. Default: 5 s. */
  readonly gitTimeoutMs?: number;
  readonly ghTimeoutMs?: number;
  readonly now?: Date;
}

const TIMEOUT_MS = 5000;
const RECENT = 5;
const OWN_RECENT = 3;

/**
 * Looks at a repository, or any folder. What does not answer leaves a gap in the status.
 * @throws ClaudeCodeError REPO_NOT_FOUND where there is no such folder
 */
export async function gatherProjectStatus(
  repoPath: string,
  options: GatherOptions = {},
): Promise<ProjectStatus> {
  const place: CommandPlace = {
    cwd: resolveRepo(repoPath).path,
    env: makeCommandEnvironment(options.env ?? process.env),
    gitTimeoutMs: options.gitTimeoutMs ?? TIMEOUT_MS,
    ghTimeoutMs: options.ghTimeoutMs ?? TIMEOUT_MS,
  };
  const located = locateRepo(place);
  const [repo, reading, github, docs, sessions] = await Promise.all([
    located,
    readGit(place),
    located.then((found) => askGithub(place, found)),
    located.then(readDocs),
    located.then((found) => listSessions(found, options)),
  ]);
  const isGitRepo = repo.isGitRepo || reading.isAnswered;
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

async function askGithub(place: CommandPlace, repo: RepoLocation): Promise<GithubReading> {
  return repo.isGitRepo ? readGithub(place) : { gaps: [] };
}

async function readDocs(repo: RepoLocation) {
  if (repo.isGitRepo && !repo.hasWorkTree) return { docs: NO_DOCS, gaps: [] };
  return lookForDocs(repo.path).catch((error: unknown) => ({
    docs: NO_DOCS,
    gaps: [{ part: 'docs' as const, reason: describeError(error) }],
  }));
}

async function listSessions(
  repo: RepoLocation,
  { discover, agentId }: GatherOptions,
): Promise<{ sessions: ProjectStatus['sessions']; gaps: readonly StatusGap[] }> {
  try {
    const all = [...((await discover?.(repo.path)) ?? [])].sort(compareByRecency);
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
      sessions: { active: [], recent: [], ownRecent: [], total: 0 },
      gaps: [{ part: 'sessions', reason: describeError(error) }],
    };
  }
}

function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return shorten(redactSecrets(oneLine(message)), 160);
}

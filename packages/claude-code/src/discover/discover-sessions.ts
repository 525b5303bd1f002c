import { join } from 'node:path';
import { type Environment, resolveStateDir } from '@openbot/sessions';
import { isRunning } from '../registry/is-running.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { readAllRegistries } from '../registry/registry-file.ts';
import { findGit } from '../repo/git-folder.ts';
import { resolveProjectsFolder } from '../repo/projects-folder.ts';
import { findRealPath } from '../repo/real-path.ts';
import { isInRepo, mayHoldSessions, resolveRepo } from '../repo/resolve-repo.ts';
import { describeSession } from './describe-session.ts';
import type { DiscoveredSession } from './discovered-session.ts';
import { type ScanEvents, type ScannedSession, scanFolders } from './scan-folders.ts';
import { listSessionFolders } from './session-folders.ts';

export interface DiscoverOptions extends ScanEvents {
  /** Where registries and the index are. Default: OPENBOT_STATE_DIR, else ~/.openbot. */
  readonly stateDir?: string;
  /** Names Claude Code's folder by CLAUDE_CONFIG_DIR, else HOME. Default: that of this process. */
  readonly env?: Environment;
}

/**
 * The Claude Code sessions of a repository, whoever started them: those that are running first, then the newest. A
 * session belongs to it by the working folders in its lines: the top of the repository, folders below it, and its
 * other worktrees.
 * @throws ClaudeCodeError REPO_NOT_FOUND, REGISTRY_UNREADABLE
 */
export async function discoverSessions(
  repoPath: string,
  options: DiscoverOptions = {},
): Promise<DiscoveredSession[]> {
  const repo = resolveRepo(repoPath);
  const belongs = memoize((cwd: string) => isInRepo(repo, cwd));
  const registered = readRegistered(options, (session) => belongs(session.repoPath));
  const scanned = await scanNative(options, (slug) => mayHoldSessions(repo, slug));
  const native = scanned.filter(
    ({ sessionId, header }) => registered.has(sessionId) || header.cwds.some(belongs),
  );
  return merge(native, registered, () => repo.path);
}

/** The sessions of all repositories. */
export async function discoverAllSessions(options: DiscoverOptions = {}): Promise<DiscoveredSession[]> {
  const registered = readRegistered(options, () => true);
  const scanned = await scanNative(options, () => true);
  const native = scanned.filter(
    ({ sessionId, header }) => registered.has(sessionId) || header.cwds.length > 0,
  );
  const findRepo = memoize((cwd: string) => {
    const real = findRealPath(cwd);
    return findGit(real)?.top ?? real;
  });
  return merge(native, registered, findRepo);
}

function scanNative(
  options: DiscoverOptions,
  isWanted: (slug: string) => boolean,
): Promise<ScannedSession[]> {
  const folders = listSessionFolders(resolveProjectsFolder(options.env), isWanted);
  return scanFolders(folders, join(stateDirOf(options), 'cache', 'claude-sessions'), options);
}

function readRegistered(
  options: DiscoverOptions,
  isWanted: (session: RegisteredSession) => boolean,
): Map<string, RegisteredSession> {
  const sessions = new Map<string, RegisteredSession>();
  for (const session of readAllRegistries(stateDirOf(options)).filter(isWanted)) {
    const known = sessions.get(session.sessionId);
    if (known === undefined || isRather(session, known)) sessions.set(session.sessionId, session);
  }
  return sessions;
}

/** Of two agents that had a session, the one that runs it; else the one that began later. */
function isRather(one: RegisteredSession, other: RegisteredSession): boolean {
  if (isRunning(one) !== isRunning(other)) return isRunning(one);
  return Date.parse(one.startedAt) > Date.parse(other.startedAt);
}

function merge(
  native: readonly ScannedSession[],
  registered: ReadonlyMap<string, RegisteredSession>,
  repoOf: (cwd: string) => string,
): DiscoveredSession[] {
  const files = new Map<string, ScannedSession>();
  for (const session of native) {
    const known = files.get(session.sessionId);
    // A copy in another folder has the same id; the one that was written to last is the session.
    if (known === undefined || known.modifiedMs < session.modifiedMs) files.set(session.sessionId, session);
  }
  const ids = new Set([...files.keys(), ...registered.keys()]);
  const sessions = [...ids].map((id) => {
    const [file, entry] = [files.get(id), registered.get(id)];
    return describeSession(repoOf(entry?.repoPath ?? file!.header.cwds[0]!), file, entry);
  });
  return sessions.sort(compareSessions);
}

function compareSessions(one: DiscoveredSession, other: DiscoveredSession): number {
  if (one.isRunning !== other.isRunning) return one.isRunning ? -1 : 1;
  const newer = other.lastModified.getTime() - one.lastModified.getTime();
  return newer !== 0 ? newer : one.sessionId < other.sessionId ? -1 : 1;
}

function stateDirOf({ stateDir, env }: DiscoverOptions): string {
  return resolveStateDir({ flag: stateDir, env });
}

function memoize<T>(compute: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    if (!known.has(path)) known.set(path, compute(path));
    return known.get(path)!;
  };
}

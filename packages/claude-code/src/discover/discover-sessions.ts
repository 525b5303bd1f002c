import { join } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { listOpenClaudes } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { readConversations } from '../registry/conversations.ts';
import { isRunning } from '../registry/is-running.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { readAllRegistries, readRegistry } from '../registry/registry-file.ts';
import { listLockedSessions } from '../registry/session-lock.ts';
import { resolveClaudeFolder, resolveProjectsFolder } from '../repo/projects-folder.ts';
import { mayHoldSessions, resolveRepo } from '../repo/resolve-repo.ts';
import { removeUselessIndexes } from '../session-index/useless-indexes.ts';
import { describeSession } from './describe-session.ts';
import { compareByRecency, type DiscoveredSession } from './discovered-session.ts';
import { findHomeRepo, folderOfRegistered, mapRepos, type RepoMap } from './home-repo.ts';
import { type ScannedSession, type ScanOptions, scanFolders } from './scan-folders.ts';
import { listSessionFolders, mayFolderHoldSessions } from './session-folders.ts';

export interface DiscoverOptions extends ScanOptions {
  /** Where registries and the index are. Default: OPENBOT_STATE_DIR, else ~/.openbot. */
  readonly stateDir?: string;
  /** Names Claude Code's folder by CLAUDE_CONFIG_DIR, else HOME. Default: that of this process. */
  readonly env?: Environment;
  /** The agent that asks: its damaged registry is an error, that of another agent is only reported. */
  readonly agentId?: string;
}

/**
 * The Claude Code sessions of a repository: running ones first, then open ones, then the newest. A session that an
 * agent runs or ran belongs to the repository that its registry names. Any other belongs to the one in which most of
 * its lines were written, among those that search the folder of its transcript. A folder belongs to the nearest
 * repository above it; all worktrees are one repository. Sessions in which an agent talks to people are left out.
 * @throws OpenBotError REPO_NOT_FOUND; REGISTRY_UNREADABLE for the registry of `agentId`
 */
export async function discoverSessions(
  repoPath: string,
  options: DiscoverOptions = {},
): Promise<DiscoveredSession[]> {
  const repo = resolveRepo(repoPath);
  const registered = readRegistered(options);
  const folders = Array.from(registered.values(), folderOfRegistered);
  const before = mapRepos(folders, repo);
  const isOwn = (session: RegisteredSession) => before.repoOf(folderOfRegistered(session)) === repo.path;
  const own = new Map([...registered].filter(([, session]) => isOwn(session)));
  const scanned = await scanNative(options, (slug) => mayHoldSessions(repo, slug), own);
  const repos = mapRepos([...folders, ...scanned.flatMap(({ header }) => header.cwds)], repo);
  const files = scanned.filter(({ sessionId }) => own.has(sessionId) || !registered.has(sessionId));
  return merge(files, own, repos, listTaken(options)).filter((session) => session.repoPath === repo.path);
}

/** The sessions of all repositories. */
export async function discoverAllSessions(options: DiscoverOptions = {}): Promise<DiscoveredSession[]> {
  const registered = readRegistered(options);
  const scanned = await scanNative(options, () => true, registered);
  const folders = Array.from(registered.values(), folderOfRegistered);
  const repos = mapRepos([...folders, ...scanned.flatMap(({ header }) => header.cwds)]);
  return merge(scanned, registered, repos, listTaken(options));
}

async function scanNative(
  options: DiscoverOptions,
  isWanted: (slug: string) => boolean,
  registered: ReadonlyMap<string, RegisteredSession>,
): Promise<ScannedSession[]> {
  const projects = resolveProjectsFolder(options.env);
  const folders = listSessionFolders(projects, isWanted, registered, (error) =>
    options.onProblem?.(error, undefined),
  );
  const cacheDir = join(stateDirOf(options), 'cache', 'claude-sessions');
  const conversations = readConversations(stateDirOf(options));
  const scanned = (await scanFolders(folders, cacheDir, options)).filter(
    // A session of a run that a person named for it is that run's, too.
    ({ sessionId }) => !conversations.has(sessionId) || registered.has(sessionId),
  );
  const seen = new Set(folders.map(({ path }) => path));
  removeUselessIndexes(cacheDir, (folder) => seen.has(folder) || mayFolderHoldSessions(folder));
  return scanned;
}

function readRegistered(options: DiscoverOptions): Map<string, RegisteredSession> {
  const { agentId, onProblem } = options;
  const stateDir = stateDirOf(options);
  if (agentId !== undefined) readRegistry(stateDir, agentId);
  const sessions = new Map<string, RegisteredSession>();
  for (const session of readAllRegistries(stateDir, (error) => onProblem?.(error, undefined))) {
    const known = sessions.get(session.sessionId);
    if (known === undefined || isRather(session, known)) sessions.set(session.sessionId, session);
  }
  return sessions;
}

/** If two agents have used a session: the one that runs it, else the one that started later. */
function isRather(one: RegisteredSession, other: RegisteredSession): boolean {
  if (isRunning(one) !== isRunning(other)) return isRunning(one);
  return Date.parse(one.startedAt) > Date.parse(other.startedAt);
}

interface TakenSessions {
  readonly locked: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
}

function listTaken({ env }: DiscoverOptions): TakenSessions {
  const open = listOpenClaudes(resolveClaudeFolder(env));
  return { locked: listLockedSessions(env), open: new Set(open.map(({ sessionId }) => sessionId)) };
}

function merge(
  native: readonly ScannedSession[],
  registered: ReadonlyMap<string, RegisteredSession>,
  repos: RepoMap,
  { locked, open }: TakenSessions,
): DiscoveredSession[] {
  const files = new Map<string, ScannedSession>();
  for (const session of native) {
    const known = files.get(session.sessionId);
    // Copies in several folders have the same id; the one that was written last is the session.
    if (known === undefined || known.modifiedMs < session.modifiedMs) files.set(session.sessionId, session);
  }
  const ids = new Set([...files.keys(), ...registered.keys()]);
  const findOrigin = traceForks(files, registered);
  const sessions = [...ids].flatMap((id) => {
    const [file, entry] = [files.get(id), registered.get(id)];
    const repo =
      entry === undefined
        ? findHomeRepo(file!.header, file!.slug, repos)
        : repos.repoOf(folderOfRegistered(entry));
    const facts = { isLocked: locked.has(id), isOpen: open.has(id), forkOf: findOrigin(id) };
    return repo === undefined ? [] : [describeSession(repo, file, entry, facts)];
  });
  return sessions.sort(compareSessions);
}

function compareSessions(one: DiscoveredSession, other: DiscoveredSession): number {
  if (one.isRunning !== other.isRunning) return one.isRunning ? -1 : 1;
  if (one.isOpen !== other.isOpen) return one.isOpen ? -1 : 1;
  return compareByRecency(one, other);
}

function stateDirOf({ stateDir, env }: DiscoverOptions): string {
  return resolveStateDir({ flag: stateDir, env });
}

/**
 * Finds the registered session that another one was forked from. The SDK records it; Claude Code's own command does
 * not, but its copy begins with the same message.
 */
function traceForks(
  files: ReadonlyMap<string, ScannedSession>,
  registered: ReadonlyMap<string, RegisteredSession>,
): (sessionId: string) => string | undefined {
  const origins = new Map<string, string>();
  for (const id of registered.keys()) {
    const firstUuid = files.get(id)?.header.firstUuid;
    if (firstUuid !== undefined) origins.set(firstUuid, id);
  }
  return (sessionId) => {
    const header = registered.has(sessionId) ? undefined : files.get(sessionId)?.header;
    if (header?.forkedFrom !== undefined && registered.has(header.forkedFrom)) return header.forkedFrom;
    return header?.firstUuid === undefined ? undefined : origins.get(header.firstUuid);
  };
}

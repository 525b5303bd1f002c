import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { isValidAgentId } from '@openbot/sessions/key';
import { type Environment, openclawLayoutOf } from '@openbot/sessions/layout';
import type { SessionFolder, SessionKeeper } from './contract.ts';
import { openFileKeeper } from './files/file-keeper.ts';
import { type FolderConfig, readFolderConfig } from './folder-config.ts';
import { readModelFacts } from './openclaw-list/model-facts.ts';
import { KEPT_IN_DATABASE, openDatabaseKeeper } from './openclaw-sqlite/database-keeper.ts';

/** What this program answers with where nothing is configured. */
const OWN_MODEL = { provider: 'script', model: 'echo' };

/** Looks at the sessions of a state folder, of this program or of an OpenClaw of either kind. Nothing is made in it. */
export async function openSessionFolder(
  stateDir: string,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): Promise<SessionFolder> {
  const config = await readFolderConfig(stateDir, env);
  const layout = openclawLayoutOf(stateDir, config.layout, { env, cwd });
  const runs: Runs = { stateDir, isRunHere: config.isRunHere, ...sessionSettingsOf(config) };
  const { mainKey } = runs;
  const isOwnStore = (path: string, agentId: string) =>
    [agentId, ...config.agentIds].some((id) => layout.storePathOf(id) === path);
  // An agent that has no sessions yet will have them where the others have theirs.
  const isOfDatabases =
    !config.isOwn &&
    config.agentIds.some(
      (id) => existsSync(layout.databasePathOf(id)) && !existsSync(layout.storePathOf(id)),
    );
  return {
    stateDir,
    configPath: config.path,
    agentIds: config.agentIds,
    defaultAgentId: config.defaultAgentId,
    mainKey,
    models: readModelFacts(config.raw, config.isOwn ? OWN_MODEL : undefined),
    open: (agentId) => {
      // Turns of this program keep their entries in files, whatever else is in the folder.
      const database = config.isOwn ? undefined : openDatabaseKeeper(layout.databasePathOf(agentId), agentId);
      const keeper = database ?? openFileKeeper({ ...runs, agentId, storePath: layout.storePathOf(agentId) });
      return keeper.exists || !isOfDatabases
        ? keeper
        : { ...keeper, path: layout.databasePathOf(agentId), keptIn: KEPT_IN_DATABASE };
    },
    openAt: (path, agentId) =>
      openStore(resolve(path), agentId ?? config.defaultAgentId ?? 'main', async (owner, storePath) => {
        const its = isOwnStore(storePath, owner) ? runs : await findRuns(storePath, stateDir, env);
        return openFileKeeper({ ...its, agentId: owner, storePath });
      }),
  };
}

/** Where runs of the sessions of a store have their locks, and under which names. */
type Runs = Omit<Parameters<typeof openFileKeeper>[0], 'agentId' | 'storePath'>;

/** Of the state folder that the path of a store names: another one may run its sessions than the caller's. */
async function findRuns(storePath: string, callersDir: string, env: Environment): Promise<Runs> {
  const [stateDir, ...others] = new Set(
    [storePath, realpathSync(storePath)].flatMap((path) => stateDirOfStore(path) ?? []),
  );
  if (stateDir === undefined || others.length > 0) {
    return { stateDir: callersDir, isRunHere: false, unsafe: unknownFolder(storePath) };
  }
  try {
    const config = await readFolderConfig(stateDir, env);
    return { stateDir, isRunHere: config.isRunHere, ...sessionSettingsOf(config) };
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    // Looking goes on without it.
    return { stateDir, isRunHere: false, unsafe: error };
  }
}

/** Of `<stateDir>/agents/<agentId>/sessions/<file>`, with its links resolved. */
function stateDirOfStore(path: string): string | undefined {
  if (basename(dirname(path)) !== 'sessions' || agentOfPath(path) === undefined) return undefined;
  return realpathSync(dirname(dirname(dirname(dirname(path)))));
}

function unknownFolder(path: string): OpenBotError {
  return new OpenBotError(
    'SESSION_UNSUPPORTED',
    `Sessions of ${path} may be in use: the path does not show which state folder runs them. Nothing was changed`,
    { hint: 'Name the state folder whose session.store it is, with --state-dir instead of --store' },
  );
}

function sessionSettingsOf({ raw }: FolderConfig) {
  const { session } = (raw ?? {}) as {
    session?: { readonly mainKey?: string; readonly scope?: 'per-sender' | 'global' };
  };
  return { mainKey: session?.mainKey, scope: session?.scope };
}

/** As OpenClaw does, the path of a `sessions.json` that is not there means the database of the same agent. */
async function openStore(
  path: string,
  usualAgentId: string,
  openFile: (agentId: string, path: string) => Promise<SessionKeeper>,
): Promise<SessionKeeper> {
  const agentId = agentOfPath(path) ?? usualAgentId;
  const kind = kindOf(path);
  if (kind === 'folder') throw noStore(path, 'it is a folder');
  if (kind === 'database') {
    const keeper = openDatabaseKeeper(path, agentId);
    if (keeper === undefined) throw noStore(path, 'no sessions are kept in this database');
    return keeper;
  }
  if (kind === 'file') return openFile(agentId, path);
  const { storePathOf, databasePathOf } = openclawLayoutOf(
    dirname(dirname(dirname(dirname(path)))),
    undefined,
    {
      env: {},
      cwd: '/',
    },
  );
  const beside =
    storePathOf(agentId) === path ? openDatabaseKeeper(databasePathOf(agentId), agentId) : undefined;
  if (beside === undefined) throw noStore(path, 'there is no such file');
  return beside;
}

/** Of `agents/<agentId>/sessions/sessions.json` and `agents/<agentId>/agent/openclaw-agent.sqlite`. */
function agentOfPath(path: string): string | undefined {
  const agentDir = dirname(dirname(path));
  const agentId = basename(agentDir);
  return basename(dirname(agentDir)) === 'agents' && isValidAgentId(agentId) ? agentId : undefined;
}

const MAGIC = Buffer.from('SQLite format 3\0');

function kindOf(path: string): 'missing' | 'folder' | 'file' | 'database' {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  if (!stats.isFile()) return 'folder';
  const start = Buffer.alloc(MAGIC.length);
  const fd = openSync(path, 'r');
  try {
    readSync(fd, start, 0, start.length, 0);
  } finally {
    closeSync(fd);
  }
  return start.equals(MAGIC) ? 'database' : 'file';
}

function noStore(path: string, why: string): OpenBotError {
  return new OpenBotError('STORE_UNREADABLE', `${path} is no session store: ${why}`, {
    hint: 'Name a sessions.json, or the database of an agent: agents/<id>/agent/openclaw-agent.sqlite',
  });
}

import { existsSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { DEFAULT_AGENT_ID } from '../key/normalize.ts';
import { STORE_FILE_NAME } from './file-name.ts';
import type { OpenclawConfig } from './openclaw-config.ts';
import { AGENT_DATABASE_NAME } from './paths.ts';
import { resolveAgentFolderName } from './safe-id.ts';
import { type Environment, resolveOpenclawHome, resolveUserPath } from './state-dir.ts';

/** Where one installation of OpenClaw keeps the sessions of its agents. */
export interface OpenclawLayout {
  readonly stateDir: string;
  /** Where no agent is named. */
  readonly defaultAgentId: string;
  /** Those that the configuration names. */
  readonly agentIds: readonly string[];
  /** All agents share one store: `session.store` is configured without `{agentId}`. */
  readonly isShared: boolean;
  /** The index; the transcripts are beside it. */
  storePathOf(agentId: string): string;
  /** The database of the same agent, if OpenClaw keeps sessions in databases. */
  databasePathOf(agentId: string): string;
}

/** @param cwd what a relative `session.store` is taken from, as by OpenClaw */
export function openclawLayoutOf(
  stateDir: string,
  config: OpenclawConfig | undefined,
  { env, cwd }: { env: Environment; cwd: string },
): OpenclawLayout {
  const defaultAgentId = config?.defaultAgentId ?? DEFAULT_AGENT_ID;
  const store = config?.store;
  const isShared = store !== undefined && !store.includes('{agentId}');
  const storePathOf = (agentId: string) => {
    if (store === undefined) return join(stateDir, 'agents', agentId, 'sessions', STORE_FILE_NAME);
    const path = store.replaceAll('{agentId}', resolveAgentFolderName(agentId));
    const isFromHere = !isAbsolute(path) && !/^~(?=$|[/\\])/.test(path);
    return resolveUserPath(isFromHere ? resolve(cwd, path) : path, {
      ...env,
      HOME: resolveOpenclawHome(env),
    });
  };
  return {
    stateDir,
    defaultAgentId,
    agentIds: config?.agentIds ?? [],
    isShared,
    storePathOf,
    databasePathOf: (agentId) =>
      databaseBeside(storePathOf(agentId), agentId, !isShared || agentId === defaultAgentId),
  };
}

/**
 * As OpenClaw 2026.9 names the database of a store that was configured for files: with the agent in its name, but for
 * `main`. Parts of it leave the agent out for others too, so what is there decides.
 * @param mayBePlain a database without an agent in its name can be this one's
 */
function databaseBeside(storePath: string, agentId: string, mayBePlain: boolean): string {
  if (storePath.endsWith('.sqlite')) return storePath;
  const folder = dirname(storePath);
  const agentFolder = dirname(folder);
  const isNamedAsUsual = basename(storePath) === STORE_FILE_NAME;
  if (isNamedAsUsual && basename(folder) === 'sessions' && basename(dirname(agentFolder)) === 'agents') {
    return join(agentFolder, 'agent', AGENT_DATABASE_NAME);
  }
  const name = isNamedAsUsual
    ? basename(AGENT_DATABASE_NAME, '.sqlite')
    : basename(storePath, extname(storePath));
  const own = join(folder, `${name}.${agentId}.sqlite`);
  const plain = join(folder, `${name}.sqlite`);
  if (existsSync(own)) return own;
  return agentId === DEFAULT_AGENT_ID || (mayBePlain && existsSync(plain)) ? plain : own;
}

import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { isValidAgentId } from '@openbot/sessions/key';
import {
  type Environment,
  OPENCLAW_STATE,
  type OpenclawLayout,
  openclawLayoutOf,
  readDataFile,
  readOpenclawConfig,
  resolveUserPath,
} from '@openbot/sessions/layout';

/** An installation of OpenClaw. It is only read. */
export interface OpenclawSource {
  readonly layout: OpenclawLayout;
  /** Undefined where it has no configuration. */
  readonly configPath?: string;
  /** As it is written, with what it includes. */
  readonly written: unknown;
  /** What it knows as variables: its environment, then the file `.env` of its folder. */
  readonly env: Environment;
  /** Those of the configuration, and those that have a folder. */
  readonly agentIds: readonly string[];
}

const CONFIG_NAMES = ['openclaw.json', 'clawdbot.json'];

/**
 * @param path a state folder or a configuration; where OpenClaw itself would look when absent
 * @throws OpenBotError OPENCLAW_NOT_FOUND, USAGE for our own state folder, CONFIG_UNREADABLE
 */
export function findOpenclaw(
  path: string | undefined,
  place: { readonly stateDir: string; readonly env: Environment; readonly cwd: string },
): OpenclawSource {
  const given = path === undefined ? undefined : resolveUserPath(path, place.env);
  const isFile = given !== undefined && statSync(given, { throwIfNoEntry: false })?.isFile() === true;
  const named = isFile ? given : given === undefined ? place.env.OPENCLAW_CONFIG_PATH?.trim() : undefined;
  const stateDir = isFile
    ? dirname(given)
    : (given ?? resolveStateDir({ env: place.env, convention: OPENCLAW_STATE }));
  const configPath = named || CONFIG_NAMES.map((name) => join(stateDir, name)).find((one) => existsSync(one));
  if (configPath === undefined && !existsSync(join(stateDir, 'agents'))) throw notFound(stateDir);
  if (isSame(stateDir, place.stateDir)) throw isOwn(stateDir);
  const env = { ...readVariables(join(stateDir, '.env')), ...place.env };
  const forConfig = { ...env, OPENCLAW_CONFIG_PATH: configPath };
  const layout = openclawLayoutOf(stateDir, readOpenclawConfig(stateDir, forConfig, parseJson5), {
    env,
    cwd: place.cwd,
  });
  const folders = listFolders(join(stateDir, 'agents'));
  return {
    layout,
    configPath,
    written:
      configPath === undefined ? {} : readDataFile(configPath, { parseJson5, fail: unreadable })?.value,
    env,
    agentIds: [...new Set([layout.defaultAgentId, ...layout.agentIds, ...folders])],
  };
}

function parseJson5(text: string): unknown {
  const { parseJSON5 } = createRequire(import.meta.url)('confbox/json5') as typeof import('confbox/json5');
  return parseJSON5(text);
}

function readVariables(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((one) => one.isDirectory() && isValidAgentId(one.name))
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

function notFound(stateDir: string): OpenBotError {
  return new OpenBotError('OPENCLAW_NOT_FOUND', `There is no OpenClaw in ${stateDir}`, {
    hint: 'Name its state folder, or its openclaw.json: openbot init --from-openclaw <path>',
  });
}

function isOwn(stateDir: string): OpenBotError {
  return new OpenBotError('USAGE', `${stateDir} is the state folder of openbot itself`, {
    hint: `Without an openbot.json in it, openbot uses what is there as it is. To copy it: --state-dir <another folder>`,
  });
}

function unreadable(path: string, why: string, cause?: unknown): OpenBotError {
  return new OpenBotError('CONFIG_UNREADABLE', `Cannot read ${basename(path)} in ${dirname(path)}: ${why}`, {
    hint: 'Repair it, or name another one',
    cause,
  });
}

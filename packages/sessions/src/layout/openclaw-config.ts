import { constants, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isJsonObject } from '../entry/json-object.ts';
import { OpenBotError } from '../errors.ts';
import { normalizeAgentId } from '../key/normalize.ts';
import { type Environment, resolveOpenclawHome, resolveUserPath } from './state-dir.ts';

/** What OpenClaw's configuration says of where sessions are. */
export interface OpenclawConfig {
  /** `session.store`, its variables filled in; `{agentId}` and `~` are still in it. */
  readonly store?: string;
  /** The agent that OpenClaw takes where none is named. */
  readonly defaultAgentId?: string;
  readonly agentIds: readonly string[];
}

const CONFIG_NAMES = ['openclaw.json', 'clawdbot.json'];
const MOST_INCLUDES = 10;

/**
 * Reads `OPENCLAW_CONFIG_PATH`, or `openclaw.json` in the state folder. It is data: nothing in it is executed. Undefined
 * where there is none.
 * @param env without `OPENCLAW_CONFIG_PATH` where the state folder is not the environment's own
 * @param parseJson5 called for what is no plain JSON; throws where it is no JSON5 either
 * @throws OpenBotError CONFIG_UNREADABLE
 */
export function readOpenclawConfig(
  stateDir: string,
  env: Environment,
  parseJson5: (text: string) => unknown,
): OpenclawConfig | undefined {
  const parseText = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return parseJson5(text);
    }
  };
  const named = env.OPENCLAW_CONFIG_PATH?.trim();
  const paths = named
    ? [resolveUserPath(named, { ...env, HOME: resolveOpenclawHome(env) })]
    : CONFIG_NAMES.map((name) => join(stateDir, name));
  for (const path of paths) {
    const text = readText(path);
    if (text !== undefined) return interpret(path, parse(path, text, dirname(path), parseText), env);
  }
  return undefined;
}

function interpret(path: string, config: unknown, env: Environment): OpenclawConfig {
  const { session, agents } = isJsonObject(config) ? config : {};
  const store = isJsonObject(session) ? session.store : undefined;
  const named = isJsonObject(agents) ? agents : {};
  const roster = listAgents(named);
  return {
    ...(typeof store === 'string' && store.trim() !== '' ? { store: fillIn(path, store.trim(), env) } : {}),
    ...chooseDefault(roster, named),
    agentIds: [...new Set(roster.map(({ id }) => id))],
  };
}

interface ConfiguredAgent {
  readonly id: string;
  readonly isDefault: boolean;
  /** Only the older of the two forms is in an order of which the first counts. */
  readonly isListed: boolean;
}

/** `agents.list`, an array, up to 2026.7; `agents.entries`, by id, since. */
function listAgents({ entries, list }: Record<string, unknown>): ConfiguredAgent[] {
  if (isJsonObject(entries)) {
    return Object.keys(entries).map((id) => ({
      id: normalizeAgentId(id),
      // A mark in an entry counts for nothing there.
      isDefault: false,
      isListed: false,
    }));
  }
  if (!Array.isArray(list)) return [];
  return list.filter(isJsonObject).map((agent) => ({
    id: normalizeAgentId(typeof agent.id === 'string' ? agent.id : ''),
    isDefault: Boolean(agent.default),
    isListed: true,
  }));
}

function chooseDefault(
  roster: readonly ConfiguredAgent[],
  { defaults }: Record<string, unknown>,
): { defaultAgentId?: string } {
  const [first] = roster;
  const chosen =
    roster.find(({ isDefault }) => isDefault) ??
    roster.find(({ id }) => id === systemAgentOf(defaults)) ??
    (first?.isListed || roster.length === 1 ? first : undefined);
  return chosen === undefined ? {} : { defaultAgentId: chosen.id };
}

/** Since 2026.9: the one of several that answers where none is named. */
function systemAgentOf(defaults: unknown): string | undefined {
  const system = isJsonObject(defaults) ? defaults.systemAgent : undefined;
  const id = isJsonObject(system) ? system.agentId : undefined;
  return typeof id === 'string' && id.trim() !== '' ? normalizeAgentId(id) : undefined;
}

function fillIn(path: string, text: string, env: Environment): string {
  return text.replace(/\$?\$\{([A-Z_][A-Z0-9_]*)\}/g, (found, name: string) => {
    if (found.startsWith('$$')) return found.slice(1);
    const value = env[name];
    if (value === undefined || value === '')
      throw unreadable(path, `it names the variable ${name}, which is not set`);
    return value;
  });
}

/** With the files that it includes; what it says itself wins over them. */
function parse(
  path: string,
  text: string,
  root: string,
  parseText: (text: string) => unknown,
  depth = 0,
): unknown {
  let config: unknown;
  try {
    config = parseText(text);
  } catch (error) {
    throw unreadable(path, (error as Error).message, error);
  }
  if (!isJsonObject(config) || config.$include === undefined) return config;
  const { $include: included, ...own } = config;
  if (depth >= MOST_INCLUDES) throw unreadable(path, 'too many files include each other');
  const parts = (Array.isArray(included) ? included : [included]).map((name) => {
    const target = resolve(dirname(path), String(name));
    if (!target.startsWith(root + sep))
      throw unreadable(path, `it includes ${target}, which is outside of its folder`);
    const content = readText(target);
    if (content === undefined) throw unreadable(path, `it includes ${target}, which is not there`);
    return parse(target, content, root, parseText, depth + 1);
  });
  return [...parts, own].reduce(merge);
}

function merge(under: unknown, over: unknown): unknown {
  if (!isJsonObject(under) || !isJsonObject(over)) return over;
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    merged[key] = Object.hasOwn(under, key) ? merge(under[key], value) : value;
  }
  return merged;
}

function readText(path: string): string | undefined {
  try {
    return readSmallFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(path, message, error);
  }
}

function unreadable(path: string, why: string, cause?: unknown): OpenBotError {
  return new OpenBotError('CONFIG_UNREADABLE', `Cannot read OpenClaw's configuration ${path}: ${why}`, {
    hint: 'It may name another folder for sessions. Repair it, or name the session by its path.',
    cause,
  });
}

/** Settings and titles are far smaller. */
const LARGEST_BYTES = 16 * 1024 * 1024;

/** For a pipe that takes the place of the file meanwhile. Windows has neither the flag nor such pipes. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The text of a small file that may be in another user's folder. A pipe or a device in its place would never end, and
 * no signal is heard meanwhile, so only an ordinary file is read.
 */
export function readSmallFile(path: string): string {
  const stats = statSync(path);
  if (stats.isDirectory()) throw new Error('it is a folder');
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size > LARGEST_BYTES) throw new Error(`it is larger than ${LARGEST_BYTES} bytes`);
  // The type leaves out that flags may be a number.
  return readFileSync(path, { encoding: 'utf8', flag: WITHOUT_WAITING as unknown as string });
}

import { basename, join } from 'node:path';
import { isJsonObject } from '../entry/json-object.ts';
import { OpenBotError } from '../errors.ts';
import { normalizeAgentId } from '../key/normalize.ts';
import { fillInVariables, readDataFile } from './data-file.ts';
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
  const named = env.OPENCLAW_CONFIG_PATH?.trim();
  const paths = named
    ? [resolveUserPath(named, { ...env, HOME: resolveOpenclawHome(env) })]
    : CONFIG_NAMES.map((name) => join(stateDir, name));
  for (const path of paths) {
    const file = readDataFile(path, { parseJson5, fail: unreadable });
    if (file !== undefined) return interpret(path, file.value, env);
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
  return fillInVariables(text, env, (name) =>
    unreadable(path, `it names the variable ${name}, which is not set`),
  );
}

function unreadable(path: string, why: string, cause?: unknown): OpenBotError {
  // Ours has the same words for where sessions are.
  const whose = basename(path) === 'openbot.json' ? 'the configuration' : "OpenClaw's configuration";
  return new OpenBotError('CONFIG_UNREADABLE', `Cannot read ${whose} ${path}: ${why}`, {
    hint: 'It may name another folder for sessions. Repair it, or name the session by its path.',
    cause,
  });
}

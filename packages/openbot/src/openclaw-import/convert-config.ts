/** What of an `openclaw.json` becomes an `openbot.json`. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { normalizeAgentId } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { type ConfigFault, checkConfig } from '../config/check-config.ts';
import { readSetting, type SettingPath, showSettingPath } from '../config/setting-path.ts';
import { type CopiedSecret, isObject, type JsonObject, takeSecrets } from './convert-secrets.ts';
import { convertTools } from './convert-tools.ts';
import type { OpenclawSource } from './find-openclaw.ts';
import type { LeftOut } from './found-session.ts';
import { denySandboxed, keepChannelLimits } from './keep-limits.ts';

/** Notes of OpenClaw for itself. */
const OPENCLAWS_OWN = ['meta', 'wizard', '$schema'];

export interface ConvertedConfig {
  readonly config: JsonObject;
  readonly secrets: readonly CopiedSecret[];
  /** Settings whose secret is a variable or a file, and which: never a value. */
  readonly references: readonly { readonly setting: string; readonly reference: string }[];
  readonly workspaces: readonly string[];
  readonly leftOut: readonly LeftOut[];
  /** What is turned off because a limit on it would be gone, and what to do. */
  readonly warnings: readonly LeftOut[];
}

export function convertConfig(
  source: OpenclawSource,
  place: { readonly path: string; readonly env: Environment },
): ConvertedConfig {
  const config = isObject(source.written) ? structuredClone(source.written) : {};
  const leftOut: LeftOut[] = [];
  const warnings: LeftOut[] = [];
  listAgentsInOrder(config, source);
  keepWorkspaces(config, source);
  if (isObject(config.session) && config.session.store !== undefined) {
    delete config.session.store;
    leftOut.push({ what: 'session.store', why: 'sessions are copied to the state folder of openbot' });
  }
  if (config.gateway !== undefined) {
    delete config.gateway;
    leftOut.push({ what: 'gateway', why: 'the gateway of OpenClaw has its own ports and tokens' });
  }
  for (const name of OPENCLAWS_OWN) delete config[name];
  convertTools(config, leftOut);
  denySandboxed(config, warnings);
  const turnOffLimited = keepChannelLimits(config);
  const taken = takeSecrets(config, {
    there: source.env,
    here: place.env,
    leftOut,
    stateDir: dirname(place.path),
  });
  dropUnknown(config, place, leftOut);
  removeEmpty(config);
  turnOffLimited(warnings);
  const secrets = taken.filter(({ at, text }) => readSetting(config, at) === text);
  return {
    config,
    secrets: secrets.flatMap(({ secret }) => secret ?? []),
    references: secrets.map(({ at, text }) => ({ setting: showSettingPath(at), reference: text })),
    workspaces: listWorkspaces(config),
    leftOut,
    warnings,
  };
}

/** The newer form has the default agent elsewhere, and ours knows a mark. */
function listAgentsInOrder(config: JsonObject, { layout }: OpenclawSource): void {
  const { agents } = config;
  if (!isObject(agents) || !isObject(agents.entries)) return;
  const list = Object.entries(agents.entries).map(([id, settings]) => ({
    id,
    ...(isObject(settings) ? settings : {}),
    ...(normalizeAgentId(id) === layout.defaultAgentId ? { default: true } : { default: undefined }),
  }));
  agents.list = list.map((agent) =>
    Object.fromEntries(Object.entries(agent).filter(([, value]) => value !== undefined)),
  );
  delete agents.entries;
}

/** Notes and files of an agent are in its workspace, which stays where it is. */
function keepWorkspaces(config: JsonObject, { layout }: OpenclawSource): void {
  const agents = isObject(config.agents) ? config.agents : {};
  const defaults = isObject(agents.defaults) ? agents.defaults : {};
  if (defaults.workspace !== undefined) return;
  const list = Array.isArray(agents.list) ? agents.list.filter(isObject) : [];
  const own = join(layout.stateDir, 'workspace');
  if (list.length === 0 && existsSync(own)) {
    config.agents = { ...agents, defaults: { ...defaults, workspace: own } };
  }
  for (const agent of list) {
    const id = normalizeAgentId(String(agent.id));
    const folder = id === layout.defaultAgentId ? own : join(layout.stateDir, `workspace-${id}`);
    if (agent.workspace === undefined && existsSync(folder)) agent.workspace = folder;
  }
}

function listWorkspaces({ agents }: JsonObject): string[] {
  const { defaults, list } = isObject(agents) ? agents : {};
  const all = [defaults, ...(Array.isArray(list) ? list : [])].filter(isObject);
  return [...new Set(all.flatMap(({ workspace }) => (typeof workspace === 'string' ? [workspace] : [])))];
}

/** As often as something is found: one fault may hide another. */
const MOST_ROUNDS = 50;

function dropUnknown(
  config: JsonObject,
  { path, env }: { readonly path: string; readonly env: Environment },
  leftOut: LeftOut[],
): void {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const faults = checkConfig(config, { path, env }).faults.filter(({ isLocal }) => !isLocal);
    if (faults.length === 0) return;
    const before = structuredClone(config);
    const found = new Map(faults.map((fault) => [showSettingPath(wholeOf(fault.at)), fault]));
    leftOut.push(...[...found.values()].map((fault) => describe(config, fault)));
    // From the back, so that the places of earlier ones in a list hold.
    for (const { at } of [...found.values()].toReversed()) removeAt(config, wholeOf(at));
    if (isDeepStrictEqual(before, config)) {
      for (const { at } of faults) removeAt(config, wholeOf(at).slice(0, -1));
    }
  }
}

/** A rule or a binding without one of its conditions would hold for more than it should. */
function wholeOf(at: SettingPath): SettingPath {
  if (at[0] === 'bindings') return at.slice(0, 2);
  if (at[0] === 'session' && at[1] === 'sendPolicy' && at[2] === 'rules') return at.slice(0, 4);
  return at;
}

function describe(config: JsonObject, { at, says }: ConfigFault): LeftOut {
  const whole = wholeOf(at);
  const why =
    REASONS[String(at[0])] ?? (/^is not a setting/.test(says) ? 'openbot has no such setting' : says);
  const binding = at[0] === 'bindings' ? readSetting(config, whole) : undefined;
  if (!isObject(binding)) return { what: showSettingPath(whole), why };
  const { channel } = isObject(binding.match) ? binding.match : {};
  const inside = at.length > 2 ? `${showSettingPath(at.slice(2))}: ` : '';
  return { what: `the binding of ${channel} to ${binding.agentId}`, why: `${inside}${why}` };
}

const REASONS: Readonly<Record<string, string>> = {
  auth: 'OpenClaw keeps these credentials itself; set keys of models in the environment or in models.providers',
  env: 'variables belong into the environment of openbot',
  plugins: 'plugins of OpenClaw do not run here',
  cron: 'openbot has heartbeats, and no timers',
  hooks: 'openbot has no hooks',
};

function removeAt(config: JsonObject, at: SettingPath): void {
  const last = at.at(-1);
  const parent = readSetting(config, at.slice(0, -1));
  if (Array.isArray(parent) && typeof last === 'number') parent.splice(last, 1);
  else if (isObject(parent) && last !== undefined) delete parent[last];
}

/** Sections of which nothing is left. An empty list says something, and so does a group without settings. */
function removeEmpty(value: JsonObject | unknown[], isOfGroups = false): void {
  for (const [name, part] of Object.entries(value)) {
    const areGroups = name === 'groups' || name === 'topics';
    if (isObject(part) || Array.isArray(part)) removeEmpty(part, areGroups);
    const isEmpty = isObject(part) && Object.keys(part).length === 0;
    if (isEmpty && !areGroups && !isOfGroups && !Array.isArray(value)) delete value[name];
  }
}

/** What OpenClaw limited and openbot does not: the thing is turned off rather than left without its limit. */
import { readSetting, showSettingPath } from '../config/setting-path.ts';
import { isObject, type JsonObject } from './convert-secrets.ts';
import type { LeftOut } from './found-session.ts';

/** Settings of OpenClaw for all channels, beside their names. */
const FOR_ALL = 'defaults';

/** Those for all channels that a channel has too. */
const KNOWN_FOR_ALL = ['dmPolicy', 'allowFrom', 'groupPolicy', 'groupAllowFrom'];
/** Limits that hold here. Others may come over as settings of their network, and would limit nothing. */
const KNOWN = new Set([...KNOWN_FOR_ALL, 'groups', 'guilds']);

/**
 * Channels and accounts with a limit on who may write. Read before anything is left out; the function that is returned turns
 * those off of whose limits something does not hold here.
 */
export function keepChannelLimits(config: JsonObject): (warnings: LeftOut[]) => void {
  const channels = isObject(config.channels) ? config.channels : {};
  takeOverDefaults(channels);
  const shared = limitsIn(channels[FOR_ALL]).map((at) => ['channels', FOR_ALL, ...at]);
  delete channels[FOR_ALL];
  const limited = Object.entries(channels).flatMap(([name, channel]) => {
    if (!isObject(channel)) return [];
    const { accounts, ...own } = channel;
    const at = ['channels', name];
    const limits = [...limitsIn(own).map((inside) => [...at, ...inside]), ...shared];
    const ofAccounts = Object.entries(isObject(accounts) ? accounts : {}).map(([id, account]) => {
      const place = [...at, 'accounts', id];
      return { at: place, limits: limitsIn(account).map((inside) => [...place, ...inside]) };
    });
    return [{ at, limits }, ...ofAccounts].filter((one) => one.limits.length > 0);
  });
  return (warnings) => {
    for (const { at, limits: all } of limited) {
      const limits = all.filter(
        (limit) =>
          !KNOWN.has(limit[limit[2] === 'accounts' ? 4 : 2]!) || readSetting(config, limit) === undefined,
      );
      if (limits.length === 0) continue;
      const place = objectAt(config, at);
      if (place.enabled === false) continue;
      place.enabled = false;
      const name = showSettingPath(at);
      warnings.push({
        what: `${name} is turned off`,
        why: `OpenClaw limits who may write there, and openbot would not: ${limits.map(showSettingPath).join(', ')}. If everybody may write: openbot config set ${name}.enabled true`,
      });
    }
  };
}

function takeOverDefaults(channels: JsonObject): void {
  const shared = isObject(channels[FOR_ALL]) ? channels[FOR_ALL] : {};
  for (const [name, channel] of Object.entries(channels)) {
    if (name === FOR_ALL || !isObject(channel)) continue;
    for (const setting of KNOWN_FOR_ALL)
      if (shared[setting] !== undefined) channel[setting] ??= structuredClone(shared[setting]);
    const accounts = isObject(channel.accounts) ? Object.values(channel.accounts).filter(isObject) : [];
    for (const place of [channel, ...accounts]) closeUnlisted(place, channel);
  }
  for (const setting of KNOWN_FOR_ALL) delete shared[setting];
}

/** OpenClaw hears everybody only where the list says so too. */
function closeUnlisted(place: JsonObject, { dmPolicy, allowFrom }: JsonObject): void {
  const list = place.allowFrom ?? allowFrom;
  const isOpen = (place.dmPolicy ?? dmPolicy) === 'open';
  if (isOpen && !(Array.isArray(list) && list.includes('*'))) place.dmPolicy = 'allowlist';
}

/** The names of lists of those who may write; `*` in one is everybody. */
const LISTS = /^(?:.*allowFrom|allowlist|users|roles)$/i;
/** Where they exist, those that they do not name may not write. */
const MAPS = ['guilds', 'channels', 'groups'];

/** @param isPlace whether these are settings of a conversation, which may be switched off */
function limitsIn(value: unknown, isPlace = false): string[][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    if (/policy$/i.test(name) && typeof part === 'string') return part === 'open' ? [] : [[name]];
    if (LISTS.test(name) && Array.isArray(part)) return part.includes('*') ? [] : [[name]];
    if (isPlace && ['allow', 'enabled'].includes(name) && part === false) return [[name]];
    const isMap = MAPS.includes(name) && isObject(part);
    const isInside = isPlace || name === 'dm' || isMap;
    const inside = limitsIn(part, isInside).map((limit) => [name, ...limit]);
    return isMap && !Object.hasOwn(part, '*') ? [[name], ...inside] : inside;
  });
}

/** OpenClaw ran the commands of these agents in a sandbox; here they would run on the machine itself. */
export function denySandboxed(config: JsonObject, warnings: LeftOut[]): void {
  const agents = isObject(config.agents) ? config.agents : {};
  const defaults = isObject(agents.defaults) ? agents.defaults : {};
  const isOn = isSandboxed(defaults, false);
  if (isOn) deny(defaults, {}, 'agents.defaults', warnings);
  for (const [at, agent] of (Array.isArray(agents.list) ? agents.list : []).entries()) {
    if (!isObject(agent) || !isSandboxed(agent, isOn)) continue;
    const isInherited = isOn && securityOf(agent) === undefined;
    if (!isInherited) deny(agent, defaults, `agents.list[${at}]`, warnings);
  }
}

function isSandboxed({ sandbox }: JsonObject, inherited: boolean): boolean {
  if (!isObject(sandbox)) return typeof sandbox === 'boolean' ? sandbox : inherited;
  return sandbox.mode === undefined ? inherited : sandbox.mode !== 'off';
}

function deny(agent: JsonObject, defaults: JsonObject, what: string, warnings: LeftOut[]): void {
  // Tools of an agent take the place of those of all agents.
  const tools = isObject(agent.tools) ? agent.tools : isObject(defaults.tools) ? { ...defaults.tools } : {};
  agent.tools = { ...tools, exec: { ...(isObject(tools.exec) ? tools.exec : {}), security: 'deny' } };
  warnings.push({
    what: `${what}: no command runs`,
    why: `OpenClaw ran commands in a sandbox, which openbot does not have. To run them on this machine: openbot config set ${what}.tools.exec.security allowlist, and list them in ${what}.tools.exec.allowlist`,
  });
}

function securityOf({ tools }: JsonObject): unknown {
  return isObject(tools) && isObject(tools.exec) ? tools.exec.security : undefined;
}

function objectAt(config: JsonObject, at: readonly string[]): JsonObject {
  let place = config;
  for (const name of at) {
    if (!isObject(place[name])) place[name] = {};
    place = place[name] as JsonObject;
  }
  return place;
}

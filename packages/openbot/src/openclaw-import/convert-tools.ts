/** Which tools an agent may use: OpenClaw's names for them become ours, and what it denies stays denied. */
import { isObject, type JsonObject } from './convert-secrets.ts';
import type { LeftOut } from './found-session.ts';

const FILE_READERS = ['read_file', 'list_files', 'grep'];
const FILE_WRITERS = ['write_file', 'edit_file'];

const OF_SESSIONS = [
  'sessions_list',
  'sessions_history',
  'sessions_send',
  'sessions_spawn',
  'session_status',
];
/** Those that have the same name here. */
const SAME_NAMES = [...OF_SESSIONS, 'memory_search', 'message'];
const OURS_ALONE = ['context_clean', 'claude_code', 'claude_code_send'];

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'group:sessions': OF_SESSIONS,
  'group:memory': ['memory_search'],
  'group:messaging': ['message'],
};

/** Our tools by OpenClaw's names. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(SAME_NAMES.map((name) => [name, [name]])),
  ...GROUPS,
  read: FILE_READERS,
  write: ['write_file'],
  edit: ['edit_file'],
  exec: ['exec'],
  'group:fs': [...FILE_READERS, ...FILE_WRITERS],
  'group:runtime': ['exec'],
  'group:openclaw': [...FILE_READERS, ...FILE_WRITERS, 'exec', ...SAME_NAMES],
};

/** Of OpenClaw's documentation: what an agent may use where no list says it. `full` is everything. */
const PROFILES: Readonly<Record<string, readonly string[]>> = {
  minimal: ['session_status'],
  coding: ['group:fs', 'group:runtime', 'group:sessions', 'group:memory'],
  messaging: ['group:messaging', 'sessions_list', 'sessions_history', 'sessions_send', 'session_status'],
};

/** Rules that deny the same. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries([...SAME_NAMES, ...OURS_ALONE].map((name) => [name, [name]])),
  ...GROUPS,
  read: ['Read', 'Grep'],
  write: ['Write'],
  edit: ['Edit'],
  apply_patch: ['Edit'],
  exec: ['Bash'],
  bash: ['Bash'],
  process: ['Bash'],
  'group:fs': ['Read', 'Grep', 'Edit', 'Write'],
  'group:runtime': ['Bash'],
};

export function convertTools(config: JsonObject, leftOut: LeftOut[]): void {
  const agents = isObject(config.agents) ? config.agents : {};
  const defaults = isObject(agents.defaults) ? agents.defaults : {};
  if (isObject(config.tools)) {
    convert(config.tools, defaults, 'tools', leftOut);
    const { allow } = config.tools;
    if (allow !== undefined) defaults.tools = { ...asObject(defaults.tools), allow };
    delete config.tools.allow;
  }
  convert(defaults.tools, defaults, 'agents.defaults.tools', leftOut);
  if (Object.keys(defaults).length > 0) config.agents = Object.assign(agents, { defaults });
  const list = Array.isArray(agents.list) ? agents.list : [];
  for (const [at, agent] of list.entries()) {
    if (isObject(agent))
      convert(agent.tools, agent, `agents.list[${at}].tools`, leftOut, denialsOf(defaults));
  }
}

/** @param inherited those of an agent take the place of those for all */
function convert(
  tools: unknown,
  agent: JsonObject,
  what: string,
  leftOut: LeftOut[],
  inherited: readonly string[] = [],
): void {
  if (!isObject(tools)) return;
  readProfile(tools, what, leftOut);
  if (Array.isArray(tools.allow)) allow(tools, tools.allow.map(lower), what, leftOut);
  if (!Array.isArray(tools.deny)) return;
  const names = tools.deny.map(lower);
  delete tools.deny;
  const rules = [...new Set([...inherited, ...names.flatMap((name) => expand(name, RULES))])];
  const unknown = names.filter((name) => expand(name, RULES).length === 0);
  if (rules.length > 0) agent.permissions = { ...asObject(agent.permissions), deny: rules };
  if (unknown.length > 0) {
    leftOut.push({
      what: `${what}.deny: ${unknown.join(', ')}`,
      why: 'openbot has no such tools, or under other names',
    });
  }
}

/** Becomes a list. Beside a list it is left out: what both together allow is not plain. */
function readProfile(tools: JsonObject, what: string, leftOut: LeftOut[]): void {
  const { profile } = tools;
  delete tools.profile;
  if (profile === undefined) return;
  const names = PROFILES[lower(profile)];
  if (lower(profile) === 'full') return;
  if (names !== undefined && tools.allow === undefined) tools.allow = names;
  else {
    const why =
      tools.allow === undefined
        ? 'openbot has no profiles of tools. Name the tools that the agent may use: tools.allow of an agent'
        : `openbot has no profiles of tools: ${what}.allow alone holds`;
    leftOut.push({ what: `${what}.profile: ${String(profile)}`, why });
  }
}

/** Everything is allowed where there is no list. */
function allow(tools: JsonObject, names: readonly string[], what: string, leftOut: LeftOut[]): void {
  if (names.includes('*')) {
    delete tools.allow;
    return;
  }
  const isPattern = (name: string) => name.startsWith('group:') || name.includes('*');
  tools.allow = [
    ...new Set(
      names.flatMap((name) => (isPattern(name) || Object.hasOwn(TOOLS, name) ? expand(name, TOOLS) : [name])),
    ),
  ];
  const unknown = names.filter((name) => isPattern(name) && expand(name, TOOLS).length === 0);
  if (unknown.length > 0) {
    leftOut.push({ what: `${what}.allow: ${unknown.join(', ')}`, why: 'openbot has no such tools' });
  }
}

/** What a name stands for, which may have a `*` for any text. */
function expand(name: string, table: Readonly<Record<string, readonly string[]>>): readonly string[] {
  if (!name.includes('*')) return Object.hasOwn(table, name) ? table[name]! : [];
  const parts = name.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`);
  return Object.keys(table).flatMap((known) => (pattern.test(known) ? table[known]! : []));
}

function lower(name: unknown): string {
  return String(name).trim().toLowerCase();
}

function denialsOf({ permissions }: JsonObject): readonly string[] {
  const { deny } = asObject(permissions);
  return Array.isArray(deny) ? deny : [];
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

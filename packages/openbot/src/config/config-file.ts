import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { normalizeAgentId, OpenBotError } from '@openbot/sessions';
import { type Environment, fillInVariables, readDataFile } from '@openbot/sessions/layout';
import { listAgentIds, shareOneStore } from './agents.ts';
import type { BotConfig } from './bot-config.ts';
import { botConfigSchema } from './schema/schema.ts';

/** Its content, checked and with its variables filled in. Unknown settings are kept. Throws CONFIG_INVALID. */
export function readConfigFile(path: string, env: Environment): BotConfig {
  const file = readDataFile(path, { parseJson5, fail: unreadable });
  if (file === undefined) throw unreadable(path, 'it is a link to a file that does not exist');
  const config = fillIn(file.value, [], path, env);
  const { error } = botConfigSchema.safeParse(config);
  if (error !== undefined) {
    throw invalid(
      path,
      error.issues.map((issue) => [issue.path, issue.message]),
    );
  }
  refuseMisfits(config as BotConfig, path);
  return config as BotConfig;
}

/** Loaded where a file is no plain JSON. */
function parseJson5(text: string): unknown {
  const { parseJSON5 } = createRequire(import.meta.url)('confbox/json5') as typeof import('confbox/json5');
  return parseJSON5(text);
}

/** In all texts, also those of settings that are not known here: they may be known to a channel. */
function fillIn(value: unknown, at: readonly PropertyKey[], path: string, env: Environment): unknown {
  if (typeof value === 'string') {
    return fillInVariables(value, env, (name) => missingVariable(path, at, name));
  }
  if (Array.isArray(value)) return value.map((item, index) => fillIn(item, [...at, index], path, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillIn(item, [...at, key], path, env)]),
  );
}

/**
 * What one value alone does not show. A binding with a misspelt agent would hand private messages to another one, and two
 * agents with one id, or with one session "global" in one store, would share their sessions.
 */
function refuseMisfits(config: BotConfig, path: string): void {
  const { agents, bindings = [] } = config;
  const ids = agents?.list?.map(({ id }) => id) ?? Object.keys(agents?.entries ?? {});
  const names = ids.map(normalizeAgentId);
  const faults: Fault[] = ids.flatMap((id, index): Fault[] => {
    const at = agents?.list === undefined ? ['agents', 'entries', id] : ['agents', 'list', index, 'id'];
    if (!isPlainName(id)) return [[at, 'must be a plain name: letters, digits, - and _']];
    return names.indexOf(names[index]!) === index ? [] : [[at, 'must not be the id of another agent']];
  });
  const known = bindings.length === 0 ? [] : listAgentIds(config, dirname(path));
  for (const [index, { agentId }] of bindings.entries()) {
    if (known.includes(normalizeAgentId(agentId))) continue;
    faults.push([['bindings', index, 'agentId'], `must be one of the agents: ${known.join(', ')}`]);
  }
  if (config.session?.scope === 'global' && shareOneStore(config, dirname(path))) {
    const why = 'must contain {agentId}: with session.scope "global" each agent has a session of that name';
    faults.push([['session', 'store'], why]);
  }
  if (faults.length > 0) throw invalid(path, faults);
}

function isPlainName(id: string): boolean {
  return /[\p{L}\p{N}]/u.test(id) && !/[/\\\0]|\.\./.test(id);
}

type Fault = readonly [at: readonly PropertyKey[], mustBe: string];

function invalid(path: string, faults: readonly Fault[]): OpenBotError {
  const lines = faults.map(([at, mustBe]) => `${path}: ${showSetting(at)} ${mustBe}`);
  return new OpenBotError('CONFIG_INVALID', lines.join('\n'), {
    hint: 'Correct the value, or leave the setting out',
  });
}

function missingVariable(path: string, at: readonly PropertyKey[], name: string): OpenBotError {
  return new OpenBotError(
    'CONFIG_INVALID',
    `${path}: ${showSetting(at)} names the variable ${name}, which is not set`,
    { hint: `Set ${name} in the environment. To write the text itself: $\${${name}}` },
  );
}

function unreadable(path: string, why: string, cause?: unknown): OpenBotError {
  return new OpenBotError('CONFIG_INVALID', `Cannot read ${path}: ${why}`, {
    hint: 'Correct the file, or move it away: without it the defaults hold',
    cause,
  });
}

/** `agents.list[0].model`; the whole file without a path. */
function showSetting(at: readonly PropertyKey[]): string {
  const parts = at.map((part, index) =>
    typeof part === 'number' ? `[${part}]` : index === 0 ? String(part) : `.${String(part)}`,
  );
  return parts.length === 0 ? 'the file' : parts.join('');
}

/** Everything that is wrong with the contents of a configuration, and its values with variables and files filled in. */
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { normalizeAgentId } from '@openbot/sessions';
import { type Environment, fillInVariables, readSmallFile, resolveUserPath } from '@openbot/sessions/layout';
import { findNearest } from '@openbot/sessions/terminal-text';
import type * as z from 'zod/mini';
import { listAgentIds, shareOneStore } from './agents.ts';
import type { BotConfig } from './bot-config.ts';
import { listCompactionMisfits } from './compaction-reserve.ts';
import { isKept } from './kept-settings.ts';
import { listRunnerMisfits } from './runner-misfits.ts';
import { findSchemas, isSecretSetting, listNames } from './schema/look-up.ts';
import { botConfigSchema, toBotConfig } from './schema/schema.ts';
import { readSetting, type SettingPath, showSettingPath } from './setting-path.ts';

export interface ConfigFault {
  readonly at: SettingPath;
  /** Follows the name of the setting, and never contains a value. */
  readonly says: string;
  readonly hint?: string;
  /** It holds on this machine alone: a variable that is not set, a file that is not there. */
  readonly isLocal?: boolean;
}

export interface CheckedConfig {
  readonly config: BotConfig;
  readonly faults: readonly ConfigFault[];
  /** What a person should know, and nothing is wrong with. */
  readonly notices: readonly string[];
}

export interface CheckOptions {
  readonly env: Environment;
  readonly path: string;
  /** A file of another program: what is not known here means nothing. */
  readonly isForeign?: boolean;
  /** A secret that is not to be found here is left out, and no fault. */
  readonly toleratesMissingSecrets?: boolean;
  /** Called with each file of a secret before it is read. */
  readonly onFile?: (path: string) => void;
}

export function checkConfig(value: unknown, options: CheckOptions): CheckedConfig {
  const faults: ConfigFault[] = [];
  const notices: string[] = [];
  const filled = fillIn(options.isForeign ? withoutGateway(value) : value, [], options, { faults, notices });
  const { config, ...own } = applySchema(filled, options);
  faults.push(...own.faults);
  notices.push(...own.notices);
  // What follows needs values of the right kind.
  const sound = own.faults.length === 0 ? config : withoutFaults(filled, own.faults, options);
  if (sound !== undefined) faults.push(...listMisfits(sound, options.path));
  return { config, faults, notices };
}

/** Its port and its tokens are those of the other program's gateway. */
function withoutGateway(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { gateway: _theirs, ...rest } = value as Record<string, unknown>;
  return rest;
}

function applySchema(filled: unknown, { isForeign }: CheckOptions): CheckedConfig {
  const faults: ConfigFault[] = [];
  const notices: string[] = [];
  const { error, data } = botConfigSchema.safeParse(filled);
  for (const issue of error?.issues ?? []) {
    for (const fault of explainIssue(issue)) {
      if (isKept(fault.at)) {
        if (!isForeign) notices.push(`${showSettingPath(fault.at)} has no effect`);
      } else if (!isForeign || findSchemas(fault.at).length > 0) faults.push(fault);
    }
  }
  // What is not known stays in it, where it is allowed.
  return { config: data === undefined ? (filled as BotConfig) : toBotConfig(data), faults, notices };
}

/** The rest of a wrong file, so that one fault does not hide another. Undefined where the rest says something else. */
function withoutFaults(
  filled: unknown,
  faults: readonly ConfigFault[],
  options: CheckOptions,
): BotConfig | undefined {
  const rest = structuredClone(filled);
  for (const { at } of faults) {
    const parent = readSetting(rest, at.slice(0, -1));
    // Without an item the others of a list would have other places.
    if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) return undefined;
    delete (parent as Record<string, unknown>)[String(at.at(-1))];
  }
  const checked = applySchema(rest, options);
  return checked.faults.length === 0 ? checked.config : undefined;
}

type Found = Record<'faults', ConfigFault[]> & Record<'notices', string[]>;

function fillIn(value: unknown, at: SettingPath, options: CheckOptions, found: Found): unknown {
  if (typeof value === 'string') return fillInText(value, at, options, found);
  if (Array.isArray(value)) return value.map((item, index) => fillIn(item, [...at, index], options, found));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const filled = fillInOrLeaveOut(item, [...at, key], options, found);
      return filled === undefined ? [] : [[key, filled]];
    }),
  );
}

function fillInOrLeaveOut(value: unknown, at: SettingPath, options: CheckOptions, found: Found): unknown {
  if (!options.toleratesMissingSecrets || typeof value !== 'string' || !isSecretSetting(at)) {
    return fillIn(value, at, options, found);
  }
  const own: Found = { faults: [], notices: found.notices };
  const filled = fillIn(value, at, options, own);
  found.notices.push(...own.faults.map(({ says }) => `${showSettingPath(at)} ${says}`));
  return own.faults.length === 0 ? filled : undefined;
}

function fillInText(text: string, at: SettingPath, options: CheckOptions, found: Found): string {
  const isSecret = isSecretSetting(at);
  if (options.isForeign && findSchemas(at).length === 0) return text;
  try {
    if (isSecret && text.startsWith('file:')) return readSecretFile(text.slice(5), at, options, found);
    return fillInVariables(text, options.env, (name) => new Missing(name));
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    found.faults.push({
      at,
      says: `names the variable ${error.message}, which is not set`,
      hint: `Set ${error.message} in the environment. To write the text itself: $\${${error.message}}`,
      isLocal: true,
    });
    return text;
  }
}

class Missing extends Error {}

/** Its text without the line end. Relative paths are from the folder of the configuration. */
function readSecretFile(name: string, at: SettingPath, options: CheckOptions, found: Found): string {
  const { path, env, onFile } = options;
  const says = (why: string): ConfigFault => ({
    at,
    says: `names a file ${why}`,
    hint: 'Paths are relative to the folder of the configuration; ~/ is the home folder',
    isLocal: true,
  });
  const given = name.trim();
  if (given === '' || given.includes('\0')) {
    found.faults.push(says('without a name'));
    return name;
  }
  const file = /^~(?=$|[/\\])/.test(given) ? resolveUserPath(given, env) : resolve(dirname(path), given);
  onFile?.(file);
  try {
    const secret = readSmallFile(file).replace(/\r?\n$/, '');
    if (secret === '') found.faults.push(says(`that is empty: ${file}`));
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
      found.notices.push(
        `${showSettingPath(at)}: other users of this machine can read ${file}. To change that: chmod 600 ${file}`,
      );
    }
    return secret;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    found.faults.push(
      says(
        code === 'ENOENT' || code === 'ENOTDIR'
          ? `that is not there: ${file}`
          : `that cannot be read: ${file} (${code ?? message})`,
      ),
    );
    return '-';
  }
}

/** One fault for every setting that the issue is about. Of a union, what is wrong with the form that was meant. */
function explainIssue(issue: z.core.$ZodIssue, above: SettingPath = []): ConfigFault[] {
  const at = [...above, ...(issue.path as (string | number)[])];
  if (issue.code === 'unrecognized_keys') {
    const names = listNames(at);
    return issue.keys.map((key) => {
      const nearest = findNearest(key, names);
      const says = nearest === undefined ? 'is not a setting' : `is not a setting. Did you mean ${nearest}?`;
      return {
        at: [...at, key],
        says,
        hint: 'Correct its name, or leave it out. openbot config schema lists all settings',
      };
    });
  }
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.filter((those) =>
      those.every(({ code, path }) => code !== 'invalid_type' || path.length > 0),
    );
    const [only] = meant;
    if (meant.length === 1) return only!.flatMap((inner) => explainIssue(inner, at));
  }
  return [{ at, says: issue.message }];
}

/**
 * What one value alone does not show. A binding with a misspelt agent would hand private messages to another one, and two
 * agents with one id, or with one session "global" in one store, would share their sessions.
 */
function listMisfits(config: BotConfig, path: string): ConfigFault[] {
  const { agents, bindings = [] } = config;
  const ids = agents?.list?.map(({ id }) => id) ?? Object.keys(agents?.entries ?? {});
  const names = ids.map(normalizeAgentId);
  const faults: ConfigFault[] = ids.flatMap((id, index): ConfigFault[] => {
    const at = agents?.list === undefined ? ['agents', 'entries', id] : ['agents', 'list', index, 'id'];
    if (!isPlainName(id)) return [{ at, says: 'must be a plain name: letters, digits, - and _' }];
    return names.indexOf(names[index]!) === index
      ? []
      : [{ at, says: 'must not be the id of another agent' }];
  });
  const known = bindings.length === 0 ? [] : listAgentIds(config, dirname(path));
  for (const [index, { agentId }] of bindings.entries()) {
    if (known.includes(normalizeAgentId(agentId))) continue;
    faults.push({
      at: ['bindings', index, 'agentId'],
      says: `must be one of the agents: ${known.join(', ')}`,
    });
  }
  if (config.session?.scope === 'global' && shareOneStore(config, dirname(path))) {
    const says = 'must contain {agentId}: with session.scope "global" each agent has a session of that name';
    faults.push({ at: ['session', 'store'], says });
  }
  faults.push(...listRunnerMisfits(config), ...listCompactionMisfits(config));
  return faults;
}

function isPlainName(id: string): boolean {
  return /[\p{L}\p{N}]/u.test(id) && !/[/\\\0]|\.\./.test(id);
}

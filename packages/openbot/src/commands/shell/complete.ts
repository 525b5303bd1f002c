import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { resolveStateDir, resolveStorePath } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { formatAge, oneLine, printable } from '@openbot/sessions/terminal-text';
import { listAgentIds, listConfigured } from '../../config/agents.ts';
import type { AgentSettings, BotConfig } from '../../config/bot-config.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import { type SettingPath, showSettingPath } from '../../config/setting-path.ts';

/** What a shell offers, with a remark. */
type Offer = readonly [text: string, remark: string];

interface Asked {
  readonly stateDir: string;
  readonly config: BotConfig;
  readonly env: CommandInput['env'];
  /** `--agent`, where it is on the line. */
  readonly agentId?: string;
}

/**
 * Lists agents, sessions, models, settings or channels for the completion of a shell: one for each line, a remark behind a tab. A shell shows
 * what a completion prints, so a failure prints nothing.
 */
export async function complete(input: CommandInput): Promise<void> {
  const [what = '', ...typed] = input.words as readonly string[];
  try {
    const { env } = input;
    const stateDir = resolve(resolveStateDir({ flag: readFlag(typed, '--state-dir'), env }));
    const config = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true }).then(
      (loaded) => loaded.config,
      () => ({}),
    );
    const asked = { stateDir, config, env, agentId: readFlag(typed, '--agent') };
    const offers = (await LISTS[what]?.(asked)) ?? [];
    // What a terminal would act on, or a shell would split, is not offered.
    const safe = offers.filter(([text]) => text === oneLine(text) && text === printable(text));
    input.terminal.write(safe.map(([text, remark]) => `${text}\t${oneLine(remark)}\n`).join(''));
  } catch {}
}

const LISTS: Readonly<Record<string, (asked: Asked) => readonly Offer[] | Promise<readonly Offer[]>>> = {
  agent: ({ config, stateDir }) => {
    const names = new Map(listConfigured(config).map(({ id, name }) => [id, name ?? '']));
    return listAgentIds(config, stateDir).map((id) => [id, names.get(id) ?? '']);
  },
  session: listSessions,
  model: ({ config, stateDir }) => [
    ...[config.agents?.defaults ?? {}, ...listConfigured(config)].flatMap(listNamed),
    ...Object.entries(config.models?.providers ?? {}).flatMap(([provider, { models = [] }]) =>
      models.map(({ id }): Offer => [`${provider}/${id}`, '']),
    ),
    ...listScripts(stateDir).map((name): Offer => [`script/${name}`, 'Scripted']),
    ['script/echo', 'Offline'],
  ],
  setting: listSettings,
  channel: listChannels,
};

/** All that has a name in the schema, and what the file names itself: providers, aliases. */
async function listSettings({ config }: Asked): Promise<Offer[]> {
  // The schema takes time to load, which the other lists do not need.
  const { listNames } = await import('../../config/schema/look-up.ts');
  const listBelow = (above: SettingPath, value: unknown): Offer[] => {
    const given = isObject(value) ? value : {};
    const names = new Set([...listNames(above), ...Object.keys(given)]);
    return [...names].flatMap((name): Offer[] => {
      const path = [...above, name];
      return [[showSettingPath(path), ''], ...listBelow(path, given[name])];
    });
  };
  return listBelow([], config);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Those that are configured, and those that sessions were used on. */
function listChannels(asked: Asked): Offer[] {
  const configured = Object.keys(asked.config.channels ?? {});
  const used = readSessions(asked).flatMap(({ channel }) => channel ?? []);
  const names = new Set([...configured, ...used.toSorted()]);
  return [...names].map((name) => [name, configured.includes(name) ? 'Configured' : '']);
}

function readSessions({ stateDir, config, env, agentId }: Asked) {
  const agentIds = agentId === undefined ? listAgentIds(config, stateDir) : [agentId];
  const paths = agentIds.map((id) => resolveStorePath(config.session?.store, { agentId: id, stateDir, env }));
  return [...new Set(paths)].flatMap(readEntries).sort((a, b) => b.updatedAt - a.updatedAt);
}

/** Keys first: they stay the same when a session begins anew. */
function listSessions(asked: Asked): Offer[] {
  const entries = readSessions(asked);
  const now = Date.now();
  return [
    ...entries.map(({ key, label, updatedAt }): Offer => [key, label ?? formatAge(updatedAt, now)]),
    ...entries.flatMap(({ key, label }): Offer[] => (label === undefined ? [] : [[label, key]])),
    ...entries.flatMap(({ key, sessionId }): Offer[] => (sessionId === undefined ? [] : [[sessionId, key]])),
  ];
}

function readEntries(path: string) {
  try {
    const store = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, unknown>>;
    return Object.entries(store).map(([key, { sessionId, label, updatedAt, lastChannel, channel }]) => ({
      key,
      sessionId: typeof sessionId === 'string' ? sessionId : undefined,
      label: typeof label === 'string' && label !== '' ? label : undefined,
      updatedAt: typeof updatedAt === 'number' ? updatedAt : 0,
      channel: [lastChannel, channel].find((name): name is string => typeof name === 'string' && name !== ''),
    }));
  } catch {
    return [];
  }
}

function listNamed({ model, models = {} }: AgentSettings): Offer[] {
  const names = typeof model === 'object' ? [model.primary, ...(model.fallbacks ?? [])] : [model];
  return [
    ...names.flatMap((name): Offer[] => (name === undefined ? [] : [[name, 'Configured']])),
    ...Object.entries(models).flatMap(([name, { alias }]): Offer[] => [
      [name, alias ?? ''],
      ...(alias === undefined ? [] : [[alias, name] as const]),
    ]),
  ];
}

function listScripts(stateDir: string): string[] {
  try {
    const names = readdirSync(join(stateDir, 'scripts'));
    return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
  } catch {
    return [];
  }
}

function readFlag(typed: readonly string[], name: string): string | undefined {
  const inline = typed.findLast((word) => word.startsWith(`${name}=`));
  if (inline !== undefined) return inline.slice(name.length + 1);
  const at = typed.lastIndexOf(name);
  return at < 0 ? undefined : typed[at + 1];
}

import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import {
  cutEnd,
  cutMiddle,
  formatCount,
  formatQuantity,
  layOutTable,
  printable,
  type TableColumn,
} from '@openbot/sessions/terminal-text';
import { type ListedAgent, listAgents } from '../../agent-roster/list-agents.ts';
import type { Binding } from '../../config/bot-config.ts';
import { loadBotConfig } from '../../config/load-config.ts';
import type { AGENTS_LIST_FLAGS } from './flags.ts';

/** Lists the agents of a state folder. */
export async function agentsList({
  flags,
  env,
  terminal,
}: CommandInput<typeof AGENTS_LIST_FLAGS>): Promise<void> {
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  const { config, path } = await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true });
  const agents = await listAgents({ config, stateDir, env });
  if (flags.json) {
    writeJson(terminal, { path, agents });
    return;
  }
  const { dim, green } = terminal.palette;
  const [titles, ...rows] = layOutTable(COLUMNS, agents, terminal.maxLineWidth, (text, { isDefault }) =>
    isDefault ? green(text) : text,
  );
  const bound = agents.flatMap(({ id, bindings }) => bindings.map((match) => [id, match] as const));
  terminal.write(
    [
      formatQuantity(agents.length, 'agent'),
      dim(titles!),
      ...rows,
      ...(bound.length === 0 ? [] : ['', formatQuantity(bound.length, 'binding')]),
      ...bound.map(([id, match]) => cutEnd(`${id} ← ${describeMatch(match)}`, terminal.maxLineWidth)),
      '',
    ].join('\n'),
  );
}

const COLUMNS: readonly TableColumn<ListedAgent>[] = [
  { title: 'ID', show: ({ id }) => id, cut: cutEnd, least: 8 },
  { title: 'DEFAULT', show: ({ isDefault }) => (isDefault ? 'yes' : ''), leave: 4 },
  { title: 'NAME', show: ({ name = '' }) => printable(name), cut: cutEnd, least: 6, leave: 2 },
  {
    title: 'MODEL',
    show: ({ model, fallbacks }) =>
      printable(fallbacks.length === 0 ? model : `${model} +${fallbacks.length}`),
    cut: cutEnd,
    least: 12,
  },
  {
    title: 'SESSIONS',
    show: ({ sessions }) => (sessions === undefined ? 'unreadable' : formatCount(sessions)),
    isFigure: true,
    leave: 3,
  },
  {
    title: 'WORKSPACE',
    show: ({ workspace }) => printable(workspace),
    cut: cutMiddle,
    least: 16,
    good: 30,
    leave: 1,
  },
];

/** `telegram, account work, group -100123` */
export function describeMatch(match: Binding['match']): string {
  const { channel, accountId, peer, group, guildId, teamId, roles } = match;
  return printable(
    [
      channel,
      accountId === undefined ? '' : `account ${accountId}`,
      peer === undefined ? '' : `${peer.kind} ${peer.id}`,
      group === undefined ? '' : `group ${group}`,
      guildId === undefined ? '' : `guild ${guildId}`,
      teamId === undefined ? '' : `team ${teamId}`,
      roles === undefined ? '' : `roles ${roles.join(', ')}`,
    ]
      .filter((part) => part !== '')
      .join(', '),
  );
}

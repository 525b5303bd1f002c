import { basename } from 'node:path';
import type { Environment } from '@openbot/sessions/layout';
import {
  cutMiddle,
  fitsWhole,
  formatAge,
  formatCount,
  formatQuantity,
  formatUsd,
  layOutTable,
  oneLine,
  type Palette,
  printable,
  roundCount,
  type TableColumn,
  wrapText,
} from '@openbot/sessions/terminal-text';
import type { RecentSession, StatusReport } from '../../state-report/contract.ts';
import type { AgentUsage } from '../../state-report/sum-usage.ts';
import { describeGateway, showHealth } from '../gateway/describe-gateway.ts';
import { paintContext, showContext, showPath } from '../session-cells.ts';

export interface StatusFormat {
  readonly now: number;
  readonly env: Environment;
  readonly all: boolean;
  readonly palette: Palette;
  readonly columns: number;
}

type Shown = StatusReport & { readonly version: string; readonly usage?: readonly AgentUsage[] };
/** A name, and what is to say of it: one line for each. */
type Line = readonly [name: string, ...says: readonly string[]];

/** The report for people: one line for each part, then the sessions, then what is wrong. */
export function formatStatus(report: Shown, format: StatusFormat): string {
  const { palette, columns, now } = format;
  // What depends on a configuration that cannot be used is not known.
  const isKnown = !hasFault(report, 'configuration');
  const lines: Line[] = [
    ['State', ...describeState(report, format)],
    ...(isKnown || report.agents.length > 0 ? [['Agents', ...describeAgents(report, format)] as const] : []),
    ['Queue', ...describeQueue(report, format)],
    ['Outbox', ...describeOutbox(report, format)],
    ...(isKnown ? [['Channels', ...describeChannels(report, format)] as const] : []),
    ['Gateway', ...describeGateway(report.gateway, format)],
    ...(isKnown ? [['Models', ...describeModels(report, format)] as const] : []),
    ['Index', describeIndex(report)],
    ...describeDrops(report, format),
    ...(report.usage === undefined ? [] : [['Usage', ...report.usage.map(describeUsage)] as const]),
  ];
  const { recent, count } = report.sessions;
  const table = recent.length === 0 ? [] : layOutSessions(recent, { palette, columns, now });
  const more =
    count > recent.length
      ? [palette.dim(`${formatCount(count - recent.length)} more: openbot sessions`)]
      : [];
  const faults = report.faults.flatMap(({ part, message }) =>
    wrap(`${palette.red('✗')} ${printable(part)}: ${printable(message)}`, columns),
  );
  return [
    `openbot ${report.version}`,
    ...layOutLines(lines, format),
    ...(table.length === 0 ? [] : ['', ...table, ...more]),
    ...(faults.length === 0 ? [] : ['', ...faults, palette.dim("'openbot doctor' says what to do.")]),
    '',
  ].join('\n');
}

function layOutLines(lines: readonly Line[], { palette, columns }: StatusFormat): string[] {
  const width = Math.max(...lines.map(([name]) => name.length)) + 2;
  return lines.flatMap(([name, ...says]) =>
    says
      .flatMap((text) => wrap(text, columns - width))
      .map((text, at) => (at === 0 ? palette.bold(name.padEnd(width)) : ' '.repeat(width)) + text),
  );
}

function wrap(text: string, columns: number): string[] {
  return Number.isFinite(columns) ? wrapText(text, Math.max(20, columns)) : [text];
}

export function hasFault({ faults }: Pick<StatusReport, 'faults'>, part: string): boolean {
  return faults.some((fault) => fault.part === part);
}

function describeDrops({ droppedThinking }: Shown, { palette, now }: StatusFormat): Line[] {
  if (droppedThinking === undefined) return [];
  const { blocks, sessions, at } = droppedThinking;
  const says = `${formatQuantity(blocks, 'block')} left out by providers in ${formatQuantity(sessions, 'session')}, last ${formatAge(at, now)}`;
  return [['Thinking', palette.yellow(says)]];
}

function describeState(report: Shown, { env, palette }: StatusFormat): string[] {
  const { stateDir, exists, configPath } = report;
  if (!exists)
    return [`${showPath(stateDir, env)} ${palette.yellow('does not exist yet')}: openbot agent -m "hello"`];
  if (hasFault(report, 'configuration'))
    return [
      `${showPath(stateDir, env)}, ${palette.red(`${basename(configPath ?? 'openbot.json')} cannot be used`)}`,
    ];
  return [
    `${showPath(stateDir, env)}, ${configPath === undefined ? 'no configuration: the defaults hold' : showPath(configPath, env)}`,
  ];
}

function describeAgents({ agents }: Shown, { now, all, env }: StatusFormat): string[] {
  if (agents.length === 0) return ['none'];
  return agents.map(({ id, isDefault, sessions, lastUsedAt, store, keptIn }) => {
    const count = sessions === undefined ? 'store cannot be read' : formatQuantity(sessions, 'session');
    const used = lastUsedAt === undefined ? '' : `, used ${formatAge(lastUsedAt, now)}`;
    const place = all ? ` (${keptIn}: ${showPath(store, env)})` : '';
    return `${printable(id)}${isDefault ? ' (default)' : ''}: ${count}${used}${place}`;
  });
}

function describeQueue(report: Shown, { now, palette }: StatusFormat): string[] {
  const { messages, runs } = report;
  const running = runs.map(
    ({ process, since }) =>
      `runs: ${printable(process)}${since === undefined ? '' : `, since ${formatAge(since, now)}`}`,
  );
  const waiting = (messages?.waiting ?? []).map(({ sessionKey, waiting: count, running: inRun, since }) => {
    const parts = [...(inRun > 0 ? [`${inRun} running`] : []), ...(count > 0 ? [`${count} waiting`] : [])];
    return `${printable(sessionKey)}: ${parts.join(', ')}, since ${formatAge(since, now)}`;
  });
  const failed = messages?.failed ?? 0;
  const all = [
    ...running,
    ...(hasFault(report, 'messages') ? [palette.red('cannot be read')] : []),
    ...waiting,
    ...(failed > 0 ? [palette.yellow(`${formatQuantity(failed, 'message')} failed`)] : []),
  ];
  return all.length === 0 ? ['empty'] : all;
}

function describeOutbox(report: Shown, { palette, now }: StatusFormat): string[] {
  if (hasFault(report, 'messages')) return [palette.red('cannot be read')];
  const { messages } = report;
  const { dead = 0 } = messages?.outbox ?? {};
  const unsent = (messages?.unsent ?? []).map(
    ({ channel, count, since }) =>
      `${printable(channel)}: ${count} to be sent, since ${formatAge(since, now)}`,
  );
  const letters =
    dead === 0 ? [] : [palette.yellow(`${formatQuantity(dead, 'dead letter')}: openbot outbox list`)];
  return unsent.length + letters.length === 0 ? ['empty'] : [...unsent, ...letters];
}

function describeChannels({ channels, gateway }: Shown, { palette, now }: StatusFormat): string[] {
  if (channels.length === 0) return ['none configured'];
  return channels.flatMap(({ name, enabled, accounts, hasDriver }) => {
    const whose = ` (${accounts.map(printable).join(', ')})`;
    if (!enabled) return [`${printable(name)}${whose}: off`];
    if (!hasDriver)
      return [
        `${printable(name)}${whose}: ${palette.yellow('configured, but this version cannot speak on it')}`,
      ];
    const live = gateway.channels?.filter(({ channel }) => channel === name) ?? [];
    if (live.length === 0) return [`${printable(name)}${whose}: configured`];
    return live.map(
      (one) => `${printable(name)} (${printable(one.accountId)}): ${showHealth(one, { now, palette })}`,
    );
  });
}

function describeModels({ models }: Shown, { palette }: StatusFormat): string[] {
  if (models.length === 0) return ['unknown'];
  return models.map(({ name, isKnown, credential, credentialHint }) => {
    const hint = credentialHint === undefined ? '' : ` (${printable(credentialHint)})`;
    if (!isKnown) return `${printable(name)}: ${palette.red('unknown')}`;
    if (credential === 'missing') return `${printable(name)}: ${palette.red('no credential')}${hint}`;
    const words = {
      present: 'credential present',
      unneeded: 'needs no credential',
      unknown: 'credential unknown',
    };
    return `${printable(name)}: ${words[credential]}${hint}`;
  });
}

function describeIndex({ index }: Shown): string {
  if (index === undefined) return 'none yet';
  const size = `${roundCount(Math.ceil(index.sizeBytes / 1024))} KB`;
  if (!index.isCurrent) return `${size}, version ${index.version}: it is built anew at its next use`;
  return `${formatQuantity(index.sessions ?? 0, 'session')}, ${formatQuantity(index.messages ?? 0, 'message')}, ${size}`;
}

function describeUsage(usage: AgentUsage): string {
  const { agentId, outputTokens, costUsd, unpricedModels } = usage;
  const inputTokens = usage.inputTokens + usage.cacheCreationTokens + usage.cacheReadTokens;
  const unpriced =
    unpricedModels.length === 0 ? '' : `, without a price of ${unpricedModels.map(printable).join(', ')}`;
  return `${printable(agentId)}: ${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out, ${formatUsd(costUsd)}${unpriced}`;
}

function layOutSessions(
  recent: readonly RecentSession[],
  { palette, columns, now }: Pick<StatusFormat, 'palette' | 'columns' | 'now'>,
): string[] {
  const whole = chooseColumns(recent, { palette, now }, '');
  const agents = new Set(recent.map(({ agentId }) => agentId));
  const prefix = agents.size === 1 ? `agent:${[...agents][0]}:` : 'agent:';
  const table = fitsWhole(whole, recent, columns) ? whole : chooseColumns(recent, { palette, now }, prefix);
  const [titles = '', ...rows] = layOutTable(table, recent, columns);
  return [palette.dim(titles), ...rows];
}

/** @param prefix of keys, which is left out where there is no room for it */
function chooseColumns(
  recent: readonly RecentSession[],
  { palette, now }: Pick<StatusFormat, 'palette' | 'now'>,
  prefix: string,
): TableColumn<RecentSession>[] {
  const table: TableColumn<RecentSession>[] = [
    {
      title: 'SESSION',
      show: ({ key }) => printable(key.startsWith(prefix) ? key.slice(prefix.length) : key),
      cut: cutMiddle,
      least: 12,
      good: 24,
    },
    {
      title: 'LABEL',
      show: ({ label = '' }) => oneLine(label),
      cut: cutMiddle,
      least: 6,
      good: 12,
      leave: 1,
    },
    {
      title: 'USED',
      show: ({ updatedAt }) => (updatedAt === null ? 'unknown' : formatAge(updatedAt, now)),
      leave: 3,
    },
    { title: 'MODEL', show: ({ model }) => printable(model), cut: cutMiddle, least: 8, good: 14, leave: 2 },
    {
      title: 'CONTEXT',
      show: showContext,
      paint: (text, row) => paintContext(text, row, palette),
    },
  ];
  return recent.some(({ label }) => label) ? table : table.filter(({ title }) => title !== 'LABEL');
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredSession } from '@openbot/sessions';
import { type Environment, resolveHomeDir } from '@openbot/sessions/layout';
import {
  cutEnd,
  cutMiddle,
  fitsWhole,
  formatAge,
  formatCount,
  formatQuantity,
  layOutTable,
  oneLine,
  type Palette,
  printable,
  roundCount,
  type TableColumn,
} from '@openbot/sessions/terminal-text';
import type { SessionKeeper, SessionRow } from '../../kept-sessions/contract.ts';
import { paintContext, showContext, showPath } from '../session-cells.ts';
import type { Place } from './place.ts';

export interface ListedSession extends StoredSession {
  readonly keeper: SessionKeeper;
  readonly row: SessionRow;
}

export interface TableOptions {
  readonly now: number;
  readonly columns: number;
  readonly palette: Palette;
  readonly env: Environment;
}

/** The sessions as a table that fits the terminal, with a headline. */
export function formatSessions(
  { keepers }: Place,
  listed: readonly ListedSession[],
  { total, active }: { readonly total: number; readonly active?: number },
  options: TableOptions,
): string {
  const { palette, columns } = options;
  const agents = new Set(listed.map(({ row }) => row.agentId));
  const whose = agents.size === 1 ? `agent ${printable([...agents][0]!)}` : `${agents.size} agents`;
  const used = active === undefined ? '' : `, used in the last ${formatQuantity(active, 'minute')}`;
  const count = formatQuantity(total, 'session');
  const headline =
    listed.length === total
      ? `${count} of ${whose}${used}`
      : `${formatCount(listed.length)} of ${count} of ${whose}${used} (--limit all shows all)`;
  const whole = chooseColumns(listed, options, '');
  const prefix = agents.size === 1 ? `agent:${[...agents][0]}:` : '';
  const table = fitsWhole(whole, listed, columns) ? whole : chooseColumns(listed, options, prefix);
  const [titles = '', ...rows] = layOutTable(table, listed, columns, (text) => palette.bold(text));
  const path = keepers.length === 1 ? palette.dim(`  ${showPath(keepers[0]!.path, options.env)}\n`) : '';
  return `${headline}\n${path}${palette.dim(titles)}\n${rows.map((row) => `${row}\n`).join('')}`;
}

/** A sentence, where it looked, and what to do next. */
export function formatNone(
  { keepers, folder }: Place,
  { active, others }: { readonly active?: number; readonly others: number },
  { env }: TableOptions,
): string {
  const agents = keepers.map(({ agentId }) => printable(agentId));
  const whose = agents.length === 1 ? `agent ${agents[0]}` : `the agents ${agents.join(', ')}`;
  if (active !== undefined && others > 0) {
    const minutes = formatQuantity(active, 'minute');
    return `No session of ${whose} was used in the last ${minutes}; without --active: ${formatCount(others)}.\n`;
  }
  const lines = [
    `No sessions of ${whose} yet.`,
    ...keepers.map(({ path }) => `  Looked in ${showPath(path, env)}`),
    ...(folder.agentIds.length > keepers.length ? ['  Other agents: --all-agents'] : []),
    '  To begin one: openbot agent -m "hello"',
    ...(folder.configPath === undefined && hasOpenclaw(folder.stateDir, env)
      ? [
          '  To see those of OpenClaw: openbot sessions --state-dir ~/.openclaw',
          '  To take them over: openbot init --from-openclaw',
        ]
      : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** In its usual place, which is another than this. */
function hasOpenclaw(stateDir: string, env: Environment): boolean {
  const usual = join(resolveHomeDir(env), '.openclaw');
  return stateDir !== usual && ['openclaw.json', 'agents'].some((name) => existsSync(join(usual, name)));
}

/** @param prefix of keys, which is left out where there is no room for it */
function chooseColumns(
  listed: readonly ListedSession[],
  { now, palette }: TableOptions,
  prefix: string,
): TableColumn<ListedSession>[] {
  const rows = listed.map(({ row }) => row);
  const columns: (TableColumn<ListedSession> | false)[] = [
    {
      title: 'KEY',
      show: ({ key }) => printable(key.startsWith(prefix) ? key.slice(prefix.length) : key),
      cut: cutMiddle,
      least: 10,
      good: 20,
    },
    listed.some(({ entry }) => entry.label) && {
      title: 'LABEL',
      show: ({ entry }) => oneLine(entry.label ?? ''),
      cut: cutEnd,
      least: 8,
      good: 14,
      leave: 6,
    },
    new Set(rows.map(({ agentId }) => agentId)).size > 1 && {
      title: 'AGENT',
      show: ({ row }) => printable(row.agentId),
      cut: cutMiddle,
      least: 6,
      leave: 8,
    },
    { title: 'USED', show: ({ row }) => showAge(row, now), leave: 10 },
    {
      title: 'MODEL',
      show: ({ row }) => printable(row.model),
      cut: cutMiddle,
      least: 8,
      good: 14,
      leave: 5,
    },
    { title: 'TOKENS', show: ({ row }) => showTokens(row), isFigure: true, leave: 7 },
    {
      title: 'CONTEXT',
      show: ({ row }) => showContext(row),
      paint: (text, { row }) => paintContext(text, row, palette),
      leave: 9,
    },
    { title: 'KIND', show: ({ row }) => row.kind, isSpare: true, leave: 3 },
    { title: 'ID', show: ({ entry }) => printable((entry.sessionId ?? '').slice(0, 8)), leave: 4 },
    listed.some((session) => listMarks(session) !== '') && {
      title: 'FLAGS',
      show: (session) => oneLine(listMarks(session)),
      cut: cutEnd,
      least: 8,
      good: 14,
      isSpare: true,
      leave: 1,
    },
  ];
  return columns.filter((column) => column !== false);
}

function showAge({ updatedAt }: SessionRow, now: number): string {
  return updatedAt === null ? 'unknown' : formatAge(updatedAt, now);
}

/** `~` where the figure is known to be out of date. */
function showTokens({ totalTokens, totalTokensFresh, contextTokens }: SessionRow): string {
  if (totalTokens === null) return `?/${roundCount(contextTokens)}`;
  return `${totalTokensFresh ? '' : '~'}${roundCount(totalTokens)}/${roundCount(contextTokens)}`;
}

/** What a person set for the session, and how its last run ended where that was not well. */
function listMarks({ entry }: ListedSession): string {
  const { status, thinkingLevel, verboseLevel, reasoningLevel, sendPolicy, groupActivation, queueMode } =
    entry;
  const marks = [
    status !== undefined && status !== 'done' && status,
    entry.abortedLastRun && 'aborted',
    thinkingLevel && `think:${thinkingLevel}`,
    verboseLevel && `verbose:${verboseLevel}`,
    reasoningLevel && `reasoning:${reasoningLevel}`,
    sendPolicy && `send:${sendPolicy}`,
    groupActivation && `activation:${groupActivation}`,
    queueMode && `queue:${queueMode}`,
    entry.modelOverride && 'model',
  ];
  return marks.filter(Boolean).join(' ');
}

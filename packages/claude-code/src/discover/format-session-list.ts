import {
  cutEnd,
  formatAge,
  formatCount,
  formatQuantity,
  oneLine,
  type Palette,
  PLAIN_PALETTE,
  padEnd,
  padStart,
  printable,
  textWidth,
} from '@openbot/sessions/terminal-text';
import type { DiscoveredSession } from './discovered-session.ts';

export interface ListFormatOptions {
  readonly now: Date;
  /** How wide the terminal is. Default: 100. Infinite where there is none: then nothing is cut, and ids are whole. */
  readonly columns?: number;
  readonly palette?: Palette;
  /** Names the repository of each, where they are of several. */
  readonly showsRepo?: boolean;
  /** How many there are in all, where not all are shown. */
  readonly total?: number;
}

interface Column {
  readonly title: string;
  readonly isFigure?: true;
  show(session: DiscoveredSession): string;
}

const GAP = '  ';
/** Less of a first message says nothing; the line is then longer than the terminal. */
const LEAST_LAST = 20;
/** Of a branch, an owner or the name of a repository. */
const MOST_NAME = 24;
/** Enough of an id to tell sessions apart, where there is no room for the whole of it. */
const SHORT_ID = 8;
/** Whole ids take the place of what a session began with only where this much is left of it. */
const LEAST_BESIDE_ID = 40;

/** A table, one session a line; what a person typed first takes the rest of the line. */
export function formatSessionList(
  sessions: readonly DiscoveredSession[],
  options: ListFormatOptions,
): string {
  const palette = options.palette ?? PLAIN_PALETTE;
  const whole = layOut(sessions, options, Number.POSITIVE_INFINITY);
  const { others, last, left } = whole.left >= LEAST_BESIDE_ID ? whole : layOut(sessions, options, SHORT_ID);
  const room = Math.max(LEAST_LAST, left);
  const head = [...others.map((column) => align(column, column.title)), last.title].join(GAP);
  const lines = sessions.map((session, row) => {
    const cells = others.map((column) => align(column, column.cells[row]!));
    const line = [...cells, cutEnd(last.show(session), room)].join(GAP).trimEnd();
    return session.isRunning ? palette.green(line) : line;
  });
  const total = options.total ?? sessions.length;
  const rest = total > sessions.length ? `, the first ${formatCount(sessions.length)} of them` : '';
  return [`${formatQuantity(total, 'session')}${rest}`, palette.dim(head), ...lines, ''].join('\n');
}

/** The columns with their widths, and what they leave of the line for the last one. */
function layOut(sessions: readonly DiscoveredSession[], options: ListFormatOptions, idLength: number) {
  const columns = columnsFor(sessions, options, idLength);
  const others = columns.slice(0, -1).map((column) => {
    const cells = sessions.map((session) => column.show(session));
    const width = cells.reduce((most, cell) => Math.max(most, textWidth(cell)), textWidth(column.title));
    return { ...column, cells, width };
  });
  const used = others.reduce((sum, { width }) => sum + width + GAP.length, 0);
  return { others, last: columns.at(-1)!, left: (options.columns ?? 100) - used };
}

function columnsFor(
  sessions: readonly DiscoveredSession[],
  options: ListFormatOptions,
  idLength: number,
): Column[] {
  const mostName = options.columns === Number.POSITIVE_INFINITY ? options.columns : MOST_NAME;
  const all: (Column & { readonly isWanted?: boolean })[] = [
    { title: 'ID', show: ({ sessionId }) => printable(sessionId.slice(0, idLength)) },
    { title: '', isWanted: sessions.some(({ isRunning }) => isRunning), show: showRunning },
    { title: 'BY', show: (session) => showOwner(session, mostName) },
    {
      title: 'UPDATED',
      show: ({ lastModified }) => formatAge(lastModified.getTime(), options.now.getTime()),
    },
    { title: 'MESSAGES', isFigure: true, show: ({ messageCount }) => formatCount(messageCount) },
    { title: 'TOKENS', isFigure: true, show: showTokens },
    {
      title: 'COMPACTED',
      isFigure: true,
      isWanted: sessions.some(({ compactionCount }) => compactionCount > 0),
      show: ({ compactionCount }) => (compactionCount === 0 ? '' : String(compactionCount)),
    },
    {
      title: 'COST',
      isFigure: true,
      isWanted: sessions.some(({ totalCostUsd }) => totalCostUsd !== undefined),
      show: ({ totalCostUsd }) => (totalCostUsd === undefined ? '' : `$${totalCostUsd.toFixed(2)}`),
    },
    { title: 'BRANCH', show: ({ branch }) => cutEnd(printable(branch), mostName) },
    {
      title: 'REPOSITORY',
      isWanted: options.showsRepo === true,
      show: ({ repoPath }) => cutEnd(printable(repoPath.split(/[/\\]/).at(-1) ?? ''), mostName),
    },
    { title: 'BEGAN WITH', show: showSubject },
  ];
  return all.filter(({ isWanted }) => isWanted !== false);
}

function align({ isFigure, width }: Column & { readonly width: number }, text: string): string {
  return isFigure ? padStart(text, width) : padEnd(text, width);
}

function showRunning({ isRunning }: DiscoveredSession): string {
  return isRunning ? 'running' : '';
}

/** The agent whose it is; who else started one is not known. */
function showOwner({ agentId, source }: DiscoveredSession, most: number): string {
  if (agentId === undefined) return 'native';
  const suffix = source === 'openclaw' ? '' : ' (native)';
  return `${cutEnd(printable(agentId), most - suffix.length)}${suffix}`;
}

/** All that went in and came out, what the cache gave included. */
function showTokens({ totalInputTokens, totalCacheTokens, totalOutputTokens }: DiscoveredSession): string {
  return formatCount(totalInputTokens + totalCacheTokens + totalOutputTokens);
}

function showSubject({ label, firstMessage }: DiscoveredSession): string {
  return label === undefined ? oneLine(firstMessage) : `${oneLine(label)}: ${oneLine(firstMessage)}`;
}

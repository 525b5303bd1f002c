import {
  cutEnd,
  cutMiddle,
  formatAge,
  formatCount,
  formatQuantity,
  oneLine,
  type Palette,
  PLAIN_PALETTE,
  padEnd,
  padStart,
  printable,
  roundCount,
  textWidth,
} from '@openbot/sessions/terminal-text';
import type { DiscoveredSession } from './discovered-session.ts';

export interface ListFormatOptions {
  readonly now: Date;
  /** Width of the terminal. Default: 100. Infinity for no terminal: nothing is cut, and ids are complete. */
  readonly columns?: number;
  readonly palette?: Palette;
  /** Shows the repository of each session. */
  readonly showsRepo?: boolean;
  /** The number of all sessions, if not all are shown. */
  readonly total?: number;
}

interface Column {
  readonly title: string;
  readonly isFigure?: true;
  show(session: DiscoveredSession): string;
}

const GAP = '  ';
/** The least useful width of a first message; other columns make room for it. */
const LEAST_LAST = 20;
/** Of a branch, an owner or the name of a repository. */
const MOST_NAME = 24;
/** Enough of an id to distinguish sessions. */
const SHORT_ID = 8;
/** Ids are complete only if this much remains for the first message. */
const LEAST_BESIDE_ID = 40;

/** The ways to make room. */
interface Narrowing {
  readonly idLength: number;
  readonly mostName: number;
  readonly roundsTokens?: true;
  readonly without?: readonly string[];
}

/** In the order in which they are tried. */
const LEAST_TELLING = ['MESSAGES', 'BY', 'COMPACTED', 'TOKENS', 'COST', 'BRANCH', 'UPDATED', 'REPOSITORY'];
const NARROW: Narrowing = { idLength: SHORT_ID, mostName: 12, roundsTokens: true };
const NARROWINGS: readonly Narrowing[] = [
  { idLength: SHORT_ID, mostName: MOST_NAME },
  NARROW,
  ...LEAST_TELLING.map((_, last) => ({ ...NARROW, without: LEAST_TELLING.slice(0, last + 1) })),
];

/** A table, one session per line; the first message takes the rest of the line. */
export function formatSessionList(
  sessions: readonly DiscoveredSession[],
  options: ListFormatOptions,
): string {
  const palette = options.palette ?? PLAIN_PALETTE;
  const { columns = 100 } = options;
  const { others, last, left } = layOutToFit(sessions, options, columns);
  const room = Math.max(LEAST_LAST, left);
  const head = cutEnd(
    [...others.map((column) => align(column, column.title)), last.title].join(GAP),
    columns,
  );
  const lines = sessions.map((session, row) => {
    const cells = others.map((column) => align(column, column.cells[row]!));
    const line = cutEnd([...cells, cutEnd(last.show(session), room)].join(GAP).trimEnd(), columns);
    return session.isRunning || session.isOpen ? palette.green(line) : line;
  });
  const total = options.total ?? sessions.length;
  const all = formatQuantity(total, 'session');
  const headline = total > sessions.length ? `Showing ${formatCount(sessions.length)} of ${all}` : all;
  return [headline, palette.dim(head), ...lines, ''].join('\n');
}

function layOutToFit(sessions: readonly DiscoveredSession[], options: ListFormatOptions, columns: number) {
  const mostName = columns === Number.POSITIVE_INFINITY ? columns : MOST_NAME;
  const whole = layOut(sessions, options, columns, { idLength: Number.POSITIVE_INFINITY, mostName });
  if (whole.left >= LEAST_BESIDE_ID) return whole;
  let narrow = whole;
  for (const narrowing of NARROWINGS) {
    narrow = layOut(sessions, options, columns, narrowing);
    if (narrow.left >= LEAST_LAST) break;
  }
  return narrow;
}

/** The columns with their widths, and the width that remains for the last one. */
function layOut(
  sessions: readonly DiscoveredSession[],
  options: ListFormatOptions,
  room: number,
  narrowing: Narrowing,
) {
  const columns = columnsFor(sessions, options, narrowing);
  const others = columns.slice(0, -1).map((column) => {
    const cells = sessions.map((session) => column.show(session));
    const width = cells.reduce((most, cell) => Math.max(most, textWidth(cell)), textWidth(column.title));
    return { ...column, cells, width };
  });
  const used = others.reduce((sum, { width }) => sum + width + GAP.length, 0);
  return { others, last: columns.at(-1)!, left: room - used };
}

function columnsFor(
  sessions: readonly DiscoveredSession[],
  options: ListFormatOptions,
  { idLength, mostName, roundsTokens, without = [] }: Narrowing,
): Column[] {
  const all: (Column & { readonly isWanted?: boolean })[] = [
    { title: 'ID', show: ({ sessionId }) => printable(sessionId.slice(0, idLength)) },
    {
      title: 'STATE',
      isWanted: sessions.some(({ isRunning, isOpen }) => isRunning || isOpen),
      show: showState,
    },
    { title: 'BY', show: (session) => showOwner(session, mostName) },
    {
      title: 'UPDATED',
      show: ({ lastModified }) => formatAge(lastModified.getTime(), options.now.getTime()),
    },
    { title: 'MESSAGES', isFigure: true, show: ({ messageCount }) => formatCount(messageCount) },
    {
      title: 'TOKENS',
      isFigure: true,
      show: (session) => (roundsTokens ? roundCount : formatCount)(countTokens(session)),
    },
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
    { title: 'BRANCH', show: ({ branch }) => cutMiddle(printable(branch), mostName) },
    {
      title: 'REPOSITORY',
      isWanted: options.showsRepo === true,
      show: ({ repoPath }) => cutMiddle(printable(repoPath.split(/[/\\]/).at(-1) ?? ''), mostName),
    },
    { title: 'BEGAN WITH', show: showSubject },
  ];
  return all.filter(({ title, isWanted }) => isWanted !== false && !without.includes(title));
}

function align({ isFigure, width }: Column & { readonly width: number }, text: string): string {
  return isFigure ? padStart(text, width) : padEnd(text, width);
}

function showState({ isRunning, isOpen }: DiscoveredSession): string {
  return isRunning ? 'running' : isOpen ? 'open' : '';
}

/** The agent that it belongs to; the user of a native session is not known. */
function showOwner({ agentId, source }: DiscoveredSession, most: number): string {
  if (agentId === undefined) return 'native';
  const suffix = source === 'openclaw' ? '' : ' (native)';
  return `${cutMiddle(printable(agentId), most - suffix.length)}${suffix}`;
}

/** Input, output and cache together. */
function countTokens({ totalInputTokens, totalCacheTokens, totalOutputTokens }: DiscoveredSession): number {
  return totalInputTokens + totalCacheTokens + totalOutputTokens;
}

/** `label: [title] first message`, without the parts that are missing. */
function showSubject(session: DiscoveredSession): string {
  const { label, title, firstMessage, lastTask = '', hasTranscript } = session;
  const began = hasTranscript ? oneLine(firstMessage) : `(gone) ${oneLine(lastTask)}`.trimEnd();
  const subject = title === undefined ? began : `[${oneLine(title)}] ${began}`.trimEnd();
  return label === undefined ? subject : `${oneLine(label)}: ${subject}`;
}

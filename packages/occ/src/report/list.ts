import {
  cutEnd,
  cutMiddle,
  fitsWhole,
  formatAge,
  formatCount,
  formatPercent,
  formatQuantity,
  layOutTable,
  oneLine,
  printable,
  roundCount,
  type TableColumn,
} from '@openbot/sessions/terminal-text';
import { shortenText } from '../errors.ts';
import type { ListedSession, SessionList, SessionOwner } from '../finding/list-sessions.ts';
import type { EmptySearch } from '../finding/no-sessions.ts';
import { sourceOf, storageOf } from '../storage/all.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { formatSize } from './figures.ts';
import type { ReportOptions } from './report-options.ts';
import { shortenNames } from './short-names.ts';
import { shortenPath } from './short-path.ts';

/** The sessions as a table that fits the terminal. @param now milliseconds */
export function formatList(list: SessionList, options: ReportOptions, now: number): string {
  const { palette, verbose } = options;
  const [titles = '', ...rows] = formatSessionRows(list, options, now);
  let text = `${headline(list)}\n${palette.dim(titles)}\n`;
  for (const [at, row] of rows.entries()) {
    const { missing, path } = list.listed[at]!.session;
    text += `${missing ? palette.dim(row) : row}\n`;
    if (verbose) text += `${palette.dim(`  ${shortenPath(path, options.home)}`)}\n`;
  }
  return text;
}

/** The titles, and a line for each session. */
export function formatSessionRows(list: SessionList, options: ReportOptions, now: number): string[] {
  const { listed } = list;
  const { columns, palette } = options;
  const whole = chooseColumns(list, options, now);
  const chosen = fitsWhole(whole, listed, columns) ? whole : chooseColumns(list, options, now, true);
  return layOutTable(chosen, listed, columns, (text, { session }) =>
    session.missing ? text : palette.bold(text),
  );
}

export function formatEmptyList({ searched, paths, advice }: EmptySearch, options: ReportOptions): string {
  const whose = searched.flatMap(({ source, agentIds }) =>
    agentIds.length === 0 ? [source.title] : agentIds.map((id) => `agent ${printable(id)}`),
  );
  const lines = [
    `No sessions of ${whose.join(', ')}.`,
    ...paths.map((path) => `  Looked in ${shortenPath(path, options.home)}`),
    ...advice.map((text) => `  ${printable(text)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function headline({ listed, names, owners }: SessionList): string {
  const [owner, ...others] = owners;
  const whose = owner === undefined || others.length > 0 ? '' : ` of ${describeOwner(owner)}`;
  const total = formatQuantity(names.length, 'session');
  if (listed.length === names.length) return `${total}${whose}, newest first`;
  return `The newest ${formatCount(listed.length)} of ${total}${whose} (-n shows more)`;
}

function describeOwner({ source, agentId }: SessionOwner): string {
  return agentId === null ? sourceOf(source).title : `agent ${printable(agentId)}`;
}

/** @param isNarrow there is no room for all: what the headline says is not repeated */
function chooseColumns(
  { listed, names, owners }: SessionList,
  { home, verbose }: ReportOptions,
  now: number,
  isNarrow = false,
): TableColumn<ListedSession>[] {
  const sessions = listed.map(({ session }) => session);
  const sources = new Set(owners.map(({ source }) => source));
  const agents = new Set(owners.map(({ agentId }) => agentId).filter((agentId) => agentId !== null));
  // A name that occurs twice is ambiguous at any length; whole it would leave a narrow table no room.
  const shorten = verbose ? (name: string) => name : shortenNames(isNarrow ? [...new Set(names)] : names);
  const ownKey = isNarrow && agents.size === 1 ? `agent:${[...agents][0]}:` : '';
  const show = verbose ? formatCount : roundCount;
  const hasShares = sessions.some((session) => shareOf(session) !== undefined);
  const columns: (TableColumn<ListedSession> | false)[] = [
    { title: 'ID', show: ({ name }) => printable(shorten(name)) },
    { title: 'UPDATED', show: ({ session }) => ageOf(session, now), leave: 9 },
    {
      title: 'SIZE',
      show: ({ session }) => sizeOf(session, isNarrow),
      isFigure: true,
      isSpare: true,
      leave: 2,
    },
    sessions.some((session) => contextOf(session, show, false, isNarrow) !== '') && {
      title: 'CONTEXT',
      show: ({ session }) => contextOf(session, show, hasShares, isNarrow),
      isFigure: true,
      leave: 7,
    },
    areInSeveralStorages(listed) && {
      title: 'KEPT IN',
      show: ({ session }) => session.storage ?? 'file',
      leave: 3,
    },
    sources.size > 1 && { title: 'SOURCE', show: ({ session }) => session.source, leave: 10 },
    agents.size > 1 && {
      title: 'AGENT',
      show: ({ session }) => printable(session.agentId ?? ''),
      cut: cutMiddle,
      least: 8,
      leave: 4,
    },
    sessions.some((session) => titleOf(session) !== '') && {
      title: 'SESSION',
      show: ({ session }) => printable(titleOf(session, ownKey)),
      cut: cutMiddle,
      least: 10,
      good: 16,
      leave: 6,
    },
    {
      title: 'FOLDER',
      show: ({ session }) => folderOf(session, home),
      cut: cutMiddle,
      least: 10,
      good: 14,
      isSpare: true,
      leave: 1,
    },
    sessions.some(({ firstWords }) => firstWords !== undefined) && {
      title: 'BEGAN WITH',
      show: ({ session }) => oneLine(session.firstWords ?? ''),
      cut: cutEnd,
      least: 14,
      good: 30,
      leave: 5,
    },
  ];
  return columns.filter((column) => column !== false);
}

/** Whether one source keeps them in several storages. Its program may read only one of these. */
function areInSeveralStorages(listed: readonly ListedSession[]): boolean {
  const storages = new Map<string, string | undefined>();
  for (const { session } of listed) {
    if (!storages.has(session.source)) storages.set(session.source, session.storage);
    else if (storages.get(session.source) !== session.storage) return true;
  }
  return false;
}

/** An entry of the index may lack its time. */
function ageOf({ updatedAt }: FoundSession, now: number): string {
  return updatedAt > 0 ? formatAge(updatedAt, now) : 'unknown';
}

/**
 * `63k  49%`: the tokens of the context, and how full that makes the window. What is not recorded has a `~`.
 * @param isNarrow the size, which says that a transcript cannot be opened, may be left out
 */
function contextOf(
  session: FoundSession,
  show: (count: number) => string,
  hasShares: boolean,
  isNarrow: boolean,
): string {
  const { missing, cold, tokens } = session;
  if (isNarrow && (missing || cold)) return missing ? 'missing' : 'cold';
  if (missing || tokens === undefined) return '';
  const count = `${tokens.basis === 'recorded' ? '' : '~'}${show(tokens.context)}`;
  return hasShares ? `${count} ${(shareOf(session) ?? '').padStart(4)}` : count;
}

function shareOf({ missing, tokens, window }: FoundSession): string | undefined {
  if (missing || tokens === undefined || window?.used === undefined) return undefined;
  return formatPercent(window.used, window.tokens);
}

function sizeOf({ missing, cold, sizeBytes }: FoundSession, isNarrow: boolean): string {
  if (missing) return isNarrow ? '' : 'missing';
  return cold && !isNarrow ? `${formatSize(sizeBytes)} cold` : formatSize(sizeBytes);
}

/** The working folder of the agent; where that is unknown, the transcript. */
function folderOf(session: FoundSession, home: string): string {
  const { missing, cwd, path } = session;
  if (missing || (cwd === null && !storageOf(session).hasOwnFile)) return '';
  return shortenPath(cwd ?? path, home);
}

/** @param prefix of keys, which is left out */
function titleOf({ label, displayName, sessionKey, former }: FoundSession, prefix = ''): string {
  const given = shortenOrNone(label ?? displayName);
  const short = shortenOrNone(sessionKey?.startsWith(prefix) ? sessionKey.slice(prefix.length) : sessionKey);
  const key = former ? `formerly ${short}` : short;
  if (given === undefined) return key ?? '';
  return key === undefined ? `"${given}"` : `"${given}" ${key}`;
}

function shortenOrNone(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shortenText(text);
}

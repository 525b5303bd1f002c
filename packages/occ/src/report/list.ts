import {
  cutEnd,
  cutStart,
  formatAge,
  formatQuantity,
  printable,
  textWidth,
} from '@openbot/sessions/terminal-text';
import { shortenText } from '../errors.ts';
import type { ListedSession, SessionList, SessionOwner } from '../finding/list-sessions.ts';
import type { EmptySearch } from '../finding/no-sessions.ts';
import { sourceOf, storageOf } from '../storage/all.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { formatSize } from './figures.ts';
import { fitColumns, type ListColumn } from './list-columns.ts';
import type { ReportOptions } from './report-options.ts';
import { shortenNames } from './short-names.ts';
import { shortenPath } from './short-path.ts';

/** The sessions as a table that fits the terminal. @param now milliseconds */
export function formatList(list: SessionList, options: ReportOptions, now: number): string {
  const { palette, verbose } = options;
  const shorten = verbose ? (name: string) => name : shortenNames(list.names);
  const columns = chooseColumns(list, shorten, options, now);
  const cells = columns.map(({ title, show }) => [title, ...list.listed.map(show)]);
  const widths = fitColumns(columns, cells, options.columns);
  let text = `${headline(list)}\n${palette.dim(formatRow(columns, widths, cells, 0))}\n`;
  for (let at = 0; at < list.listed.length; at++) {
    const { missing, path } = list.listed[at]!.session;
    const row = formatRow(columns, widths, cells, at + 1, missing ? undefined : palette.bold);
    text += `${missing ? palette.dim(row) : row}\n`;
    if (verbose) text += `${palette.dim(`  ${shortenPath(path, options.home)}`)}\n`;
  }
  return text;
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
  return `The newest ${listed.length} of ${total}${whose}`;
}

function describeOwner({ source, agentId }: SessionOwner): string {
  return agentId === null ? sourceOf(source).title : `agent ${printable(agentId)}`;
}

function chooseColumns(
  { listed, owners }: SessionList,
  shorten: (name: string) => string,
  { home }: ReportOptions,
  now: number,
): ListColumn<ListedSession>[] {
  const sources = new Set(owners.map(({ source }) => source));
  const agents = new Set(owners.map(({ agentId }) => agentId).filter((agentId) => agentId !== null));
  const hasTitles = listed.some(({ session }) => titleOf(session) !== '');
  const hasWindows = listed.some(({ session }) => shareOf(session) !== '');
  const columns: (ListColumn<ListedSession> | false)[] = [
    { title: 'ID', show: ({ name }) => printable(shorten(name)) },
    { title: 'UPDATED', show: ({ session }) => ageOf(session, now) },
    { title: 'SIZE', show: ({ session }) => sizeOf(session), isFigure: true },
    hasWindows && { title: 'WINDOW', show: ({ session }) => shareOf(session), isFigure: true },
    areInSeveralStorages(listed) && { title: 'KEPT IN', show: ({ session }) => session.storage ?? 'file' },
    sources.size > 1 && { title: 'SOURCE', show: ({ session }) => session.source },
    agents.size > 1 && { title: 'AGENT', show: ({ session }) => printable(session.agentId ?? '') },
    hasTitles && { title: 'SESSION', show: ({ session }) => printable(titleOf(session)), cut: cutEnd },
    { title: 'FOLDER', show: ({ session }) => folderOf(session, home), cut: cutStart },
  ];
  return columns.filter((column) => column !== false);
}

/** Whether one source keeps them in several storages. Its program may read only one of these. */
function areInSeveralStorages(listed: readonly ListedSession[]): boolean {
  const storages = new Set(listed.map(({ session }) => storageOf(session)));
  return new Set([...storages].map(({ source }) => source)).size < storages.size;
}

/** An entry of the index may lack its time. */
function ageOf({ updatedAt }: FoundSession, now: number): string {
  return updatedAt > 0 ? formatAge(updatedAt, now) : 'unknown';
}

/** How full the context window is, where it is known. */
function shareOf({ missing, window }: FoundSession): string {
  if (missing || window?.percent === undefined) return '';
  return `${window.estimated ? '~' : ''}${window.percent}%`;
}

function sizeOf({ missing, cold, sizeBytes }: FoundSession): string {
  if (missing) return 'missing';
  return cold ? `${formatSize(sizeBytes)} cold` : formatSize(sizeBytes);
}

/** The working folder of the agent; where that is unknown, the transcript. */
function folderOf(session: FoundSession, home: string): string {
  const { missing, cwd, path } = session;
  if (missing || (cwd === null && !storageOf(session).hasOwnFile)) return '';
  return shortenPath(cwd ?? path, home);
}

function titleOf({ label, displayName, sessionKey, former }: FoundSession): string {
  const given = shortenOrNone(label ?? displayName);
  const short = shortenOrNone(sessionKey);
  const key = former ? `formerly ${short}` : short;
  if (given === undefined) return key ?? '';
  return key === undefined ? `"${given}"` : `"${given}" ${key}`;
}

function shortenOrNone(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shortenText(text);
}

/** @param paintFirst for the first cell, not for the blanks behind it */
function formatRow(
  columns: readonly ListColumn<ListedSession>[],
  widths: readonly number[],
  cells: readonly (readonly string[])[],
  row: number,
  paintFirst?: (text: string) => string,
): string {
  let line = '';
  for (let at = 0; at < columns.length; at++) {
    const { cut, isFigure } = columns[at]!;
    const width = widths[at]!;
    if (width === 0) continue;
    const cell = cells[at]![row]!;
    const taken = textWidth(cell);
    const text = taken > width && cut !== undefined ? cut(cell, width) : cell;
    const blanks = ' '.repeat(width - (text === cell ? taken : textWidth(text)));
    const shown = at === 0 && paintFirst !== undefined ? paintFirst(text) : text;
    line += isFigure ? `${blanks}${shown}  ` : `${shown}${blanks}  `;
  }
  return line.trimEnd();
}

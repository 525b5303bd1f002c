import type { FoundSession } from '../sources/found-session.ts';
import type { ListedSession, SessionList } from '../sources/list-sessions.ts';
import type { EmptySearch } from '../sources/no-sessions.ts';
import { sourceTitle } from './chosen-session.ts';
import { formatQuantity, formatSize } from './figures.ts';
import { fitColumns, type ListColumn } from './list-columns.ts';
import { printable } from './printable.ts';
import { formatAge } from './relative-time.ts';
import type { ReportOptions } from './report-options.ts';
import { shortenNames } from './short-names.ts';
import { shortenPath } from './short-path.ts';
import { cutEnd, cutStart, padText } from './text-width.ts';

/** The sessions as a table that fits the terminal. @param now milliseconds */
export function formatList({ listed, names }: SessionList, options: ReportOptions, now: number): string {
  const short = options.verbose ? new Map<string, string>() : shortenNames(names);
  const columns = chooseColumns(listed, short, options, now);
  const cells = listed.map((row) => columns.map(({ show }) => printable(show(row))));
  const widths = fitColumns(columns, cells, options.columns);
  const lines = listed.flatMap(({ session }, at) => {
    const line = formatRow(columns, cells[at]!, widths);
    const shown = session.missing ? options.palette.dim(line) : paintName(line, widths[0]!, options);
    if (!options.verbose) return [shown];
    return [shown, options.palette.dim(`  ${shortenPath(session.path, options.home)}`)];
  });
  const titles = formatRow(
    columns,
    columns.map(({ title }) => title),
    widths,
  );
  return `${[headline(listed, names.length), options.palette.dim(titles), ...lines].join('\n')}\n`;
}

export function formatEmptyList({ who, folders, advice }: EmptySearch, options: ReportOptions): string {
  const places = folders.map((folder) => `  Looked in ${shortenPath(folder, options.home)}`);
  const lines = [
    `No sessions of ${printable(who)}.`,
    ...places,
    ...advice.map((text) => `  ${printable(text)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function headline(listed: readonly ListedSession[], total: number): string {
  const owners = new Set(listed.map(({ session }) => ownerOf(session)));
  const [owner] = owners;
  const whose = owners.size === 1 ? ` of ${owner}` : '';
  if (listed.length === total) return `${formatQuantity(total, 'session')}${whose}, newest first`;
  return `The newest ${listed.length} of ${formatQuantity(total, 'session')}${whose}`;
}

function ownerOf({ source, agentId }: FoundSession): string {
  return agentId === null ? sourceTitle(source) : `agent ${printable(agentId)}`;
}

function chooseColumns(
  listed: readonly ListedSession[],
  short: ReadonlyMap<string, string>,
  { home }: ReportOptions,
  now: number,
): ListColumn<ListedSession>[] {
  const count = (of: (session: FoundSession) => unknown) =>
    new Set(listed.map(({ session }) => of(session))).size;
  const folderOf = ({ cwd, path }: FoundSession) => shortenPath(cwd ?? path, home);
  return [
    { title: 'ID', show: ({ name }) => short.get(name) ?? name },
    { title: 'UPDATED', show: ({ session }) => formatAge(session.updatedAt, now) },
    {
      title: 'SIZE',
      show: ({ session }) => (session.missing ? 'missing' : formatSize(session.sizeBytes)),
      isFigure: true,
    },
    ...(count(({ source }) => source) > 1
      ? [{ title: 'SOURCE', show: ({ session }: ListedSession) => session.source }]
      : []),
    ...(count(({ agentId }) => agentId ?? '') > 1 && listed.some(({ session }) => session.agentId !== null)
      ? [{ title: 'AGENT', show: ({ session }: ListedSession) => session.agentId ?? '' }]
      : []),
    ...(listed.some(({ session }) => titleOf(session) !== '')
      ? [{ title: 'SESSION', show: ({ session }: ListedSession) => titleOf(session), cut: cutEnd }]
      : []),
    { title: 'FOLDER', show: ({ session }) => folderOf(session), cut: cutStart },
  ];
}

function titleOf({ label, displayName, sessionKey }: FoundSession): string {
  const given = label ?? displayName;
  if (given === undefined) return sessionKey ?? '';
  return sessionKey === undefined ? `"${given}"` : `"${given}" ${sessionKey}`;
}

function formatRow(
  columns: readonly ListColumn<ListedSession>[],
  cells: readonly string[],
  widths: readonly number[],
): string {
  return columns
    .flatMap(({ cut, isFigure }, at) => {
      const width = widths[at]!;
      if (width === 0) return [];
      const text = cut === undefined ? cells[at]! : cut(cells[at]!, width);
      return [isFigure ? text.padStart(width) : padText(text, width)];
    })
    .join('  ')
    .trimEnd();
}

function paintName(line: string, width: number, { palette }: ReportOptions): string {
  return palette.bold(line.slice(0, width).trimEnd()) + line.slice(line.slice(0, width).trimEnd().length);
}

import { cutMiddle, formatAge, formatQuantity, printable, textWidth } from '@openbot/sessions/terminal-text';
import { shortenText } from '../errors.ts';
import type { ListedSession, SessionList, SessionOwner } from '../finding/list-sessions.ts';
import type { EmptySearch } from '../finding/no-sessions.ts';
import { sourceOf, storageOf } from '../storage/all.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { formatSize } from './figures.ts';
import type { ReportOptions } from './report-options.ts';
import { shortenPath } from './short-path.ts';

interface ListColumn {
  readonly title: string;
  show(row: ListedSession): string;
  /** Aligned to the right. */
  readonly isFigure?: boolean;
  /** For a column that may be made narrower. */
  readonly cut?: (text: string, width: number) => string;
}

/** A column with the text and the width of each of its cells, the title first. */
interface Cells {
  readonly column: ListColumn;
  readonly texts: readonly string[];
  readonly widths: readonly number[];
}

const GAP = 2;
/** A column is left out rather than made narrower than this. */
const NARROWEST = 10;

/** The sessions as a table that fits the terminal. @param now milliseconds */
export function formatList(list: SessionList, options: ReportOptions, now: number): string {
  const { palette, verbose } = options;
  const shorten = verbose ? (name: string) => name : shortenNames(list.names);
  const columns = chooseColumns(list, shorten, options, now).map((column): Cells => {
    const texts = [column.title, ...list.listed.map(column.show)];
    return { column, texts, widths: texts.map(textWidth) };
  });
  const widths = fitColumns(columns, options.columns);
  let text = `${headline(list)}\n${palette.dim(formatRow(columns, widths, 0))}\n`;
  for (let at = 0; at < list.listed.length; at++) {
    const { missing, path } = list.listed[at]!.session;
    const row = formatRow(columns, widths, at + 1, missing ? undefined : palette.bold);
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
): ListColumn[] {
  const sources = new Set(owners.map(({ source }) => source));
  const agents = new Set(owners.map(({ agentId }) => agentId).filter((agentId) => agentId !== null));
  const hasTitles = listed.some(({ session }) => titleOf(session) !== '');
  const hasWindows = listed.some(({ session }) => shareOf(session) !== '');
  const columns: (ListColumn | false)[] = [
    { title: 'ID', show: ({ name }) => printable(shorten(name)) },
    { title: 'UPDATED', show: ({ session }) => ageOf(session, now) },
    { title: 'SIZE', show: ({ session }) => sizeOf(session), isFigure: true },
    hasWindows && { title: 'WINDOW', show: ({ session }) => shareOf(session), isFigure: true },
    areInSeveralStorages(listed) && { title: 'KEPT IN', show: ({ session }) => session.storage ?? 'file' },
    sources.size > 1 && { title: 'SOURCE', show: ({ session }) => session.source },
    agents.size > 1 && { title: 'AGENT', show: ({ session }) => printable(session.agentId ?? '') },
    hasTitles && { title: 'SESSION', show: ({ session }) => printable(titleOf(session)), cut: cutMiddle },
    { title: 'FOLDER', show: ({ session }) => folderOf(session, home), cut: cutMiddle },
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

/** @param paintFirst for the first cell, without the blanks behind it */
function formatRow(
  columns: readonly Cells[],
  widths: readonly number[],
  row: number,
  paintFirst?: (text: string) => string,
): string {
  let line = '';
  for (let at = 0; at < columns.length; at++) {
    const { column, texts, widths: taken } = columns[at]!;
    const width = widths[at]!;
    if (width === 0) continue;
    const isCut = taken[row]! > width && column.cut !== undefined;
    const text = isCut ? column.cut!(texts[row]!, width) : texts[row]!;
    const blanks = ' '.repeat(width - (isCut ? textWidth(text) : taken[row]!));
    const shown = at === 0 && paintFirst !== undefined ? paintFirst(text) : text;
    line += column.isFigure ? `${blanks}${shown}  ` : `${shown}${blanks}  `;
  }
  return line.trimEnd();
}

/**
 * The widths of the columns with which a row fits. Columns that can be cut share what the others leave; those that need
 * less than their share leave the rest to the others. A column for which there is no room is 0 wide.
 */
function fitColumns(columns: readonly Cells[], total: number): number[] {
  const widths = columns.map((cells) => cells.widths.reduce((most, width) => Math.max(most, width), 0));
  let flexible = columns.flatMap(({ column }, at) => (column.cut === undefined ? [] : [at]));
  const fixed = widths.reduce((sum, width, at) => (flexible.includes(at) ? sum : sum + width + GAP), -GAP);
  let room = total - fixed;
  while (flexible.length > 0 && room < flexible.length * (NARROWEST + GAP)) widths[flexible.pop()!] = 0;
  while (flexible.length > 0) {
    const share = Math.floor(room / flexible.length) - GAP;
    const content = flexible.filter((at) => widths[at]! <= share);
    for (const at of content) room -= widths[at]! + GAP;
    flexible = flexible.filter((at) => !content.includes(at));
    if (content.length > 0) continue;
    for (const at of flexible) widths[at] = share;
    break;
  }
  return widths;
}

/** Shorter ones soon become ambiguous. */
const SHORTEST = 8;
/** Names that people choose are short, and hard to read when cut. */
const LONGEST_WHOLE = 24;

/**
 * Shortens each of these names to its shortest unique beginning, at least eight characters. A name that is short, that
 * occurs twice or that others begin with, stays whole.
 */
export function shortenNames(names: readonly string[]): (name: string) => string {
  const sorted = names.map((name) => name.toLowerCase()).sort();
  const lengths = new Map<string, number>();
  let before = 0;
  for (let at = 0; at < sorted.length; at++) {
    const name = sorted[at]!;
    const after = commonLength(name, sorted[at + 1], before);
    lengths.set(name, Math.max(SHORTEST, before + 1, after + 1, lengths.get(name) ?? 0));
    before = after;
  }
  return (name) => endOnWord(name, lengths.get(name.toLowerCase()) ?? name.length);
}

/** @param guess how much they probably share: names that were made one after the other begin alike */
function commonLength(a: string, b: string | undefined, guess: number): number {
  if (b === undefined) return 0;
  let length = b.startsWith(a.slice(0, guess)) ? guess : 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** A hyphen at the end would look like a word that was cut. */
function endOnWord(name: string, length: number): string {
  if (name.length <= LONGEST_WHOLE) return name;
  return name.slice(0, name[length - 1] === '-' ? length + 1 : length);
}

import { resolveClaudeTitle } from '@openbot/sessions/lines';
import { readFileEnds } from '@openbot/sessions/transcript';
import type { SourceName } from '../contract/found-session.ts';
import type { LocatedSession } from '../contract/located-session.ts';
import { interpretStart, readTranscriptHead, type TranscriptHead } from './transcript-head.ts';

/** Where a title is looked for, at either end of a transcript. Its program repeats it there as the transcript grows. */
const WINDOW = 64 * 1024;
const LINE_FEED = 0x0a;

const start = Buffer.allocUnsafe(WINDOW);
const end = Buffer.allocUnsafe(WINDOW);

/** The lines that give a transcript its title. */
interface TitleLines {
  /** The end of their types. Its first byte is a rare one: the search goes from one such byte to the next. */
  readonly mark: string;
  /** By type, the field that holds the title. */
  readonly fields: ReadonlyMap<unknown, string>;
  /** The field that makes it needless to look further. */
  readonly best: string;
  choose(titles: Titles, path: string): string | undefined;
}

type Titles = Readonly<Partial<Record<string, string>>>;

const TITLES: Readonly<Record<SourceName, TitleLines | undefined>> = {
  // OpenClaw has them in its index.
  openclaw: undefined,
  pi: {
    mark: '_info"',
    fields: new Map([['session_info', 'name']]),
    best: 'name',
    choose: ({ name }) => name?.trim() || undefined,
  },
  claude: {
    mark: '-title"',
    fields: new Map([
      ['custom-title', 'customTitle'],
      ['ai-title', 'aiTitle'],
    ]),
    best: 'customTitle',
    choose: resolveClaudeTitle,
  },
};

/** What a session is called, as far as the ends of its transcript tell. */
export function readOwnTitle({ source, path, missing }: LocatedSession): string | undefined {
  const lines = TITLES[source];
  if (lines === undefined || missing) return undefined;
  try {
    return findTitle(lines, path, readFileEnds(path, start, end));
  } catch {
    return undefined;
  }
}

/** What the beginning of a transcript says of it, and what it is called, with one look at the file. */
export function readHeadAndTitle({ source, path }: LocatedSession): {
  head: TranscriptHead | undefined;
  title?: string;
} {
  const lines = TITLES[source];
  if (lines === undefined) return { head: readTranscriptHead(path) };
  try {
    const ends = readFileEnds(path, start, end);
    const head = interpretStart(start, ends.started) ?? readTranscriptHead(path);
    return { head, title: findTitle(lines, path, ends) };
  } catch {
    return { head: undefined };
  }
}

function findTitle(
  lines: TitleLines,
  path: string,
  { started, ended }: { started: number; ended: number },
): string | undefined {
  // What is behind them is of another file.
  const atEnd = findLast(end.subarray(0, ended), lines);
  const titles =
    atEnd[lines.best] === undefined ? { ...findLast(start.subarray(0, started), lines), ...atEnd } : atEnd;
  return lines.choose(titles, path);
}

function findLast(bytes: Buffer, { mark, fields }: TitleLines): Titles {
  const titles: Record<string, string> = {};
  for (let at = bytes.indexOf(mark, 0, 'latin1'); at >= 0; at = bytes.indexOf(mark, at + 1, 'latin1')) {
    const lineStart = bytes.lastIndexOf(LINE_FEED, at) + 1;
    const lineEnd = bytes.indexOf(LINE_FEED, at);
    const line = parseObject(bytes.toString('utf8', lineStart, lineEnd < 0 ? bytes.length : lineEnd));
    // Others may speak of such a line.
    const field = fields.get(line?.type);
    const title = field === undefined ? undefined : line![field];
    if (typeof title === 'string') titles[field!] = title;
  }
  return titles;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

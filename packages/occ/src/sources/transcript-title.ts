import { readFileEnd, readFileStart } from '@openbot/sessions';
import { readTitle } from './claude-sessions.ts';
import type { SourceName } from './found-session.ts';
import type { LocatedSession } from './located-session.ts';

/** Where a title is looked for, at either end of a transcript. Its program repeats it there as the transcript grows. */
const WINDOW = 64 * 1024;
const LINE_FEED = 0x0a;

const bytes = Buffer.allocUnsafe(WINDOW);

/** The lines that give a transcript its title. */
interface TitleLines {
  readonly type: string;
  readonly field: string;
}

const TITLES: Readonly<Record<SourceName, TitleLines | undefined>> = {
  // OpenClaw has them in its index.
  openclaw: undefined,
  pi: { type: 'session_info', field: 'name' },
  claude: { type: 'custom-title', field: 'customTitle' },
};

/** What a person called a session: what its transcript says last, else the file beside it. */
export function readOwnTitle({ source, path, missing, titlePath }: LocatedSession): string | undefined {
  const lines = TITLES[source];
  const inLines = lines === undefined || missing ? undefined : readTranscriptTitle(path, lines);
  return inLines ?? (titlePath === undefined ? undefined : readTitle(titlePath));
}

/** The title that was given last, as far as the ends of the file tell; undefined where there is none or it was taken away. */
function readTranscriptTitle(path: string, lines: TitleLines): string | undefined {
  try {
    const { count, isWhole } = readFileEnd(path, bytes);
    const last = findLast(count, lines);
    const title = last ?? (isWhole ? undefined : findLast(readFileStart(path, bytes), lines));
    return title?.trim() ? title : undefined;
  } catch {
    return undefined;
  }
}

/** @param count how many of the bytes are of the file */
function findLast(count: number, { type, field }: TitleLines): string | undefined {
  const mark = Buffer.from(`"${type}"`);
  // What is behind them is of another file.
  const read = bytes.subarray(0, count);
  let title: string | undefined;
  for (let at = read.indexOf(mark); at >= 0; at = read.indexOf(mark, at + mark.length)) {
    const start = read.lastIndexOf(LINE_FEED, at) + 1;
    const lineEnd = read.indexOf(LINE_FEED, at);
    const line = parseObject(read.toString('utf8', start, lineEnd < 0 ? count : lineEnd));
    // Others may speak of such a line.
    if (line?.type === type && typeof line[field] === 'string') title = line[field];
  }
  return title;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

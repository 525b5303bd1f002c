import { readFileEnds } from '@openbot/sessions/transcript';
import type { TranscriptHead } from '../contract/finding.ts';
import type { LocatedSession } from '../contract/located-session.ts';
import { interpretStart, parseObject, readTranscriptHead } from './transcript-head.ts';

/** Titles are searched for at both ends of a transcript. Its program repeats them as the transcript grows. */
const WINDOW = 64 * 1024;
const LINE_FEED = 0x0a;

const start = Buffer.allocUnsafe(WINDOW);
const end = Buffer.allocUnsafe(WINDOW);

/** The lines that give a transcript its title. */
export interface TitleLines {
  /** The end of their types. Its first byte is rare, which makes the search fast. */
  readonly mark: string;
  /** By type, the field that holds the title. */
  readonly fields: ReadonlyMap<unknown, string>;
  /** Where this field is found, the search ends. */
  readonly best: string;
  choose(titles: Titles, path: string): string | undefined;
}

type Titles = Readonly<Partial<Record<string, string>>>;

/** The title of a session, as far as the ends of its transcript contain it. */
export function readOwnTitle(lines: TitleLines, { path, missing }: LocatedSession): string | undefined {
  if (missing) return undefined;
  try {
    return findTitle(lines, path, readFileEnds(path, start, end));
  } catch {
    return undefined;
  }
}

/** The head and the title of a transcript; the file is read once. */
export function readHeadAndTitle(
  lines: TitleLines,
  { path }: LocatedSession,
): { head: TranscriptHead | undefined; title?: string } {
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
  // The rest of the buffer is of another file.
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
    // Other lines may quote such a line.
    const field = fields.get(line?.type);
    const title = field === undefined ? undefined : line![field];
    if (typeof title === 'string') titles[field!] = title;
  }
  return titles;
}

import { formatCount } from '@openbot/sessions/terminal-text';
import { showLine } from './tool-call.ts';

/** A part of what is shown: `name: value`, or the value alone. */
export type QuestionPart = readonly [name: string, value: unknown];

export interface QuestionRows {
  readonly text: string;
  /** False where a part of it is not shown. */
  readonly isWhole: boolean;
}

/** Stands before every row that others wrote: no text of theirs can pose as a question. */
const BAR = '  │ ';
/** Some terminals draw the bar itself two cells wide. */
const BAR_CELLS = 5;

/** Of one part and of all; the end is where a long command does what its beginning hides. */
const ROWS_OF_PART = { first: 40, last: 20 };
const ROWS_OF_ALL = { first: 120, last: 80 };
/** More than so many characters at either end are no row that is shown. */
const LONGEST_END = 20_000;

/** The parts behind a bar, each row no wider than the terminal: one that the terminal folds has no bar. */
export function showBehindBar(parts: readonly QuestionPart[], columns: number): QuestionRows {
  const width = Math.max(columns - BAR_CELLS, 2);
  const shown = parts.map((part) => cutMiddle(layOut(part, width), ROWS_OF_PART));
  const all = cutMiddle({ start: shown.flatMap(({ rows }) => rows), between: 0, end: [] }, ROWS_OF_ALL);
  // What is said about a cut is folded too.
  const rows = all.rows.flatMap((row) => fold(row, width));
  return {
    text: rows.map((row) => `${BAR}${row}\n`).join(''),
    isWhole: all.isWhole && shown.every(({ isWhole }) => isWhole),
  };
}

/** Rows from the start and to the end of a text, and how many characters between them were not laid out. */
interface Layout {
  readonly start: readonly string[];
  readonly between: number;
  readonly end: readonly string[];
}

function layOut([name, value]: QuestionPart, width: number): Layout {
  const whole = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const text = name === '' ? whole : `${name}: ${whole}`;
  const between = Math.max(text.length - 2 * LONGEST_END, 0);
  const [first = '', ...rest] = listLines(between > 0 ? text.slice(0, LONGEST_END) : text);
  const last = between > 0 ? listLines(text.slice(-LONGEST_END)) : [];
  const indent = (lines: readonly string[]) => lines.flatMap((line) => fold(`  ${line}`, width));
  return { start: [...fold(first, width), ...indent(rest)], between, end: indent(last) };
}

/** Lines of a text as they may be shown, with blanks that would push the rest out of sight told by their number. */
function listLines(text: string): string[] {
  const lines: string[] = [];
  let empty = 0;
  const tellEmpty = () => {
    lines.push(...(empty > MOST_EMPTY ? [`[${formatCount(empty)} empty lines]`] : Array(empty).fill('')));
    empty = 0;
  };
  for (const line of text.split(/\r?\n/)) {
    if (ONLY_BLANKS.test(line)) {
      empty += 1;
      continue;
    }
    tellEmpty();
    lines.push(showLine(line.replaceAll('\t', '    ').replace(LONG_BLANKS, tellBlanks)));
  }
  tellEmpty();
  return lines;
}

const MOST_EMPTY = 3;
/** White space, and letters that are drawn as nothing. */
const BLANK = '[\\s\\u115f\\u1160\\u2800\\u3164\\uffa0]';
const ONLY_BLANKS = new RegExp(`^${BLANK}*$`);
/** An indentation may be longer than a gap. */
const LONG_BLANKS = new RegExp(`^${BLANK}{25,}|(?<!^${BLANK}*)${BLANK}{9,}`, 'g');
const tellBlanks = (blanks: string) => `[${formatCount(blanks.length)} blanks]`;

/** Terminals disagree on the width of what is not ASCII: taken for two cells, it never overflows a row. */
function fold(line: string, width: number): string[] {
  const rows = [''];
  let cells = 0;
  for (const char of line) {
    const own = char <= '~' ? 1 : 2;
    if (cells + own > width) {
      rows.push('');
      cells = 0;
    }
    cells += own;
    rows[rows.length - 1] += char;
  }
  return rows;
}

function cutMiddle(
  { start, between, end }: Layout,
  most: typeof ROWS_OF_ALL,
): { rows: readonly string[]; isWhole: boolean } {
  if (between === 0 && start.length + end.length <= most.first + most.last) {
    return { rows: [...start, ...end], isWhole: true };
  }
  const further = [...start.slice(most.first), ...end];
  const last = between > 0 ? end.slice(-most.last) : further.slice(-most.last);
  const left = further.slice(0, further.length - last.length);
  const count = formatCount(between + left.reduce((sum, row) => sum + row.length, 0));
  return {
    rows: [...start.slice(0, most.first), `… ${count} characters are not shown …`, ...last],
    isWhole: false,
  };
}

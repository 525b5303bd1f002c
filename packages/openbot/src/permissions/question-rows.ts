import { formatCount, printable } from '@openbot/sessions/terminal-text';

/** Shown as `name: value`, or as the value alone if the name is empty. */
export type QuestionPart = readonly [name: string, value: unknown];

interface QuestionRows {
  readonly text: string;
  /** False if a part of it is not shown. */
  readonly isWhole: boolean;
}

/** Precedes every row of foreign text, so that none of it can imitate a question. */
const BAR = '  │ ';
/** Some terminals draw the bar itself two cells wide. */
const BAR_CELLS = 5;

/** The last rows are shown too: a long harmless beginning can hide what the end of a command does. */
const ROWS_OF_PART = { first: 40, last: 20 };
const ROWS_OF_ALL = { first: 120, last: 80 };
/** Characters laid out at either end of a text; those between them are only counted. */
const LONGEST_END = 20_000;

/** Formats the parts behind a bar. No row is wider than the terminal, because a row folded by the terminal would lack the bar. */
export function showBehindBar(parts: readonly QuestionPart[], columns: number): QuestionRows {
  const width = Math.max(columns - BAR_CELLS, 2);
  const shown = parts.map((part) => cutMiddle(layOut(part, width), ROWS_OF_PART));
  const all = cutMiddle({ start: shown.flatMap(({ rows }) => rows), between: 0, end: [] }, ROWS_OF_ALL);
  // The line about a cut may itself be too wide.
  const rows = all.rows.flatMap((row) => fold(row, width));
  return {
    text: rows.map((row) => `${BAR}${row}\n`).join(''),
    isWhole: all.isWhole && shown.every(({ isWhole }) => isWhole),
  };
}

/** The first and the last rows of a text, and the number of characters between them that were not laid out. */
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

/** Printable lines of a text. Long runs of blanks, which could push the rest off the screen, become a count. */
function listLines(text: string): string[] {
  const lines: string[] = [];
  let empty = 0;
  const addEmpty = () => {
    lines.push(...(empty > MOST_EMPTY ? [`[${formatCount(empty)} empty lines]`] : Array(empty).fill('')));
    empty = 0;
  };
  for (const line of text.split(/\r?\n/)) {
    if (ONLY_BLANKS.test(line)) {
      empty += 1;
      continue;
    }
    addEmpty();
    lines.push(printable(line.replaceAll('\t', '    ').replace(LONG_BLANKS, countBlanks)));
  }
  addEmpty();
  return lines;
}

const MOST_EMPTY = 3;
/** White space, and letters that terminals draw as blanks. */
const BLANK = '[\\s\\u115f\\u1160\\u2800\\u3164\\uffa0]';
const ONLY_BLANKS = new RegExp(`^${BLANK}*$`);
/** An indentation may be longer than a gap within a line. */
const LONG_BLANKS = new RegExp(`^${BLANK}{25,}|(?<!^${BLANK}*)${BLANK}{9,}`, 'g');
const countBlanks = (blanks: string) => `[${formatCount(blanks.length)} blanks]`;

/** Terminals disagree on the width of non-ASCII characters. Two cells for each never overflows a row. */
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

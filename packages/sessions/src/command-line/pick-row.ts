import { writeSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { formatCount } from '../terminal-text/figures.ts';
import { printable } from '../terminal-text/printable.ts';
import { cutEnd, textWidth } from '../terminal-text/text-width.ts';
import type { Terminal } from './terminal.ts';

export interface PickList {
  readonly question: string;
  /** What a row is: `session`. */
  readonly noun: string;
  /** Of each row, what is searched when a person types. */
  readonly searched: readonly string[];
  /** The titles, and a line for each row, of at most so many columns. Called again when the terminal changes its width. */
  layOut(columns: number): readonly string[];
}

/** The mark before each row, and the last column: some terminals go on to the next line after it. */
const OTHER_COLUMNS = 3;
const MOST_ROWS = 12;
/** The question, the titles, the line below the rows, and the prompt before them. */
const OTHER_ROWS = 4;
/** An escape that nothing follows for so long is the key, not the beginning of a sequence. */
const ESCAPE_MS = 60;
const ESCAPE = '\u001b';
const CONTROL_C = '\u0003';
const CONTROL_D = '\u0004';
const HIDE_CURSOR = `${ESCAPE}[?25l`;
const SHOW_CURSOR = `${ESCAPE}[?25h`;
/** The terminal marks what is pasted: a line end in it is no Enter. */
const MARK_PASTED = `${ESCAPE}[?2004h`;
const LEAVE_PASTED = `${ESCAPE}[?2004l`;
const PASTE_BEGINS = `${ESCAPE}[200~`;
const PASTE_ENDS = `${ESCAPE}[201~`;

interface Picking {
  /** What was typed. */
  filter: string;
  /** The rows that match, by number. */
  shown: readonly number[];
  /** The place of the marked one among them. */
  at: number;
}

/**
 * Lets the person at the terminal choose a row: arrow keys move the mark, typing filters, Enter chooses. Returns its number,
 * or how the person left: `interrupted` is Ctrl-C. The list is erased afterwards, and the terminal is as it was, also after a signal.
 * @param atEnding registers what is called when a signal ends the process, and returns the function that forgets it
 */
export async function pickRow(
  terminal: Terminal,
  list: PickList,
  atEnding: (undo: () => void) => () => void,
): Promise<number | 'cancelled' | 'interrupted'> {
  const { stdin, stdout } = process;
  const picking: Picking = { filter: '', shown: list.searched.map((_, at) => at), at: 0 };
  // The cursor moves in the terminal as it is, whatever COLUMNS says.
  const readWidth = () => stdout.columns || terminal.columns;
  let rows = list.layOut(readWidth() - OTHER_COLUMNS);
  let drawn: readonly string[] = [];
  const erase = () => {
    const above = countScreenLines(drawn, readWidth()) - 1;
    return `${above > 0 ? `\u001b[${above}A` : ''}\r\u001b[J`;
  };
  const draw = () => {
    const lines = drawLines(list, rows, picking, { palette: terminal.palette, columns: readWidth() });
    terminal.write(`${drawn.length === 0 ? HIDE_CURSOR + MARK_PASTED : erase()}${lines.join('\n')}`);
    drawn = lines;
  };
  const onResize = () => {
    rows = list.layOut(readWidth() - OTHER_COLUMNS);
    draw();
  };
  const restore = () => {
    stdin.setRawMode(false);
    // Written at once: after a signal nothing else is.
    writeSync(1, `${erase()}${LEAVE_PASTED}${SHOW_CURSOR}`);
  };
  const forget = atEnding(restore);
  process.once('exit', restore);
  stdout.on('resize', onResize);
  stdin.setRawMode(true);
  draw();
  try {
    for await (const key of readKeys(stdin)) {
      if (key === CONTROL_C) return 'interrupted';
      if (key === ESCAPE || key === CONTROL_D) return 'cancelled';
      if (isEnter(key)) {
        const chosen = picking.shown[picking.at];
        if (chosen !== undefined) return chosen;
      } else press(key, list, picking);
      draw();
    }
    return 'cancelled';
  } finally {
    forget();
    process.off('exit', restore);
    stdout.off('resize', onResize);
    restore();
    // The time in which the person chose does not count.
    terminal.eraseProgress();
  }
}

/** A terminal that was made narrower since has broken long lines into several. */
function countScreenLines(lines: readonly string[], columns: number): number {
  return lines.reduce(
    (sum, line) => sum + Math.max(1, Math.ceil(textWidth(stripVTControlCharacters(line)) / columns)),
    0,
  );
}

/** How many rows are shown at once. */
function readHeight(): number {
  return Math.max(3, Math.min(MOST_ROWS, (process.stdout.rows || 24) - OTHER_ROWS));
}

function isEnter(key: string): boolean {
  return key === '\r' || key === '\n';
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['\u001b[A', -1],
  ['\u001bOA', -1],
  ['\u0010', -1],
  ['\u001b[B', 1],
  ['\u001bOB', 1],
  ['\u000e', 1],
  ['\t', 1],
  // Home and End of xterm, of the Linux console and of rxvt.
  ...['[H', 'OH', '[1~', '[7~'].map((end) => [ESCAPE + end, Number.NEGATIVE_INFINITY] as const),
  ...['[F', 'OF', '[4~', '[8~'].map((end) => [ESCAPE + end, Number.POSITIVE_INFINITY] as const),
]);
const PAGES: ReadonlyMap<string, number> = new Map([
  ['\u001b[5~', -1],
  ['\u001b[6~', 1],
]);

/** The effect of a key on what is shown. Unknown keys have none. */
function press(key: string, { searched }: PickList, picking: Picking): void {
  const step = STEPS.get(key) ?? (PAGES.get(key) ?? 0) * readHeight();
  if (step !== 0) {
    picking.at = Math.max(0, Math.min(picking.shown.length - 1, picking.at + step));
    return;
  }
  const filter = typeInto(picking.filter, key);
  if (filter === picking.filter) return;
  const words = filter.toLowerCase().split(' ');
  const isMatch = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  picking.filter = filter;
  picking.shown = searched.flatMap((text, at) => (isMatch(text) ? [at] : []));
  picking.at = 0;
}

function typeInto(filter: string, key: string): string {
  if (key === '\u007f' || key === '\b') return [...filter].slice(0, -1).join('');
  if (key === '\u0015') return '';
  return key < ' ' || key.length > 2 ? filter : filter + key;
}

function drawLines(
  { question, noun }: PickList,
  [head = '', ...rows]: readonly string[],
  { filter, shown, at }: Picking,
  { palette, columns }: Pick<Terminal, 'palette' | 'columns'>,
): string[] {
  const height = readHeight();
  const first = Math.max(0, Math.min(at - Math.floor(height / 2), shown.length - height));
  const visible = shown.slice(first, first + height);
  const rest = shown.length - visible.length;
  const below = [
    ...(filter === '' ? [] : [`Filter: ${printable(filter)}`]),
    ...(shown.length === 0 ? [`no ${noun} matches`] : rest > 0 ? [`${formatCount(rest)} more`] : []),
  ].join(', ');
  const cut = (line: string) => cutEnd(line, columns - 1);
  return [
    cut([`${question} ${KEYS}`, `${question} ${FEW_KEYS}`].find((line) => cut(line) === line) ?? question),
    palette.dim(cut(`  ${head}`)),
    ...visible.map((row, line) => (first + line === at ? palette.cyan(`> ${rows[row]}`) : `  ${rows[row]}`)),
    ...(below === '' ? [] : [palette.dim(cut(`  ${below}`))]),
  ];
}

const KEYS = '(type to search, arrows to move, Enter to choose, Esc to cancel)';
const FEW_KEYS = '(Esc to cancel)';

/** The keys that send several characters. Those pressed with Alt are an escape and the key, which may be `[`, `O` or a sequence. */
const SEQUENCE = `${ESCAPE}?${ESCAPE}(?:\\[[0-9;]*[A-Za-z~]?|O[A-Z]?|[^${ESCAPE}])`;
const KEY = new RegExp(`${SEQUENCE}|.`, 'gsu');
const UNFINISHED = new RegExp(`${ESCAPE}(?:\\[[0-9;]*|O)?$`);

/** The keys that are pressed, one at a time. Ends with the input. */
async function* readKeys(stdin: NodeJS.ReadStream): AsyncGenerator<string> {
  const chunks: string[] = [];
  let wake = () => {};
  let isOver = false;
  let isPasted = false;
  const onData = (chunk: string) => {
    chunks.push(chunk);
    wake();
  };
  const onEnd = () => {
    isOver = true;
    wake();
  };
  // A question before this one has paused it.
  stdin.setEncoding('utf8').on('data', onData).on('end', onEnd).on('error', onEnd).resume();
  const nextChunk = (ms?: number) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (ms !== undefined) setTimeout(resolve, ms);
      if (chunks.length > 0 || isOver) resolve();
    });
  try {
    while (!isOver) {
      await nextChunk();
      let text = chunks.splice(0).join('');
      // A slow line may bring the rest of a sequence later.
      if (UNFINISHED.test(text)) {
        await nextChunk(ESCAPE_MS);
        text += chunks.splice(0).join('');
      }
      for (const key of text.match(KEY) ?? []) {
        if (key === PASTE_BEGINS || key === PASTE_ENDS) isPasted = key === PASTE_BEGINS;
        else yield isPasted && key < ' ' && key !== CONTROL_C ? ' ' : key;
      }
    }
  } finally {
    stdin.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
  }
}

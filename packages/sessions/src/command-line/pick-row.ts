import { writeSync } from 'node:fs';
import { printable } from '../terminal-text/printable.ts';
import { cutEnd } from '../terminal-text/text-width.ts';
import type { Terminal } from './terminal.ts';

export interface PickList {
  readonly question: string;
  /** The titles of the rows. */
  readonly head: string;
  /** They fit the terminal behind two columns for the mark. */
  readonly rows: readonly PickedRow[];
}

export interface PickedRow {
  readonly text: string;
  /** What is searched when a person types. */
  readonly searched: string;
}

/** How many columns the mark before each row takes. */
export const MARK_WIDTH = 2;

const MOST_ROWS = 12;
/** The question, the titles, the line below the rows, and the prompt before them. */
const OTHER_ROWS = 4;
/** An escape that nothing follows for so long is the key, not the beginning of a sequence. */
const ESCAPE_MS = 60;
const ESCAPE = '\u001b';
const HIDE_CURSOR = `${ESCAPE}[?25l`;
const SHOW_CURSOR = `${ESCAPE}[?25h`;

interface Picking {
  /** What was typed. */
  filter: string;
  /** The rows that match, by number. */
  shown: readonly number[];
  /** The place of the marked one among them. */
  at: number;
}

/**
 * Lets the person at the terminal choose a row: arrow keys move the mark, typing filters, Enter chooses. Returns its number;
 * undefined where the person cancelled. The list is erased afterwards, and the terminal is as it was, also after a signal.
 * @param atEnding registers what is called when a signal ends the process, and returns the function that forgets it
 */
export async function pickRow(
  terminal: Terminal,
  list: PickList,
  atEnding: (undo: () => void) => () => void,
): Promise<number | undefined> {
  const { stdin } = process;
  const height = Math.max(3, Math.min(MOST_ROWS, (process.stdout.rows || 24) - OTHER_ROWS));
  const picking: Picking = { filter: '', shown: list.rows.map((_, at) => at), at: 0 };
  let drawn = 0;
  const erase = () => `${drawn > 1 ? `\u001b[${drawn - 1}A` : ''}\r\u001b[J`;
  const draw = () => {
    const lines = drawLines(list, picking, height, terminal);
    terminal.write(`${drawn === 0 ? HIDE_CURSOR : erase()}${lines.join('\n')}`);
    drawn = lines.length;
  };
  const restore = () => {
    stdin.setRawMode(false);
    // Written at once: after a signal nothing else is.
    writeSync(1, `${erase()}${SHOW_CURSOR}`);
  };
  const forget = atEnding(restore);
  process.once('exit', restore);
  stdin.setRawMode(true);
  draw();
  try {
    for await (const key of readKeys(stdin)) {
      if (isCancel(key)) return undefined;
      if (isEnter(key)) {
        const chosen = picking.shown[picking.at];
        if (chosen !== undefined) return chosen;
      } else press(key, list, picking, height);
      draw();
    }
    return undefined;
  } finally {
    forget();
    process.off('exit', restore);
    restore();
  }
}

function isCancel(key: string): boolean {
  return key === ESCAPE || key === '\u0003' || key === '\u0004';
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
]);
const PAGES: ReadonlyMap<string, number> = new Map([
  ['\u001b[5~', -1],
  ['\u001b[6~', 1],
]);

/** The effect of a key on what is shown. Unknown keys have none. */
function press(key: string, { rows }: PickList, picking: Picking, height: number): void {
  const step = STEPS.get(key) ?? (PAGES.get(key) ?? 0) * height;
  if (step !== 0) {
    picking.at = Math.max(0, Math.min(picking.shown.length - 1, picking.at + step));
    return;
  }
  const filter = typeInto(picking.filter, key);
  if (filter === picking.filter) return;
  const words = filter.toLowerCase().split(' ');
  const isMatch = ({ searched }: PickedRow) => words.every((word) => searched.toLowerCase().includes(word));
  picking.filter = filter;
  picking.shown = rows.flatMap((row, at) => (isMatch(row) ? [at] : []));
  picking.at = 0;
}

function typeInto(filter: string, key: string): string {
  if (key === '\u007f' || key === '\b') return [...filter].slice(0, -1).join('');
  if (key === '\u0015') return '';
  return key < ' ' || key.length > 2 ? filter : filter + key;
}

function drawLines(
  { question, head, rows }: PickList,
  { filter, shown, at }: Picking,
  height: number,
  { palette, columns }: Pick<Terminal, 'palette' | 'columns'>,
): string[] {
  const first = Math.max(0, Math.min(at - Math.floor(height / 2), shown.length - height));
  const visible = shown.slice(first, first + height);
  const rest = shown.length - visible.length;
  const below = [
    ...(filter === '' ? [] : [`Filter: ${printable(filter)}`]),
    ...(shown.length === 0 ? ['no session matches'] : rest > 0 ? [`${rest} more`] : []),
  ].join(', ');
  const cut = (line: string) => cutEnd(line, columns - 1);
  return [
    cut(`${question} (arrows or words to search, Enter to choose, Esc to cancel)`),
    palette.dim(cut(`  ${head}`)),
    ...visible.map((row, line) =>
      first + line === at ? palette.cyan(`> ${rows[row]!.text}`) : `  ${rows[row]!.text}`,
    ),
    ...(below === '' ? [] : [palette.dim(cut(`  ${below}`))]),
  ];
}

/** The keys that send several characters. */
const SEQUENCE = `${ESCAPE}(?:\\[[0-9;]*[A-Za-z~]|O[A-Z])`;
const KEY = new RegExp(`${SEQUENCE}|.`, 'gsu');
const UNFINISHED = new RegExp(`${ESCAPE}(?:\\[[0-9;]*|O)?$`);

/** The keys that are pressed, one at a time. Ends with the input. */
async function* readKeys(stdin: NodeJS.ReadStream): AsyncGenerator<string> {
  const chunks: string[] = [];
  let wake = () => {};
  let isOver = false;
  const onData = (chunk: string) => {
    chunks.push(chunk);
    wake();
  };
  const onEnd = () => {
    isOver = true;
    wake();
  };
  stdin.setEncoding('utf8').on('data', onData).on('end', onEnd).on('error', onEnd);
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
      yield* text.match(KEY) ?? [];
    }
  } finally {
    stdin.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
  }
}

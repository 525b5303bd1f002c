import { textWidth } from './text-width.ts';

export interface TableColumn<Row> {
  readonly title: string;
  show(row: Row): string;
  /** Colours what is shown of a cell. */
  readonly paint?: (text: string, row: Row) => string;
  /** Aligned to the right. */
  readonly isFigure?: boolean;
  /** For a column that may be made narrower. */
  readonly cut?: (text: string, width: number) => string;
  /** A column is left out rather than made narrower than this. */
  readonly least?: number;
  /** Below this width it is hard to read: spare columns are left out first. */
  readonly good?: number;
  readonly isSpare?: boolean;
  /** Columns with a lower number are left out first; without one it always stays. */
  readonly leave?: number;
}

/** A column with the text and the width of each of its cells, the title first. */
interface Cells<Row> {
  readonly column: TableColumn<Row>;
  readonly texts: readonly string[];
  readonly widths: readonly number[];
  /** The widest of them. */
  readonly whole: number;
}

const GAP = 2;

/** The lines of a table that fits a width, the titles first and in upper case. Blanks at their ends are left out. */
export function layOutTable<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  total: number,
  paintFirst: (text: string, row: Row) => string = (text) => text,
): string[] {
  const all = makeCells(columns, rows);
  const kept = leaveOut(leaveOut(all, total, 'good'), total, 'least');
  const widths = shareRoom(kept, total);
  return Array.from({ length: rows.length + 1 }, (_, line) => {
    const row = rows[line - 1];
    const cells = kept.map((cells, at) => {
      const paint = at === 0 ? paintFirst : cells.column.paint;
      return formatCell(cells, line, widths[at]!, (text) => (row && paint ? paint(text, row) : text));
    });
    return cells.join(' '.repeat(GAP)).trimEnd();
  });
}

/** Whether every column has its whole width. */
export function fitsWhole<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  total: number,
): boolean {
  return makeCells(columns, rows).reduce((sum, { whole }) => sum + whole + GAP, -GAP) <= total;
}

function makeCells<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[]): Cells<Row>[] {
  return columns.map((column) => {
    const texts = [column.title.toUpperCase(), ...rows.map((row) => column.show(row))];
    const widths = texts.map(textWidth);
    return { column, texts, widths, whole: widths.reduce((most, width) => Math.max(most, width), 0) };
  });
}

/** @param width what columns that can be cut should have; for a good one only spare columns are left out */
function leaveOut<Row>(
  columns: readonly Cells<Row>[],
  total: number,
  width: 'good' | 'least',
): readonly Cells<Row>[] {
  if (widthOfAll(columns, width) <= total) return columns;
  const [first] = columns
    .filter(({ column }) => column.leave !== undefined && (width === 'least' || column.isSpare))
    .sort((a, b) => a.column.leave! - b.column.leave!);
  if (first === undefined) return columns;
  return leaveOut(
    columns.filter((cells) => cells !== first),
    total,
    width,
  );
}

function widthOfAll<Row>(columns: readonly Cells<Row>[], width: 'good' | 'least'): number {
  return columns.reduce((sum, cells) => sum + widthOf(cells, width) + GAP, -GAP);
}

function widthOf<Row>({ column, whole }: Cells<Row>, width: 'good' | 'least'): number {
  const { cut, least = 0, good = least } = column;
  return cut === undefined ? whole : Math.min(whole, width === 'good' ? good : least);
}

/** Columns that can be cut share what the others leave; those that need less leave the rest to the others. */
function shareRoom<Row>(columns: readonly Cells<Row>[], total: number): number[] {
  const widths = columns.map((cells) => widthOf(cells, 'least'));
  let room = total - widthOfAll(columns, 'least');
  for (;;) {
    const wanting = columns.flatMap(({ whole }, at) => (widths[at]! < whole ? [at] : []));
    if (wanting.length === 0 || room < 1) return widths;
    const share = Math.max(1, Math.floor(room / wanting.length));
    for (const at of wanting) {
      const more = Math.min(share, columns[at]!.whole - widths[at]!, room);
      widths[at]! += more;
      room -= more;
    }
  }
}

function formatCell<Row>(
  { column, texts, widths }: Cells<Row>,
  line: number,
  width: number,
  paint: (text: string) => string,
): string {
  const isCut = widths[line]! > width && column.cut !== undefined;
  const text = isCut ? column.cut!(texts[line]!, width) : texts[line]!;
  const blanks = ' '.repeat(Math.max(0, width - (isCut ? textWidth(text) : widths[line]!)));
  return column.isFigure ? `${blanks}${paint(text)}` : `${paint(text)}${blanks}`;
}

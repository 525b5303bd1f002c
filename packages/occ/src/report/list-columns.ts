import { textWidth } from './text-width.ts';

export interface ListColumn<Row> {
  readonly title: string;
  show(row: Row): string;
  /** Aligned to the right. */
  readonly isFigure?: boolean;
  /** For a column that may be made narrower. */
  readonly cut?: (text: string, width: number) => string;
}

const GAP = 2;
/** Narrower than this a column says nothing any more. */
const NARROWEST = 10;

/**
 * How wide each column may be, so that a row fits. Columns that can be cut share what the others leave, those that need
 * less than their share giving the rest to the others; one for which there is no room is 0 wide.
 */
export function fitColumns<Row>(
  columns: readonly ListColumn<Row>[],
  rows: readonly (readonly string[])[],
  total: number,
): number[] {
  const widths = columns.map(({ title }) => textWidth(title));
  for (const cells of rows) {
    for (let at = 0; at < cells.length; at++) {
      const width = textWidth(cells[at]!);
      if (width > widths[at]!) widths[at] = width;
    }
  }
  let flexible = columns.flatMap(({ cut }, at) => (cut === undefined ? [] : [at]));
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

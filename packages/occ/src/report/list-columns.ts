import { textWidth } from '@openbot/sessions/terminal-text';

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
 * @param cells of each column, its title first
 */
export function fitColumns<Row>(
  columns: readonly ListColumn<Row>[],
  cells: readonly (readonly string[])[],
  total: number,
): number[] {
  const widths = cells.map((column) => column.reduce((width, cell) => Math.max(width, textWidth(cell)), 0));
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

import { formatCount } from './figures.ts';
import type { Palette } from './palette.ts';
import { formatPercent } from './percent-of.ts';
import { printable } from './printable.ts';
import { cutMiddle, padEnd, textWidth } from './text-width.ts';

/** One row: a share of a whole, and a detail. */
interface BarRow {
  readonly label: string;
  readonly value: number;
  readonly detail?: string;
}

const MAX_BAR = 32;
const MIN_BAR = 6;
const MAX_LABEL = 28;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * Rows as bars, each as long as the share of `whole` that its value is. Without room for all, the details are left out
 * first, then the bars.
 */
export function barLines(
  rows: readonly BarRow[],
  whole: number,
  { palette, columns }: { readonly palette: Palette; readonly columns: number },
): string[] {
  const labels = rows.map(({ label }) => cutMiddle(printable(label), MAX_LABEL));
  const labelWidth = Math.max(0, ...labels.map(textWidth));
  const values = rows.map(({ value }) => formatCount(value));
  const valueWidth = Math.max(0, ...values.map((value) => value.length));
  const details = rows.map(({ detail }) => detail ?? '');
  const detailWidth = Math.max(0, ...details.map((detail) => detail.length));
  const fixed = 2 + labelWidth + 2 + valueWidth + 2 + 4;
  const withDetails = detailWidth > 0 && fixed + 2 + detailWidth <= columns;
  const left = columns - fixed - (withDetails ? detailWidth + 2 : 0) - 2;
  const barWidth = left >= MIN_BAR ? Math.min(MAX_BAR, left) : 0;
  return rows.map(({ value }, row) => {
    const cells = [
      padEnd(labels[row]!, labelWidth),
      ...(barWidth === 0 ? [] : [palette.cyan(drawBar(value, whole, barWidth).padEnd(barWidth))]),
      values[row]!.padStart(valueWidth),
      formatPercent(value, whole).padStart(4),
      ...(withDetails ? [palette.dim(details[row]!)] : []),
    ];
    return `  ${cells.join('  ')}`.trimEnd();
  });
}

/** In eighths of a character, as long as the share. A value above zero draws at least one. */
export function drawBar(value: number, whole: number, width: number): string {
  if (whole <= 0 || value <= 0) return '';
  const eighths = Math.max(1, Math.round(Math.min(1, value / whole) * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

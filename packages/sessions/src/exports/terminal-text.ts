/** `@openbot/sessions/terminal-text`: text for a terminal, by its width and without anything that acts on it. */

export { barLines, drawBar } from '../terminal-text/bars.ts';
export { formatAge, formatCount, formatQuantity, formatUsd, roundCount } from '../terminal-text/figures.ts';
export { toJsonText } from '../terminal-text/json-text.ts';
export { findNearest } from '../terminal-text/nearest-name.ts';
export { type Palette, PLAIN_PALETTE, paletteFor } from '../terminal-text/palette.ts';
export { formatPercent, percentOf } from '../terminal-text/percent-of.ts';
export { oneLine, printable, shorten } from '../terminal-text/printable.ts';
export { quoteForShell } from '../terminal-text/quote-for-shell.ts';
export { fitsWhole, layOutTable, type TableColumn } from '../terminal-text/table.ts';
export {
  cutEnd,
  cutMiddle,
  padEnd,
  padStart,
  textWidth,
  wrapProse,
  wrapText,
} from '../terminal-text/text-width.ts';

import { type Palette, PLAIN_PALETTE } from '../report/palette.ts';

const paint =
  (on: number, off: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;

const ANSI_PALETTE: Palette = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  green: paint(32, 39),
  yellow: paint(33, 39),
  red: paint(31, 39),
  cyan: paint(36, 39),
};

export function paletteFor(colour: boolean): Palette {
  return colour ? ANSI_PALETTE : PLAIN_PALETTE;
}

/** How to colour text: what a reader sees stays the same. */
export type Palette = Readonly<
  Record<'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan', (text: string) => string>
>;

const plain = (text: string): string => text;

export const PLAIN_PALETTE: Palette = {
  bold: plain,
  dim: plain,
  green: plain,
  yellow: plain,
  red: plain,
  cyan: plain,
};

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

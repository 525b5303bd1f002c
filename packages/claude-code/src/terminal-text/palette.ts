/** How to colour text: what a reader sees stays the same. */
export type Palette = Readonly<Record<'bold' | 'dim' | 'green' | 'yellow' | 'red', (text: string) => string>>;

const plain = (text: string): string => text;

export const PLAIN_PALETTE: Palette = { bold: plain, dim: plain, green: plain, yellow: plain, red: plain };

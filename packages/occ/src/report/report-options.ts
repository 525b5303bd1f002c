import type { Palette } from './palette.ts';

export interface ReportOptions {
  readonly verbose: boolean;
  readonly palette: Palette;
  /** Paths below it are shown with `~`. */
  readonly home: string;
  /** How wide the terminal is. */
  readonly columns: number;
  /** What a further command needs to find the session again, where its id and source do not do. */
  readonly again?: { readonly byPath?: boolean; readonly flags?: readonly string[] } | undefined;
}

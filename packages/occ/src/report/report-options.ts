import type { Palette } from './palette.ts';

export interface ReportOptions {
  readonly verbose: boolean;
  readonly palette: Palette;
  /** Paths below it are shown with `~`. */
  readonly home: string;
  /** How wide the terminal is. */
  readonly columns: number;
}

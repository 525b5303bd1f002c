import type { Palette } from '@openbot/sessions/terminal-text';
import type { SearchAgain } from '../storage/contract/finding.ts';

export interface ReportOptions {
  readonly verbose: boolean;
  readonly palette: Palette;
  /** Paths below it are shown with `~`. */
  readonly home: string;
  /** The width of the terminal. */
  readonly columns: number;
  /** Where sentences are broken between words; not in a pipe. */
  readonly maxLineWidth?: number;
  /** What printed commands need in order to find the session again. */
  readonly again?: SearchAgain;
}

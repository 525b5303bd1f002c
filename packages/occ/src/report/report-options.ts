import type { Palette } from '@openbot/sessions/terminal-text';
import type { SearchAgain } from '../storage/contract/finding.ts';

export interface ReportOptions {
  readonly verbose: boolean;
  readonly palette: Palette;
  /** Paths below it are shown with `~`. */
  readonly home: string;
  /** How wide the terminal is. */
  readonly columns: number;
  /** What a further command of the same shell has to say. */
  readonly again?: SearchAgain;
}

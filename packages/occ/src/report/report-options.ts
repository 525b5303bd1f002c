import type { Palette } from '@openbot/sessions/terminal-text';
import type { SourceName } from '../storage/contract/found-session.ts';

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

export interface SearchAgain {
  /** The session was named by its path: it may stand where nobody looks. */
  readonly byPath?: boolean;
  /** That path was the one of a transcript, also where its lines are in a database. */
  readonly byTranscript?: boolean;
  /** `--force`, where it was given: what needed it needs it again. */
  readonly force?: boolean;
  /** `--state-dir`, where it was given; it means sessions of OpenClaw. */
  readonly flags?: readonly string[];
  /** `--config`, where it was given: it may say where sessions are. */
  readonly config?: string;
  /** Whose sessions the shell looks at when nothing is said; OpenClaw's when left out. */
  readonly defaultSource?: SourceName;
  /** The agent that it looks at then; `main` when left out. */
  readonly defaultAgentId?: string;
}

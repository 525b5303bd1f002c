import type { Calibration, TokenBasis } from '@openbot/sessions/transcript';
import type { LineEdit } from './line-edit.ts';
import type { ResolvedToolRemovalOptions } from './tool-removal.ts';

/** The text of one line, without its line end: each byte a character (latin1), so that nothing is changed by reading. */
export type LineReader = (index: number) => string;

export interface PlanStatistics {
  /** Messages on the active path; the lines of one message count once. */
  readonly messagesOriginal: number;
  readonly messagesAfter: number;
  readonly toolCallsOriginal: number;
  readonly toolCallsRemoved: number;
  /** Calls of which something was in fact cut off. */
  readonly toolCallsTruncated: number;
  readonly toolCallsPreserved: number;
  /** Results without a call that go. */
  readonly orphanedResultsRemoved: number;
  /** Outputs in people's messages of which something was cut off: of commands, background agents, named files. */
  readonly toolOutputsTruncated: number;
  /** Blocks of thinking that go. */
  readonly thinkingRemoved: number;
  /** Those of them that go because what they are bound to changes, or changed before; the others go with the calls of their turn. */
  readonly thinkingUnbound: number;
  readonly turnsTotal: number;
  readonly turnsWithToolsTotal: number;
  readonly turnsWithToolsRemoved: number;
  readonly turnsWithToolsTruncated: number;
  readonly turnsWithToolsPreserved: number;
}

export interface PlanTokens {
  readonly before: number;
  readonly after: number;
  readonly basis: TokenBasis;
}

/** What becomes of the lines of a transcript. */
export interface LineChanges {
  isRemoved(index: number): boolean;
  /** What must change in a line that stays; undefined when it stays byte for byte. */
  editOf(index: number): LineEdit | undefined;
}

/** What a clean would do to a transcript. Made from neutral entries; making it writes nothing. */
export interface CleanPlan extends LineChanges {
  readonly options: ResolvedToolRemovalOptions;
  readonly statistics: PlanStatistics;
  readonly tokens: PlanTokens;
  /** How characters are converted to tokens, from the state before. */
  readonly calibration: Calibration;
  /** Calls without results on the active path, and results without a call: as many may be left. */
  readonly lonely: { readonly calls: number; readonly results: number };
  /** Calls above LARGE_CHARACTERS, or above the limit that was given, that stay whole, and what shortening them would free. */
  readonly large: { readonly calls: number; readonly tokens: number };
  /** False when there is nothing to remove and nothing to shorten. */
  readonly changes: boolean;
}

import type { FieldValue } from '@openbot/sessions/rewrite';

/** What is done to a call or a result. */
export type ToolAction = 'keep' | 'truncate' | 'remove';

/** What must change in one line that stays. */
export interface LineEdit {
  /** For the calls of the line, in their order: one action for all, or one for each. */
  readonly calls?: ToolAction | readonly ToolAction[];
  /** For the results of the line, in their order. */
  readonly results?: ToolAction | readonly ToolAction[];
  /** Shortens tool output in people's messages: of commands, background agents, named files. */
  readonly outputs?: 'truncate';
  /**
   * Removes what belongs to a removed call: thinking, and results of a provider's own tools. `alone`: thinking, in a line
   * whose calls stay.
   */
  readonly dropThinking?: boolean | 'alone';
  /** The size of the context up to this message, which replaces its recorded usage. */
  readonly contextTokens?: number;
  /** Top-level fields and their new JSON: links to removed lines. */
  readonly fields?: ReadonlyMap<string, FieldValue>;
  /** What the rest of the edit makes of the line, where that is known from planning: only `fields` and figures are missing. */
  readonly begun?: string;
  /** Top-level fields that the line must have, and their JSON: added at its end if missing. */
  readonly ownFields?: ReadonlyMap<string, string>;
}

/** Second copies, which programs show and the model never gets: of arguments in a call's block, of a result, in its line. */
export const COPIES = { arguments: 'partialArgs', result: 'details', line: 'toolUseResult' } as const;

/** What was cut off in a line: by the number of the call or result in it, its new size in characters. */
export interface Cuts {
  readonly calls: Map<number, number>;
  readonly results: Map<number, number>;
  /** Outputs in people's messages that were shortened, and how many characters fewer the model gets. */
  outputs: number;
  outputCharacters: number;
  /** Images removed with shortened results. */
  images: number;
}

export function actionAt(
  actions: ToolAction | readonly ToolAction[] | undefined,
  number: number,
): ToolAction {
  if (actions === undefined) return 'keep';
  return typeof actions === 'string' ? actions : (actions[number] ?? 'keep');
}

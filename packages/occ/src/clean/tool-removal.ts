/** How many turns with tools stay, and how many of those are shortened. */
export interface ResolvedToolRemovalOptions {
  /** The newest turns with tools that stay. */
  readonly keepTurnsWithTools: number;
  /** The share of them, oldest first, whose calls and results are shortened: 0 to 100. */
  readonly truncatePercent: number;
  /** Calls with more characters than this are shortened in the other turns that stay too, but for the last exchange. */
  readonly truncateOver?: number;
}

export interface ToolRemovalPreset extends ResolvedToolRemovalOptions {
  readonly name: string;
}

/** A preset, or values, or both: a value given wins over the preset's. */
export interface ToolRemovalOptions {
  readonly preset?: string;
  readonly keepTurnsWithTools?: number;
  readonly truncatePercent?: number;
  readonly truncateOver?: number;
}

/** The limit that is suggested for sessions of few turns with large output. */
export const LARGE_CHARACTERS = 2000;

/** A value is shortened when it passes either limit; the marker counts within the characters. */
export const TRUNCATION_LIMITS = {
  maxChars: 120,
  maxLines: 2,
  argumentMarker: '...',
  contentMarker: '[truncated]',
} as const;

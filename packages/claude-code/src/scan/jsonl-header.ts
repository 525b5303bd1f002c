/** What a transcript of Claude Code contains about its session. */
export interface JsonlHeader {
  /** From the last line that names one. */
  readonly gitBranch?: string;
  /** The first text of a person, at most 200 characters, without the marker of an agent and without secrets. */
  readonly firstUserMessage?: string;
  /** The three words that Claude Code names a session by. */
  readonly slug?: string;
  /** The version of the Claude Code that wrote last. */
  readonly version?: string;
  readonly permissionMode?: string;
  /** The agent that the marker `[openclaw:agent=<id>]` on the first line of a person's first message names. */
  readonly originMarker?: string;
  /** The session that it was forked from, if that was recorded. */
  readonly forkedFrom?: string;
  /** The last title by a person; empty if it was removed. Without secrets. */
  readonly customTitle?: string;
  /** The last title by a model. */
  readonly aiTitle?: string;
  /** The uuid of the first message of a person. A fork by Claude Code's own command keeps that of its original. */
  readonly firstUuid?: string;
  /** The working folders that its lines name, in order; at most a hundred. */
  readonly cwds: readonly string[];
  /** How many lines name each of them. */
  readonly cwdLines: readonly number[];
  readonly lineCount: number;
  /** Distinct messages of people and of the assistant, without those of subagents. */
  readonly messageCount: number;
  /** Without tokens from the cache. Each message counts once, however many lines repeat its figures. */
  readonly totalInputTokens: number;
  /** Read from the cache or written to it. */
  readonly totalCacheTokens: number;
  readonly totalOutputTokens: number;
  readonly compactionCount: number;
}

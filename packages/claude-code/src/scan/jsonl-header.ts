/** What a transcript of Claude Code says of its session. */
export interface JsonlHeader {
  /** As the last line says that names one. */
  readonly gitBranch?: string;
  /** What a person typed first, at most 200 characters, without the marker of an agent and without secrets. */
  readonly firstUserMessage?: string;
  /** The three words that Claude Code names a session by. */
  readonly slug?: string;
  /** Of the Claude Code that wrote last. */
  readonly version?: string;
  readonly permissionMode?: string;
  /** The agent that the marker `[openclaw:agent=<id>]` on the first line of a person's first message names. */
  readonly originMarker?: string;
  /** The session that it was forked from, where that was written down. */
  readonly forkedFrom?: string;
  /** What a person called it last; empty where that was taken back. Without secrets. */
  readonly customTitle?: string;
  /** What a model called it last. */
  readonly aiTitle?: string;
  /** Of a person's first message. A fork by Claude Code's own command has that of the session it was made of. */
  readonly firstUuid?: string;
  /** The working folders that its lines name, in the order in which they came; at most a hundred. */
  readonly cwds: readonly string[];
  /** How many lines name each of them. */
  readonly cwdLines: readonly number[];
  readonly lineCount: number;
  /** Distinct messages of people and of the assistant; those of subagents are not among them. */
  readonly messageCount: number;
  /** Read anew, without what came from the cache. Each message counts once, however many lines repeat its figures. */
  readonly totalInputTokens: number;
  /** Read from the cache or written to it. */
  readonly totalCacheTokens: number;
  readonly totalOutputTokens: number;
  readonly compactionCount: number;
}

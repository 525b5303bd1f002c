/** The skills that the session's system prompt was made with. By far the largest part of an entry, with the report. */
export type SessionSkillSnapshot = {
  /** The rendered instructions. Newer stores keep them elsewhere, under `promptRef`. */
  prompt?: string | undefined;
  promptRef?: { version: number; algorithm: string; hash: string; bytes: number } | undefined;
  promptFormatVersion?: number | undefined;
  skills: { name: string; primaryEnv?: string | undefined; requiredEnv?: string[] | undefined }[];
  resolvedSkills?: SessionSkill[] | undefined;
  /** Grows whenever the skills on disk change. */
  version?: number | undefined;
};

export type SessionSkill = {
  name: string;
  description?: string | undefined;
  filePath?: string | undefined;
  baseDir?: string | undefined;
  source?: string | undefined;
  disableModelInvocation?: boolean | undefined;
};

/** What the system prompt of a run was made of, and how large each part was. */
export type SessionSystemPromptReport = {
  source: string;
  generatedAt: number;
  sessionId?: string | undefined;
  sessionKey?: string | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  workspaceDir?: string | undefined;
  bootstrapMaxChars?: number | undefined;
  bootstrapTotalMaxChars?: number | undefined;
  bootstrapTruncation?:
    | {
        warningMode?: string | undefined;
        warningShown?: boolean | undefined;
        truncatedFiles?: number | undefined;
        nearLimitFiles?: number | undefined;
        totalNearLimit?: boolean | undefined;
      }
    | undefined;
  sandbox?: { mode?: string | undefined; sandboxed?: boolean | undefined } | undefined;
  systemPrompt: {
    chars: number;
    hash?: string | undefined;
    projectContextChars: number;
    nonProjectContextChars: number;
  };
  injectedWorkspaceFiles: {
    name: string;
    path: string;
    missing: boolean;
    rawChars: number;
    injectedChars: number;
    truncated: boolean;
  }[];
  skills: { promptChars: number; hash?: string | undefined; entries: { name: string; blockChars: number }[] };
  tools: {
    listChars: number;
    schemaChars: number;
    entries: {
      name: string;
      summaryChars: number;
      summaryHash?: string | undefined;
      schemaChars: number;
      schemaHash?: string | undefined;
      propertiesCount?: number | null | undefined;
    }[];
  };
  currentTurn?: { promptChars: number; runtimeContextChars: number } | undefined;
};

/** What the agent expected of its next request. Stale after a clean: it is then removed. */
export type ContextBudgetStatus = {
  schemaVersion: number;
  source: string;
  updatedAt: number;
  provider?: string | undefined;
  model?: string | undefined;
  route: string;
  shouldCompact: boolean;
  estimatedPromptTokens: number;
  contextTokenBudget: number;
  promptBudgetBeforeReserve?: number | undefined;
  reserveTokens?: number | undefined;
  effectiveReserveTokens?: number | undefined;
  remainingPromptBudgetTokens?: number | undefined;
  overflowTokens?: number | undefined;
  toolResultReducibleChars?: number | undefined;
  messageCount?: number | undefined;
  unwindowedMessageCount?: number | undefined;
  sessionId?: string | undefined;
};

/** A point in the transcript that a compaction can be undone to. */
export type CompactionCheckpoint = {
  checkpointId: string;
  sessionKey: string;
  sessionId: string;
  createdAt: number;
  reason: string;
  tokensBefore?: number | undefined;
  tokensAfter?: number | undefined;
  summary?: string | undefined;
  firstKeptEntryId?: string | undefined;
  preCompaction: TranscriptPosition;
  postCompaction: TranscriptPosition;
};

export type TranscriptPosition = {
  sessionId: string;
  sessionFile?: string | undefined;
  leafId?: string | undefined;
  entryId?: string | undefined;
};

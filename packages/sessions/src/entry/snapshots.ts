/** The skills that the session's system prompt was made with. By far the largest part of an entry, with the report. */
export interface SessionSkillSnapshot {
  /** The rendered instructions. Newer stores keep them under `promptRef`. */
  prompt?: string;
  promptRef?: { version: number; algorithm: string; hash: string; bytes: number };
  promptFormatVersion?: number;
  skills: { name: string; primaryEnv?: string; requiredEnv?: string[] }[];
  resolvedSkills?: SessionSkill[];
  /** Grows whenever the skills on disk change. */
  version?: number;
  /** Of the folders and settings that it was made from: while it is the same, nothing is read again. */
  signature?: string;
}

interface SessionSkill {
  name: string;
  description?: string;
  filePath?: string;
  baseDir?: string;
  source?: string;
  disableModelInvocation?: boolean;
}

/** What the system prompt of a run was made of, and how large each part was. */
export interface SessionSystemPromptReport {
  source: string;
  generatedAt: number;
  sessionId?: string;
  sessionKey?: string;
  provider?: string;
  model?: string;
  workspaceDir?: string;
  bootstrapMaxChars?: number;
  bootstrapTotalMaxChars?: number;
  bootstrapTruncation?: {
    warningMode?: string;
    warningShown?: boolean;
    truncatedFiles?: number;
    nearLimitFiles?: number;
    totalNearLimit?: boolean;
  };
  sandbox?: { mode?: string; sandboxed?: boolean };
  systemPrompt: {
    chars: number;
    hash?: string;
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
  skills: { promptChars: number; hash?: string; entries: { name: string; blockChars: number }[] };
  tools: {
    listChars: number;
    schemaChars: number;
    entries: {
      name: string;
      summaryChars: number;
      summaryHash?: string;
      schemaChars: number;
      schemaHash?: string;
      propertiesCount?: number | null;
    }[];
  };
  currentTurn?: { promptChars: number; runtimeContextChars: number };
}

/** What the agent expected of its next request. Stale after a clean: it is then removed. */
export interface ContextBudgetStatus {
  schemaVersion: number;
  source: string;
  updatedAt: number;
  provider?: string;
  model?: string;
  route: string;
  shouldCompact: boolean;
  estimatedPromptTokens: number;
  contextTokenBudget: number;
  promptBudgetBeforeReserve?: number;
  reserveTokens?: number;
  effectiveReserveTokens?: number;
  remainingPromptBudgetTokens?: number;
  overflowTokens?: number;
  toolResultReducibleChars?: number;
  messageCount?: number;
  unwindowedMessageCount?: number;
  sessionId?: string;
}

/** A point in the transcript that a compaction can be undone to. */
export interface CompactionCheckpoint {
  checkpointId: string;
  sessionKey: string;
  sessionId: string;
  createdAt: number;
  reason: string;
  tokensBefore?: number;
  tokensAfter?: number;
  summary?: string;
  firstKeptEntryId?: string;
  preCompaction: TranscriptPosition;
  postCompaction: TranscriptPosition;
}

interface TranscriptPosition {
  sessionId: string;
  sessionFile?: string;
  leafId?: string;
  entryId?: string;
}

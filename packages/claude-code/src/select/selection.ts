import type { DiscoveredSession } from '../discover/discovered-session.ts';
import type { ProjectStatus } from '../project-status/project-status.ts';
import type { ProjectBranch } from '../project-status/read-git.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';

/** How sessions are chosen. */
export interface SessionSelectionConfig {
  readonly relevanceModel: string;
  readonly relevanceMaxTokens: number;
  readonly relevanceTimeoutMs: number;
  /** A session is resumed only if its score is above this. */
  readonly resumeThreshold: number;
  /** False: words are compared and no model is asked. */
  readonly enabled: boolean;
}

/** Settings from outside: each may be absent or of any type. */
export type SelectionSettings = {
  readonly [Name in keyof SessionSelectionConfig]?: SessionSelectionConfig[Name];
};

export const DEFAULT_SELECTION: SessionSelectionConfig = {
  relevanceModel: 'claude-haiku',
  relevanceMaxTokens: 500,
  relevanceTimeoutMs: 3000,
  resumeThreshold: 0.6,
  enabled: true,
};

/** The parts of a score in hundredths: sums of fractions are inexact, and a session at the threshold would pass. */
export interface ScoreParts {
  readonly branch: number;
  readonly recency: number;
  readonly relevance: number;
  readonly health: number;
  readonly capacity: number;
}

/** Why a session is ruled out, whatever its score. */
export type Ceiling = 'gone' | 'open' | 'compactions' | 'budget' | 'unrelated' | 'unasked';

export interface SessionScore {
  readonly sessionId: string;
  /** In hundredths, 0 to 100. */
  readonly total: number;
  readonly parts: ScoreParts;
  readonly ceiling?: Ceiling;
  readonly relevance: Relevance;
  /** One line for a person. */
  readonly reason: string;
}

/** The relevance of a session for a task. */
export interface Relevance {
  /** 0 to 1. */
  readonly score: number;
  /** One line for a person. */
  readonly reasoning: string;
  readonly by: 'model' | 'words';
}

export interface SessionSelection {
  readonly action: 'resume' | 'fresh' | 'queue';
  /** The session to resume. */
  readonly sessionId?: string;
  /** The session that a fresh one replaces: it has the label, and its transcript is gone. */
  readonly replacesSessionId?: string;
  /** The session with the label, which a Claude Code has open: the run waits for it, and it keeps the label. */
  readonly openSessionId?: string;
  /** One line for a person. */
  readonly reason: string;
  /** All sessions of the agent that were considered: those that may be resumed first, then by score. */
  readonly scores?: readonly SessionScore[];
  /** Why words were compared instead of asking the model. */
  readonly relevanceFallback?: string;
}

/** Asks a model. It may throw, hang or return anything: the caller handles all of it. */
export type AskModel = (question: {
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}) => Promise<string>;

export interface SelectionRequest {
  readonly task: string;
  readonly repoPath: string;
  readonly agentId: string;
  /** A complete status, or only the branch. */
  readonly projectStatus: ProjectBranch & {
    readonly sessions?: Pick<ProjectStatus['sessions'], 'active'>;
  };
  /** All sessions of the repository: the status lists only the last ones. */
  readonly sessions: readonly DiscoveredSession[];
  /** Contains the labels. */
  readonly registry?: readonly RegisteredSession[];
  /** Names the session to resume. Blank means none. */
  readonly label?: string;
  readonly maxBudgetUsd?: number;
  /** Missing settings have their defaults; `resolveSelectionConfig` merges those of an agent. */
  readonly config?: SelectionSettings;
  /** Without it, words are compared. */
  readonly askModel?: AskModel;
  /** Called with each score and the decision, one line each. */
  readonly log?: (line: string) => void;
  readonly now?: Date;
  /** Names the block of data in the question to the model. */
  readonly tag?: string;
}

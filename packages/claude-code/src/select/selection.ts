import type { DiscoveredSession } from '../discover/discovered-session.ts';
import type { ProjectStatus } from '../project-status/project-status.ts';
import type { ProjectBranch } from '../project-status/read-git.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';

/** How sessions are chosen. */
export interface SessionSelectionConfig {
  readonly relevanceModel: string;
  readonly relevanceMaxTokens: number;
  readonly relevanceTimeoutMs: number;
  /** A session is resumed only when it scores more. */
  readonly resumeThreshold: number;
  /** False: words are compared, no model is asked. */
  readonly enabled: boolean;
}

/** Settings as they come from outside: left out, or of any type. */
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

/** The parts of a score, in hundredths: sums of fractions do not add up, and a session at the threshold would pass. */
export interface ScoreParts {
  readonly branch: number;
  readonly recency: number;
  readonly relevance: number;
  readonly health: number;
  readonly capacity: number;
}

/** What puts a session out of the question, whatever it scores. */
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

/** How much a session has to do with a task. */
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
  /** The session that a fresh one takes the place of: its label names it, and its transcript is gone. */
  readonly replacesSessionId?: string;
  /** The session that the label names, and that a Claude Code has open: it is waited for, and keeps the label. */
  readonly openSessionId?: string;
  /** One line for a person. */
  readonly reason: string;
  /** Every session of the agent that was looked at: those that may be resumed first, then by score. */
  readonly scores?: readonly SessionScore[];
  /** Why words were compared although a model was to be asked. */
  readonly relevanceFallback?: string;
}

/** Asks a model for an answer. It may throw, hang or say anything: whoever asks is prepared. */
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
  /** A whole status, or the branch alone. */
  readonly projectStatus: ProjectBranch & {
    readonly sessions?: Pick<ProjectStatus['sessions'], 'active'>;
  };
  /** All sessions of the repository: the status lists only the last ones. */
  readonly sessions: readonly DiscoveredSession[];
  /** Where a label is looked up. */
  readonly registry?: readonly RegisteredSession[];
  /** Names the session to go on with. A blank one is none. */
  readonly label?: string;
  readonly maxBudgetUsd?: number;
  /** What is left out is as by default; `resolveSelectionConfig` merges what is set for an agent. */
  readonly config?: SelectionSettings;
  /** Without it, words are compared. */
  readonly askModel?: AskModel;
  /** Told each score and the decision, one line each. */
  readonly log?: (line: string) => void;
  readonly now?: Date;
  /** Names the block of data in the question to the model. */
  readonly tag?: string;
}

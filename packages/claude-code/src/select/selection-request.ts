import type { DiscoveredSession } from '../discover/discovered-session.ts';
import type { ProjectStatus } from '../project-status/project-status.ts';
import type { ProjectBranch } from '../project-status/read-project-branch.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import type { AskModel } from './selection.ts';
import type { SelectionSettings } from './selection-config.ts';

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

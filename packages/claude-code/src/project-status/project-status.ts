import type { DiscoveredSession } from '../discover/discovered-session.ts';

/** The state of a repository. A part that is not known is empty here and named in `gaps`. */
export interface ProjectStatus {
  readonly repo: {
    /** The top of the work tree, with links resolved; outside git the folder itself. */
    readonly path: string;
    /** The name of the repository's folder, also in one of its worktrees. */
    readonly name: string;
    readonly isGitRepo: boolean;
    /** True if there is no work tree. */
    readonly isBare: boolean;
  };
  readonly git: GitStatus;
  /** Undefined if gh is missing, not logged in, or does not answer. */
  readonly github?: GithubStatus;
  readonly sessions: {
    readonly active: readonly DiscoveredSession[];
    /** The last five from any source. */
    readonly recent: readonly DiscoveredSession[];
    /** The last three of the agent that asked. */
    readonly ownRecent: readonly DiscoveredSession[];
    /** The number of all sessions. */
    readonly total: number;
  };
  readonly docs: DocsStatus;
  readonly gaps: readonly StatusGap[];
  /** ISO 8601. */
  readonly timestamp: string;
}

/** A part that is not known, or not listed completely. */
export interface StatusGap {
  readonly part:
    | 'git'
    | 'branch'
    | 'changes'
    | 'commits'
    | 'stashes'
    | 'github'
    | 'checks'
    | 'docs'
    | 'sessions';
  /** One line for a person. */
  readonly reason: string;
}

export interface GitStatus {
  /** Empty outside git; `HEAD` if it is detached. A branch without a commit has a name too. */
  readonly currentBranch: string;
  /** Empty where there is no commit yet. */
  readonly headCommitSha: string;
  /** Its first line. */
  readonly headCommitMessage: string;
  /**
   * Paths with unstaged changes, in conflict, or untracked; relative to the top, at most 100. A byte that is not UTF-8
   * is written as `\xff`; all other characters are kept, line ends too.
   */
  readonly uncommittedChanges: readonly string[];
  /** At most 100; for a renamed file the new path. */
  readonly stagedChanges: readonly string[];
  /** The number of all of them, listed or not. */
  readonly changeCounts: ChangeCounts;
  readonly stashCount: number;
  /** The upstream of the branch; ahead and behind are absent if it is gone. */
  readonly upstream?: { readonly name: string; readonly ahead?: number; readonly behind?: number };
  /** At most ten, newest first. */
  readonly recentCommits: readonly CommitSummary[];
}

export interface ChangeCounts {
  readonly staged: number;
  /** Modified, deleted or of another type in the work tree, submodules included. */
  readonly modified: number;
  readonly untracked: number;
  readonly conflicted: number;
}

export interface CommitSummary {
  readonly sha: string;
  /** Its first line, at most 200 characters. */
  readonly message: string;
  readonly author: string;
  /** ISO 8601. */
  readonly date: string;
}

export interface GithubStatus {
  /** At most 30. */
  readonly openPrs: readonly {
    readonly number: number;
    readonly title: string;
    readonly branch: string;
    readonly state: string;
  }[];
  /** Failed or cancelled checks of the pull request of the current branch; at most 50. */
  readonly failingChecks: readonly { readonly name: string; readonly status: string }[];
}

export interface DocsStatus {
  readonly hasClaudeMd: boolean;
  readonly hasSpecs: boolean;
  /** Relative to the top; at most 50. */
  readonly specFiles: readonly string[];
  readonly hasTodo: boolean;
  readonly hasReadme: boolean;
}

import type { DiscoveredSession } from '../discover/discovered-session.ts';

/** The state of a repository at a glance. What could not be learned is empty here and named in `gaps`. */
export interface ProjectStatus {
  readonly repo: {
    /** The top of the work tree that was asked about, with links resolved; the folder itself outside git. */
    readonly path: string;
    /** The name of the repository's folder, also in one of its worktrees. */
    readonly name: string;
    readonly isGitRepo: boolean;
    /** True where there are no files, only history. */
    readonly isBare: boolean;
  };
  readonly git: GitStatus;
  /** Undefined where gh is missing, not logged in, or does not answer. */
  readonly github?: GithubStatus;
  readonly sessions: {
    readonly active: readonly DiscoveredSession[];
    /** The last five from any source. */
    readonly recent: readonly DiscoveredSession[];
    /** The last three of the agent that asks. */
    readonly ownRecent: readonly DiscoveredSession[];
    /** How many there are in all. */
    readonly total: number;
  };
  readonly docs: DocsStatus;
  readonly gaps: readonly StatusGap[];
  /** ISO 8601. */
  readonly timestamp: string;
}

/** Something that could not be learned, or was too much to be listed. */
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
  /** Empty outside git; `HEAD` where it is detached. A branch without a commit has a name too. */
  readonly currentBranch: string;
  /** Empty where there is no commit yet. */
  readonly headCommitSha: string;
  /** Its first line. */
  readonly headCommitMessage: string;
  /**
   * Paths that differ from what is staged, those in conflict, and those that git does not know; relative to the top, at
   * most 100. A byte that is no UTF-8 is written as `\xff`; everything else in a name is as it is, line ends too.
   */
  readonly uncommittedChanges: readonly string[];
  /** At most 100; of a renamed file the new path. */
  readonly stagedChanges: readonly string[];
  /** How many there are, listed or not. */
  readonly changeCounts: ChangeCounts;
  readonly stashCount: number;
  /** What the branch follows; ahead and behind are left out where that branch is gone. */
  readonly upstream?: { readonly name: string; readonly ahead?: number; readonly behind?: number };
  /** At most ten, the newest first. */
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
  /** Of the pull request that belongs to the current branch: failed or cancelled; at most 50. */
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

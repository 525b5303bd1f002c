import { SESSION_SCHEMA } from './described-session.ts';
import { LEFT_OUT_SCHEMA } from './fit-answer.ts';
import { COUNT, listOf, NUMBER, objectOf, TEXT, TIME, YES_NO } from './schema.ts';

const GIT = objectOf(
  {
    currentBranch: TEXT,
    headCommitSha: TEXT,
    headCommitMessage: TEXT,
    uncommittedChanges: listOf(TEXT),
    stagedChanges: listOf(TEXT),
    changeCounts: objectOf({ staged: COUNT, modified: COUNT, untracked: COUNT, conflicted: COUNT }),
    stashCount: COUNT,
    recentCommits: listOf(objectOf({ sha: TEXT, message: TEXT, author: TEXT, date: TEXT })),
  },
  { upstream: objectOf({ name: TEXT }, { ahead: COUNT, behind: COUNT }) },
);

const GITHUB = objectOf({
  openPrs: listOf(objectOf({ number: NUMBER, title: TEXT, branch: TEXT, state: TEXT })),
  failingChecks: listOf(objectOf({ name: TEXT, status: TEXT })),
});

const DOCS = objectOf({
  hasClaudeMd: YES_NO,
  hasSpecs: YES_NO,
  specFiles: listOf(TEXT),
  hasTodo: YES_NO,
  hasReadme: YES_NO,
});

/** A ProjectStatus, its sessions as the tools give them. */
export const PROJECT_STATUS_SCHEMA = objectOf(
  {
    repo: objectOf({ path: TEXT, name: TEXT, isGitRepo: YES_NO, isBare: YES_NO }),
    git: GIT,
    sessions: objectOf({
      active: listOf(SESSION_SCHEMA),
      recent: listOf(SESSION_SCHEMA),
      ownRecent: listOf(SESSION_SCHEMA),
      total: COUNT,
    }),
    docs: DOCS,
    gaps: listOf(objectOf({ part: TEXT, reason: TEXT })),
    timestamp: TIME,
    leftOut: LEFT_OUT_SCHEMA,
  },
  { github: GITHUB },
);

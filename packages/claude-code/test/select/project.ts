import type { ProjectStatus } from '../../src/project-status/project-status.ts';
import type { RegisteredSession } from '../../src/registry/registered-session.ts';
import { NOW } from '../project-status/discovered.ts';

/** A repository on the branch main in which nothing runs. */
export function makeStatus(fields: Partial<ProjectStatus> = {}, currentBranch = 'main'): ProjectStatus {
  return {
    repo: { path: '/repo', name: 'repo', isGitRepo: true, isBare: false },
    git: {
      currentBranch,
      headCommitSha: 'a'.repeat(40),
      headCommitMessage: 'The first one',
      uncommittedChanges: [],
      stagedChanges: [],
      changeCounts: { staged: 0, modified: 0, untracked: 0, conflicted: 0 },
      stashCount: 0,
      recentCommits: [],
    },
    sessions: { active: [], recent: [], ownRecent: [], total: 0 },
    docs: { hasClaudeMd: false, hasSpecs: false, specFiles: [], hasTodo: false, hasReadme: false },
    gaps: [],
    timestamp: NOW.toISOString(),
    ...fields,
  };
}

export function makeRegistered(fields: Partial<RegisteredSession> = {}): RegisteredSession {
  return {
    sessionId: '11111111-1111-4111-8111-111111111111',
    agentId: 'main',
    repoPath: '/repo',
    tasks: ['Repair the login page'],
    turns: 1,
    totalCostUsd: 0.5,
    startedAt: '2026-02-01T00:00:00.000Z',
    ...fields,
  };
}

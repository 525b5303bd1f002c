import { textWidth } from '@openbot/sessions/terminal-text';
import { describe, expect, it } from 'vitest';
import { formatProjectStatus } from '../../src/project-status/format-project-status.ts';
import type { ProjectStatus } from '../../src/project-status/project-status.ts';
import { hoursAgo, makeSession, NOW } from './discovered.ts';

const PLAIN: ProjectStatus = {
  repo: { path: '/home/ada/project', name: 'project', isGitRepo: false, isBare: false },
  git: {
    currentBranch: '',
    headCommitSha: '',
    headCommitMessage: '',
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
};

const commit = (letter: string, message: string, hours: number) => ({
  sha: letter.repeat(40),
  message,
  author: 'Ada',
  date: hoursAgo(hours).toISOString(),
});
const running = makeSession({ sessionId: 'aaaaaaaa-1', isRunning: true, lastModified: hoursAgo(0) });
const own = makeSession({ sessionId: 'bbbbbbbb-1', branch: 'login', lastTask: 'Now the\nlogout' });
const FULL: ProjectStatus = {
  ...PLAIN,
  repo: { ...PLAIN.repo, isGitRepo: true },
  git: {
    currentBranch: 'login',
    headCommitSha: 'a'.repeat(40),
    headCommitMessage: 'Second',
    uncommittedChanges: ['a.txt', 'b\n.txt', 'c.txt', 'd.txt'],
    stagedChanges: ['s.txt'],
    changeCounts: { staged: 1, modified: 2, untracked: 1200, conflicted: 0 },
    stashCount: 2,
    upstream: { name: 'origin/login', ahead: 2, behind: 0 },
    recentCommits: [commit('a', 'Second', 2), commit('b', 'First', 50)],
  },
  github: {
    openPrs: [{ number: 7, title: 'Login', branch: 'login', state: 'OPEN' }],
    failingChecks: [{ name: 'build', status: 'FAILURE' }],
  },
  sessions: { active: [running], recent: [running, own], ownRecent: [own], total: 12 },
  docs: { hasClaudeMd: true, hasSpecs: true, specFiles: ['SPEC.md'], hasTodo: true, hasReadme: true },
};

describe('the status as text', () => {
  it('shows everything at a glance', () => {
    expect(formatProjectStatus(FULL, { columns: 80, lines: 3 })).toBe(
      [
        'Project   project  /home/ada/project',
        'Branch    login  (2 ahead of origin/login)',
        'Changes   1 staged, 2 modified, 1,200 untracked; 2 stashes',
        '          staged    s.txt',
        '          unstaged  a.txt',
        '                    b�.txt',
        '                    c.txt',
        '                    … and 1,199 more',
        'HEAD      aaaaaaaa  2 h ago     Second  (Ada)',
        'Before    bbbbbbbb  2 days ago  First  (Ada)',
        'GitHub    1 open pull request, 1 failing check',
        '          fails  build: FAILURE',
        '          #7  Login  (login)',
        'Sessions  12, 1 running',
        '          running  aaaaaaaa  just now  [main] Repair the login page',
        '          own      bbbbbbbb  1 h ago   [login] Now the logout',
        'Docs      CLAUDE.md, README, TODO, SPEC.md',
        '',
      ].join('\n'),
    );
  });

  it('says what is not there', () => {
    expect(formatProjectStatus(PLAIN)).toBe(
      [
        'Project   project (not a git repository)  /home/ada/project',
        'Sessions  none',
        'Docs      none',
        '',
      ].join('\n'),
    );
  });

  it('marks all sessions of the agent, also those that are not among its last three', () => {
    const older = makeSession({ sessionId: 'cccccccc-1' });
    const strange = makeSession({ sessionId: 'dddddddd-1', agentId: 'other' });
    const sessions = { active: [], recent: [own, older, strange], ownRecent: [own], total: 3 };
    const text = formatProjectStatus({ ...FULL, sessions });
    expect(text).toMatch(/own +bbbbbbbb/);
    expect(text).toMatch(/own +cccccccc/);
    expect(text).not.toMatch(/own +dddddddd/);
  });

  it('names what is not known instead of showing it as none', () => {
    const text = formatProjectStatus({
      ...FULL,
      github: { openPrs: [], failingChecks: [] },
      sessions: PLAIN.sessions,
      gaps: [
        { part: 'changes', reason: 'git did not answer within 5 s' },
        { part: 'checks', reason: 'gh is too old' },
        { part: 'sessions', reason: 'no' },
      ],
    });
    expect(text).not.toContain('Changes ');
    expect(text).not.toContain('failing');
    expect(text).not.toContain('Sessions ');
    expect(text).toContain(
      'Unknown   changes: git did not answer within 5 s\n          checks: gh is too old\n',
    );
  });

  it('does not claim that there is no repository or commit if git did not answer', () => {
    const refused = formatProjectStatus({
      ...PLAIN,
      gaps: [{ part: 'git', reason: 'git failed: bad config' }],
    });
    expect(refused).toContain('Project   project (git unknown)  /home/ada/project\n');
    expect(refused).toContain('Unknown   git: git failed: bad config\n');
    const broken = formatProjectStatus({
      ...FULL,
      git: { ...FULL.git, recentCommits: [], headCommitSha: '' },
      gaps: [{ part: 'commits', reason: 'git failed: bad object HEAD' }],
    });
    expect(broken).toContain('HEAD      unknown\n');
    expect(broken).not.toContain('no commits yet');
  });

  it.each<[string, Partial<ProjectStatus['git']>, string]>([
    ['a detached HEAD', { currentBranch: 'HEAD' }, 'detached HEAD'],
    ['no commits', { recentCommits: [], headCommitSha: '' }, 'no commits yet'],
    ['an upstream that is gone', { upstream: { name: 'origin/x' } }, '(follows origin/x, which is gone)'],
    ['an even upstream', { upstream: { name: 'o/x', ahead: 0, behind: 0 } }, '(as o/x)'],
    ['both ways', { upstream: { name: 'o/x', ahead: 1, behind: 2 } }, '(1 ahead, 2 behind of o/x)'],
    [
      'a conflict',
      { changeCounts: { staged: 0, modified: 0, untracked: 0, conflicted: 1 }, stashCount: 1 },
      '1 in conflict; 1 stash\n',
    ],
  ])('shows %s', (_, git, text) => {
    expect(formatProjectStatus({ ...FULL, git: { ...FULL.git, ...git } })).toContain(text);
  });

  it('sends nothing to the terminal that is not text, and no line is too long', () => {
    const evil = `\u001b]0;owned\u0007${'漢'.repeat(100)}\u202e`;
    const session = makeSession({ sessionId: evil, branch: evil, firstMessage: evil });
    const text = formatProjectStatus(
      {
        ...FULL,
        repo: { ...FULL.repo, name: evil, path: evil },
        git: {
          ...FULL.git,
          currentBranch: evil,
          stagedChanges: [evil],
          recentCommits: [{ sha: 'a'.repeat(40), message: evil, author: evil, date: 'no date' }],
          upstream: { name: evil, ahead: 1, behind: 1 },
        },
        github: {
          openPrs: [{ number: 1, title: evil, branch: evil, state: evil }],
          failingChecks: [{ name: evil, status: evil }],
        },
        sessions: { active: [session], recent: [session], ownRecent: [], total: 1 },
        docs: { ...FULL.docs, specFiles: [evil] },
        gaps: [{ part: 'github', reason: evil }],
      },
      { columns: 60 },
    );
    expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(60);
  });
});

import { textWidth } from '@openbot/sessions/terminal-text';
import { describe, expect, it } from 'vitest';
import { formatSelection } from '../../src/select/format-selection.ts';
import { selectSession } from '../../src/select/select-session.ts';
import { hoursAgo, makeSession, NOW } from '../project-status/discovered.ts';
import { makeStatus } from './project.ts';

const sessions = [
  makeSession({ sessionId: 'aaaaaaaa-1', lastModified: hoursAgo(0.5) }),
  makeSession({
    sessionId: 'bbbbbbbb-1',
    branch: 'x',
    firstMessage: 'Write a parser',
    lastModified: hoursAgo(50),
  }),
  makeSession({ sessionId: 'cccccccc-1', compactionCount: 3, label: 'docs' }),
];
const select = () =>
  selectSession({
    task: 'Repair the login page',
    repoPath: '/repo',
    agentId: 'main',
    projectStatus: makeStatus(),
    sessions,
    now: NOW,
  });

describe('the choice as text', () => {
  it('shows the decision and each session with its factors', async () => {
    const text = formatSelection(await select(), { sessions, columns: 110 });
    expect(text).toBe(
      [
        'resume: session aaaaaaaa-1 scores 1.00, above 0.6: same branch, used 30 min ago, relevance 1.00 by words (in common: repair, login, page)',
        '',
        '  SESSION   BRANCH  RECENCY  RELEVANCE  HEALTH  CAPACITY  TOTAL  ABOUT',
        '> aaaaaaaa    0.25     0.20       0.25    0.15      0.15   1.00  [main] Repair the login page',
        '    same branch, used 30 min ago, relevance 1.00 by words (in common: repair, login, page)',
        '  cccccccc    0.25     0.16       0.25    0.15      0.06    out  [main] docs',
        '    ruled out: 3 compactions; same branch, used 1 h ago, relevance 1.00 by words (in common: repair, login, p…',
        '  bbbbbbbb    0.00     0.08      -0.15    0.15      0.15    out  [x] Write a parser',
        '    ruled out: unrelated; other branch, used 2 days ago, relevance 0.00 by words (no word in common)',
        '',
      ].join('\n'),
    );
  });

  it('is one line where nothing was scored', () => {
    expect(formatSelection({ action: 'fresh', reason: 'no session is labelled "x"' })).toBe(
      'fresh: no session is labelled "x"\n',
    );
  });

  it('says why words were compared', () => {
    expect(formatSelection({ action: 'fresh', reason: 'r', relevanceFallback: 'no network' })).toBe(
      'fresh: r\nwords were compared: no network\n',
    );
  });

  it('names a session by its title, unless it has a label', async () => {
    const titled = sessions.map((session) => ({ ...session, title: 'The Parser' }));
    const text = formatSelection(await select(), { sessions: titled });
    expect(text).toMatch(/> aaaaaaaa .* \[main\] The Parser\n/);
    expect(text).toMatch(/ {2}cccccccc .* \[main\] docs\n/);
  });

  it('needs no sessions, and fits into a narrow terminal', async () => {
    const lines = formatSelection(await select(), { columns: 60 }).split('\n');
    expect(lines[2]).not.toContain('ABOUT');
    for (const line of lines.slice(2)) expect(textWidth(line)).toBeLessThanOrEqual(60);
  });

  it('keeps the total where there is no room for all its parts', async () => {
    const lines = formatSelection(await select(), { sessions, columns: 40 }).split('\n');
    expect(lines.slice(2, 4)).toEqual([
      '  SESSION   TOTAL  BRANCH  RECENCY',
      '> aaaaaaaa   1.00    0.25     0.20',
    ]);
    for (const line of lines.slice(2)) expect(textWidth(line)).toBeLessThanOrEqual(40);
  });

  it('says what a session is about on a line of its own where there is little room', async () => {
    const lines = formatSelection(await select(), { sessions, columns: 80 }).split('\n');
    expect(lines.slice(2, 6)).toEqual([
      '  SESSION   BRANCH  RECENCY  RELEVANCE  HEALTH  CAPACITY  TOTAL',
      '> aaaaaaaa    0.25     0.20       0.25    0.15      0.15   1.00',
      '    [main] Repair the login page',
      '    same branch, used 30 min ago, relevance 1.00 by words (in common: repair, l…',
    ]);
  });

  it('sends nothing to the terminal that is not text', async () => {
    const evil = makeSession({ sessionId: '\u001b[2J\n', branch: '\u001b[2J', firstMessage: '\u009b2J\nx' });
    const selection = await selectSession({
      task: '\u001b[2J',
      repoPath: '/repo',
      agentId: 'main',
      projectStatus: makeStatus(),
      sessions: [evil],
      now: NOW,
    });
    const text = formatSelection(selection, { sessions: [evil] });
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    expect(text.split('\n')).toHaveLength(6);
  });
});

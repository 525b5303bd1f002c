import { describe, expect, it } from 'vitest';
import type { DiscoveredSession } from '../../src/discover/discovered-session.ts';
import { selectSession } from '../../src/select/select-session.ts';
import type { AskModel, SelectionRequest } from '../../src/select/selection.ts';
import { hoursAgo, makeSession, NOW } from '../project-status/discovered.ts';
import { makeRegistered, makeStatus } from './project.ts';

const TASK = 'Repair the login page';
function select(sessions: readonly DiscoveredSession[], more: Partial<SelectionRequest> = {}) {
  return selectSession({
    task: TASK,
    repoPath: '/repo',
    agentId: 'main',
    projectStatus: makeStatus(),
    sessions,
    now: NOW,
    ...more,
  });
}
/** A model that rates by what it finds in the text of a session. */
const rateBy =
  (rate: (text: string) => number): AskModel =>
  async ({ prompt }) => {
    const data = JSON.parse(prompt.split('\n')[1]!) as { sessions: { id: number; text: string }[] };
    return JSON.stringify({
      sessions: data.sessions.map(({ id, text }) => ({ id, score: rate(text), why: 'rated' })),
    });
  };
const one = makeSession({ sessionId: 'one', lastModified: hoursAgo(0) });

describe('a label', () => {
  const registry = [makeRegistered({ sessionId: 'labelled', label: 'docs' })];

  it('is looked up, and its session resumed whatever it would score', async () => {
    const capped = makeSession({ sessionId: 'labelled', compactionCount: 9, isRunning: true });
    expect(await select([capped, one], { label: ' docs ', registry })).toEqual({
      action: 'resume',
      sessionId: 'labelled',
      reason: 'session labelled is labelled "docs"',
    });
  });

  it('of a session whose transcript is gone means a fresh one, unless another has it too', async () => {
    const gone = makeSession({ sessionId: 'labelled', hasTranscript: false });
    expect(await select([gone, one], { label: 'docs', registry })).toEqual({
      action: 'fresh',
      replacesSessionId: 'labelled',
      reason: 'session labelled is labelled "docs", but its transcript is gone',
    });
    const older = makeRegistered({ sessionId: 'one', label: 'docs', startedAt: '2020-01-01T00:00:00.000Z' });
    const both = await select([gone, one], { label: 'docs', registry: [...registry, older] });
    expect(both).toMatchObject({ action: 'resume', sessionId: 'one' });
  });

  it('of a session that is open waits for it, and stays with it', async () => {
    const open = makeSession({ sessionId: 'labelled', isOpen: true });
    expect(await select([open, one], { label: 'docs', registry })).toEqual({
      action: 'queue',
      openSessionId: 'labelled',
      reason:
        'session labelled is labelled "docs", but it is open in Claude Code: close it there, or continue in a copy (openbot cc run --fork)',
    });
    // Its own run has it open: that ends by itself, and the next run follows.
    const running = { ...open, isRunning: true };
    expect(await select([running, one], { label: 'docs', registry })).toMatchObject({
      action: 'resume',
      sessionId: 'labelled',
    });
  });

  it('with a secret in it is known by what is kept of it, and by what an older registry kept', async () => {
    const label = 'web password=hunter2swordfish';
    for (const kept of [label, 'web password=***']) {
      const registry = [makeRegistered({ sessionId: 'labelled', label: kept })];
      expect(await select([], { label, registry })).toEqual({
        action: 'resume',
        sessionId: 'labelled',
        reason: 'session labelled is labelled "web password=***"',
      });
    }
  });

  it('that no session has means a fresh session, even where another would be resumed', async () => {
    expect(await select([one], { label: 'Docs', registry })).toEqual({
      action: 'fresh',
      reason: 'no session is labelled "Docs"',
    });
  });

  it.each<[string, Parameters<typeof makeRegistered>[0]]>([
    ['of another agent', { agentId: 'other' }],
    ['of another repository', { repoPath: '/elsewhere' }],
  ])('%s is another label', async (_, fields) => {
    const registry = [makeRegistered({ sessionId: 'x', label: 'docs', ...fields })];
    expect((await select([], { label: 'docs', registry })).action).toBe('fresh');
  });

  it('is found in another worktree of the repository, whose sessions belong to it', async () => {
    const registry = [makeRegistered({ sessionId: 'one', label: 'docs', repoPath: '/worktree' })];
    expect(await select([one], { label: 'docs', registry })).toMatchObject({
      action: 'resume',
      sessionId: 'one',
    });
  });

  it('of several sessions is that of the one used last', async () => {
    const registry = [
      makeRegistered({ sessionId: 'old', label: 'docs', endedAt: '2026-02-02T00:00:00Z' }),
      makeRegistered({ sessionId: 'new', label: 'docs', endedAt: '2026-02-04T00:00:00Z' }),
      makeRegistered({ sessionId: 'middle', label: 'docs', startedAt: '2026-02-03T00:00:00Z' }),
    ];
    for (const order of [registry, [...registry].reverse()]) {
      expect((await select([], { label: 'docs', registry: order })).sessionId).toBe('new');
    }
  });

  it('that is blank is none', async () => {
    expect(await select([one], { label: '  ', registry })).toMatchObject({
      action: 'resume',
      sessionId: 'one',
    });
  });
});

describe('without a label', () => {
  it('a task waits while any session runs in the repository', async () => {
    const running = makeSession({ sessionId: 'running-1', agentId: 'other', isRunning: true });
    const waits = { action: 'queue', reason: 'session running- is running in this repository' };
    expect(await select([one, running])).toEqual(waits);
    const projectStatus = makeStatus({
      sessions: { active: [running], recent: [], ownRecent: [], total: 1 },
    });
    expect(await select([one], { projectStatus })).toEqual(waits);
  });

  it('a task starts afresh where the agent has no session', async () => {
    const { agentId: _, ...native } = makeSession({ source: 'native-only' });
    const sessions = [native, makeSession({ agentId: 'other' })];
    const reasonFor = async (given: typeof sessions) => {
      const { action, reason } = await select(given);
      expect(action).toBe('fresh');
      return reason;
    };
    expect(await reasonFor(sessions)).toBe(
      'none of the 2 sessions in this repository belongs to agent main; openbot cc run --session <id> continues one of them',
    );
    expect(await reasonFor(sessions.slice(1))).toBe(
      'the only session in this repository does not belong to agent main; openbot cc run --session <id> continues it',
    );
    expect(await reasonFor([])).toBe('there is no session in this repository');
  });

  it('a session with our marker but no entry in the registry is the agent’s own', async () => {
    const { agentId: _, ...native } = makeSession({ source: 'native-only', lastModified: hoursAgo(0) });
    const sessions = [{ ...native, originMarker: 'main' }];
    expect((await select(sessions)).action).toBe('resume');
    expect((await select(sessions, { agentId: 'other' })).action).toBe('fresh');
    expect((await select([{ ...native, originMarker: ']' }])).action).toBe('fresh');
  });

  it('a similar task on the same branch is resumed', async () => {
    expect(await select([one])).toMatchObject({
      action: 'resume',
      sessionId: 'one',
      reason: expect.stringMatching(
        /^session one scores 1.00, above 0.6: same branch, used just now, relevance 1.00/,
      ),
      scores: [{ sessionId: 'one', total: 100 }],
    });
  });

  it('another task on another branch starts afresh', async () => {
    const selection = await select([makeSession({ branch: 'x', firstMessage: 'Write a parser' })]);
    expect(selection).toMatchObject({
      action: 'fresh',
      reason: 'the only session, 11111111, is ruled out: unrelated',
      scores: [{ total: 31 }],
    });
    expect(selection.sessionId).toBeUndefined();
  });

  it('an unrelated session that is fresh and on the branch is at the threshold, and not resumed', async () => {
    const unrelated = makeSession({ firstMessage: 'Write a parser', lastModified: hoursAgo(0) });
    const selection = await select([unrelated]);
    expect(selection.scores?.[0]?.total).toBe(60);
    expect(selection.action).toBe('fresh');
    const config = { resumeThreshold: 0.59 };
    expect((await select([unrelated], { config })).action).toBe('fresh');
    // A model is not bound to words.
    expect((await select([unrelated], { config, askModel: rateBy(() => 0.05) })).action).toBe('resume');
  });

  it('the branch is the current one of the project', async () => {
    const onX = makeSession({ sessionId: 'x', branch: 'x', lastModified: hoursAgo(0) });
    expect((await select([one, onX], { projectStatus: makeStatus({}, 'x') })).sessionId).toBe('x');
    expect((await select([one, onX])).sessionId).toBe('one');
  });

  it('the branch is all of the project that is needed', async () => {
    const projectStatus = { repo: { path: '/repo' }, git: { currentBranch: 'main' } };
    expect((await select([one], { projectStatus })).action).toBe('resume');
    expect((await select([{ ...one, isRunning: true }], { projectStatus })).action).toBe('queue');
  });

  it.each<[string, Partial<DiscoveredSession>, RegExp]>([
    ['without a transcript', { hasTranscript: false }, /ruled out: its transcript is gone/],
    ['too often compacted', { compactionCount: 3 }, /ruled out: 3 compactions/],
    ['near the end of its budget', { budgetUsedPct: 0.82 }, /ruled out: 82% of its budget used/],
    [
      'large and unrelated',
      { messageCount: 340, firstMessage: 'Write a parser' },
      /ruled out: unrelated, with 340 messages/,
    ],
  ])('a session that is %s is never resumed', async (_, fields, reason) => {
    const selection = await select([{ ...one, ...fields }], { config: { resumeThreshold: 0 } });
    expect(selection).toMatchObject({ action: 'fresh', reason: expect.stringMatching(reason) });
  });

  it('one that is ruled out does not keep another from being resumed', async () => {
    const capped = makeSession({ sessionId: 'capped', compactionCount: 3, lastModified: hoursAgo(0) });
    const modest = makeSession({ sessionId: 'modest', lastModified: hoursAgo(30) });
    const selection = await select([capped, modest]);
    expect(selection.sessionId).toBe('modest');
    expect(selection.scores?.map(({ sessionId }) => sessionId)).toEqual(['modest', 'capped']);
  });

  it('the younger of equals is resumed', async () => {
    const sessions = [0.5, 0.1, 0.3].map((age) =>
      makeSession({ sessionId: `aged ${age}`, lastModified: hoursAgo(age) }),
    );
    expect((await select(sessions)).sessionId).toBe('aged 0.1');
  });

  it('the cost counts against the budget of this run', async () => {
    const costly = { ...one, totalCostUsd: 7 };
    expect((await select([costly], { maxBudgetUsd: 10 })).scores?.[0]?.ceiling).toBe('budget');
    expect((await select([costly], { maxBudgetUsd: 100 })).action).toBe('resume');
  });
});

describe('the model', () => {
  it('decides between sessions with equal words', async () => {
    const sessions = [
      makeSession({ sessionId: 'a', firstMessage: 'Authentication broken' }),
      makeSession({ sessionId: 'b', firstMessage: 'Colours of the chart' }),
    ];
    const askModel = rateBy((text) => (text.startsWith('Auth') ? 0.9 : 0));
    const selection = await select([...sessions].reverse(), { askModel });
    expect(selection).toMatchObject({ action: 'resume', sessionId: 'a' });
    expect(selection.scores?.map(({ relevance }) => relevance.by)).toEqual(['model', 'model']);
    expect(selection.relevanceFallback).toBeUndefined();
  });

  it('leaves equals to their relevance, whichever had more without it', async () => {
    const older = makeSession({ sessionId: 'older', firstMessage: 'a', lastModified: hoursAgo(30) });
    const newer = makeSession({ sessionId: 'newer', branch: 'x', lastModified: hoursAgo(0) });
    const selection = await select([older, newer], {
      askModel: rateBy((text) => (text === 'a' ? 0.34 : 0.6)),
    });
    expect(selection.scores?.map(({ total }) => total)).toEqual([75, 75]);
    expect(selection.sessionId).toBe('newer');
  });

  it('is asked only about sessions that its answer could bring above the threshold', async () => {
    const texts: string[] = [];
    const askModel = rateBy((text) => {
      texts.push(text);
      return 1;
    });
    const reachable = { branch: 'other', lastModified: hoursAgo(0) };
    await select(
      [
        makeSession({ sessionId: '1', firstMessage: 'reachable', ...reachable }),
        makeSession({
          sessionId: '2',
          firstMessage: 'too old',
          branch: 'other',
          lastModified: hoursAgo(100),
        }),
        makeSession({ sessionId: '3', firstMessage: 'compacted', compactionCount: 3 }),
        makeSession({ sessionId: '4', firstMessage: 'spent', budgetUsedPct: 0.7 }),
        makeSession({ sessionId: '5', firstMessage: 'best' }),
        makeSession({ sessionId: '6', firstMessage: 'of another', agentId: 'other' }),
      ],
      { askModel },
    );
    expect(texts).toEqual(['best', 'reachable']);
  });

  it('is asked about no more sessions than its answer has room for, the most promising ones', async () => {
    const sessions = Array.from({ length: 100 }, (_, at) =>
      makeSession({ sessionId: `s${at}`, lastModified: hoursAgo(at / 1000) }),
    );
    const asked: number[] = [];
    const askModel: AskModel = async ({ prompt }) => {
      asked.push(JSON.parse(prompt.split('\n')[1]!).sessions.length);
      return '';
    };
    await select(sessions, { askModel });
    await select(sessions, { askModel, config: { relevanceMaxTokens: 1 } });
    expect(asked).toEqual([12, 1]);
  });

  it('decides: a session that it had no room for is not chosen by words instead', async () => {
    const sessions = Array.from({ length: 20 }, (_, at) =>
      makeSession({ sessionId: `s${at}`, firstMessage: TASK, lastModified: hoursAgo(at / 1000) }),
    );
    const unrelated = await select(sessions, { askModel: rateBy(() => 0.05) });
    expect(unrelated.action).toBe('fresh');
    const unasked = unrelated.scores!.filter(({ ceiling }) => ceiling === 'unasked');
    expect(unasked).toHaveLength(8);
    expect(unasked[0]!.reason).toContain('ruled out: the model was not asked about it');
    expect(await select(sessions, { askModel: rateBy(() => 0.9) })).toMatchObject({
      action: 'resume',
      sessionId: 's0',
    });
    // Where words decide, they decide for all.
    const failing = await select(sessions, { askModel: async () => '' });
    expect(failing).toMatchObject({ action: 'resume', sessionId: 's0' });
    expect(failing.scores!.every(({ ceiling }) => ceiling === undefined)).toBe(true);
  });

  it('gets no secrets of a task, nor does the log', async () => {
    const task = 'deploy with password=hunter2secret9 to prod';
    const lines: string[] = [];
    const own = makeSession({ sessionId: 'own', lastTask: task });
    const selection = await select([own], { task, log: (line) => lines.push(line) });
    expect(selection.reason).toContain('deploy');
    expect(`${lines.join()}${JSON.stringify(selection)}`).not.toContain('hunter2');
  });

  it('that fails leaves the choice to words, and this is reported', async () => {
    const lines: string[] = [];
    const askModel: AskModel = async () => Promise.reject(new Error('no network'));
    const selection = await select([one], { askModel, log: (line) => lines.push(line) });
    expect(selection).toMatchObject({
      action: 'resume',
      relevanceFallback: 'the model could not be asked: no network',
    });
    expect(lines[0]).toBe('relevance by words: the model could not be asked: no network');
  });

  it('that hangs is not waited for', async () => {
    const askModel: AskModel = () => new Promise(() => {});
    const selection = await select([one], { askModel, config: { relevanceTimeoutMs: 20 } });
    expect(selection.action).toBe('resume');
    expect(selection.relevanceFallback).toContain('20 ms');
  });

  it('is not asked where it is switched off', async () => {
    const askModel: AskModel = () => {
      throw new Error('asked');
    };
    const selection = await select([one], { askModel, config: { enabled: false } });
    expect(selection.scores?.[0]?.relevance.by).toBe('words');
    expect(selection.relevanceFallback).toBeUndefined();
  });
});

describe('the log', () => {
  it('has a line for each score with its parts, and one for the decision', async () => {
    const lines: string[] = [];
    await select([one, makeSession({ sessionId: 'capped-1', compactionCount: 3 })], {
      log: (line) => lines.push(line),
    });
    expect(lines).toEqual([
      expect.stringMatching(
        /^score one: 1.00 = branch 0.25 \+ recency 0.20 \+ relevance 0.25 \+ health 0.15 \+ capacity 0.15; same branch, /,
      ),
      expect.stringMatching(/^score capped-1: 0.87 = .*; ruled out: 3 compactions; /),
      expect.stringMatching(/^resume: session one scores 1.00, above 0.6: /),
    ]);
  });

  it('has lines only, whatever sessions are called', async () => {
    const lines: string[] = [];
    const evil = 'a\nb\u001b[2J';
    await select([makeSession({ sessionId: evil, firstMessage: evil, branch: evil })], {
      task: evil,
      log: (line) => lines.push(line),
    });
    await select([], { label: evil, log: (line) => lines.push(line) });
    await select([], { agentId: evil, log: (line) => lines.push(line) });
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line).not.toMatch(/[^\P{Cc}]/u);
  });

  it('may fail', async () => {
    const log = () => {
      throw new Error('disk full');
    };
    expect((await select([one], { log })).action).toBe('resume');
  });
});

it('a setting that does not fit is named', async () => {
  await expect(select([one], { config: { resumeThreshold: 60 } })).rejects.toMatchObject({
    code: 'SELECTION_CONFIG_INVALID',
  });
});

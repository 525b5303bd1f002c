/** What words alone choose, with sessions as agents have them. */
import { describe, expect, it } from 'vitest';
import type { DiscoveredSession } from '../../src/discover/discovered-session.ts';
import type { RegisteredSession } from '../../src/registry/registered-session.ts';
import { selectSession } from '../../src/select/select-session.ts';
import { hoursAgo, makeSession, NOW } from '../project-status/discovered.ts';
import { makeRegistered, makeStatus } from './project.ts';

interface Had extends Partial<DiscoveredSession> {
  /** Of its runs, the oldest first. */
  readonly tasks: readonly string[];
}

function select(task: string, had: Readonly<Record<string, Had>>, branch = 'main', resumeThreshold = 0.6) {
  const sessions: DiscoveredSession[] = [];
  const registry: RegisteredSession[] = [];
  for (const [sessionId, { tasks, ...fields }] of Object.entries(had)) {
    const [firstMessage = '', lastTask = ''] = [tasks[0], tasks.at(-1)];
    sessions.push(makeSession({ sessionId, branch, firstMessage, lastTask, ...fields }));
    registry.push(makeRegistered({ sessionId, tasks }));
  }
  return selectSession({
    task,
    repoPath: '/repo',
    agentId: 'main',
    projectStatus: makeStatus({}, branch),
    sessions,
    registry,
    config: { enabled: false, resumeThreshold },
    now: NOW,
  });
}

describe('by words alone', () => {
  it('a branch is no relevance: fix login does not resume the changelog on feature/login', async () => {
    const changelog = { tasks: ['write the changelog'], lastModified: hoursAgo(0) };
    const selection = await select('fix login', { changelog }, 'feature/login');
    expect(selection).toMatchObject({
      action: 'fresh',
      reason: expect.stringContaining('unrelated'),
      scores: [{ ceiling: 'unrelated', relevance: { score: 0, reasoning: 'no word in common' } }],
    });
    // Nor does a threshold that lets anything near by through.
    expect((await select('fix login', { changelog }, 'feature/login', 0)).action).toBe('fresh');
  });

  it('an earlier task counts, and the reason says so', async () => {
    const session = { tasks: ['fix the login redirect', 'write the changelog', 'bump the version'] };
    const selection = await select('the login redirect is broken again', { session });
    expect(selection).toMatchObject({ action: 'resume', sessionId: 'session' });
    expect(selection.reason).toContain('in common with its first message: login, redirect');
  });

  it('a recent task counts more than the same one long ago', async () => {
    const selection = await select('fix the login redirect', {
      past: {
        tasks: ['fix the login redirect', 'write the changelog', 'bump the version', 'rename the package'],
      },
      now: { tasks: ['rename the package', 'fix the login redirect'] },
    });
    expect(selection.sessionId).toBe('now');
    const score = (id: string) =>
      selection.scores!.find(({ sessionId }) => sessionId === id)!.relevance.score;
    expect(score('now')).toBe(1);
    expect(score('past')).toBeCloseTo(0.7);
  });

  it('a title counts like the last task', async () => {
    const selection = await select('teach the parser about comments', {
      titled: { tasks: ['ok, go on'], title: 'Parser comments' },
      other: { tasks: ['deploy the docs'] },
    });
    expect(selection).toMatchObject({ action: 'resume', sessionId: 'titled' });
    expect(selection.reason).toContain('in common with its title: parser, comment');
  });

  it('words that any task has are nothing in common', async () => {
    const writing = { tasks: ['write and update the release notes'], lastModified: hoursAgo(0) };
    expect((await select('write and update the parser', { writing })).action).toBe('fresh');
  });

  it.each([
    ['German', 'Schreibe den Code im Editor um', 'Behebe den Fehler im Parser'],
    ['Spanish', 'Mejora el rendimiento de la base de datos', 'Corrige el error de la página de inicio'],
    [
      'French',
      'Corrige la page de connexion dans le menu',
      'Corrige les tests de la pagination dans le dépôt',
    ],
    ['Russian', 'Исправь вход в систему', 'Исправь ошибку в документации'],
    ['Chinese', '修复登录的样式', '修复支付的回调'],
    ['Japanese', 'ログインを直してください', 'ドキュメントを読んでください'],
  ])('nor are those of %s', async (_, task, other) => {
    const near = { tasks: [other], lastModified: hoursAgo(0) };
    expect(await select(task, { near })).toMatchObject({
      action: 'fresh',
      reason: expect.stringContaining('unrelated'),
    });
    expect((await select(task, { near: { ...near, tasks: [task] } })).action).toBe('resume');
  });

  it.each([
    [
      'Füge einen Test für den Änderungsverlauf hinzu',
      'Der Test des Änderungsverlaufs schlägt fehl: Änderungsverlauf',
    ],
    ['优化登录页面的样式', '修复登录页面的错误'],
    ['ログインページの色', 'ログインページを修正してください'],
    ['login', 'repair the login redirect'],
  ])('%s goes on with what is about the same', async (task, other) => {
    expect((await select(task, { near: { tasks: [other], lastModified: hoursAgo(0) } })).action).toBe(
      'resume',
    );
  });

  it('of one score the more relevant is resumed although another was used last', async () => {
    const selection = await select('repair the login page header', {
      exact: { tasks: ['repair the login page header'], lastModified: hoursAgo(0.9) },
      near: { tasks: ['repair the login page'], lastModified: hoursAgo(0.1) },
    });
    expect(selection.scores!.map(({ total }) => total)).toEqual([100, 100]);
    expect(selection.sessionId).toBe('exact');
    expect(selection.reason).toMatch(/; of those with the same score it is more relevant$/);
  });

  it('of one score and relevance the one on the branch is resumed, else the one used last', async () => {
    const task = 'repair the login page';
    const worn = { messageCount: 501, fileSizeBytes: 6e6, budgetUsedPct: 0.4, lastModified: hoursAgo(50) };
    const both = await select(task, {
      elsewhere: { tasks: [task], lastModified: hoursAgo(0.5), branch: 'other' },
      here: { tasks: [task], ...worn },
    });
    expect(both.scores!.map(({ total }) => total)).toEqual([75, 75]);
    expect(both.sessionId).toBe('here');
    expect(both.reason).toMatch(/; of those with the same score it is on this branch$/);
    const alike = await select(task, {
      older: { tasks: [task], lastModified: hoursAgo(0.9) },
      newer: { tasks: [task], lastModified: hoursAgo(0.1) },
    });
    expect(alike.sessionId).toBe('newer');
    expect(alike.reason).toMatch(/; of those with the same score it was used last$/);
  });
});

it('a model learns what a session did before its last task', async () => {
  const tasks = ['repair the login redirect', 'bump the version'];
  const prompts: string[] = [];
  await selectSession({
    task: 'the login redirect is broken again',
    repoPath: '/repo',
    agentId: 'main',
    projectStatus: makeStatus(),
    sessions: [makeSession({ firstMessage: 'hello', lastTask: tasks[1]! })],
    registry: [makeRegistered({ tasks })],
    askModel: async ({ prompt }) => {
      prompts.push(prompt);
      return '{"sessions":[{"id":1,"score":0.9,"why":"the same redirect"}]}';
    },
    now: NOW,
  });
  expect(prompts).toEqual([expect.stringContaining('repair the login redirect')]);
});

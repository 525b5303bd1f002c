import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { updateRegistry } from '../../src/registry/registry-file.ts';
import { type Loose, makeMcpHome } from '../mcp-server/mcp-home.ts';
import { makeSession } from '../project-status/discovered.ts';
import { registered } from '../registry/registered.ts';

const LIST = 'openclaw_session_list';
const STATUS = 'openclaw_project_status';
const ids = (sessions: { sessionId: string }[]) => sessions.map(({ sessionId }) => sessionId);

/** One session of the agent by the registry, one by its marker, one of a person, one of another agent. */
async function makePopulated() {
  const home = makeMcpHome();
  const { addSession, repo, stateDir } = home;
  const own = addSession(repo, { text: 'own', modified: '2026-11-16T04:00:00Z' });
  await updateRegistry(stateDir, 'main', (sessions) => {
    sessions.set(own, registered({ sessionId: own, repoPath: repo, label: 'login' }));
  });
  const marked = addSession(repo, {
    text: '[openclaw:agent=main]\n\nmarked',
    modified: '2026-11-16T03:00:00Z',
  });
  const native = addSession(repo, {
    text: 'typed, password=hunter2hunter2',
    modified: '2026-11-16T02:00:00Z',
  });
  const foreign = addSession(repo, {
    text: '[openclaw:agent=work]\n\nclassified',
    modified: '2026-11-16T05:00:00Z',
  });
  return { ...home, own, marked, native, foreign };
}

describe('openclaw_session_list', () => {
  test('own sessions and those of people are listed, those of other agents only counted', async () => {
    const { connect, repo, own, marked, native } = await makePopulated();
    const { answer, text } = await (await connect())(LIST);
    expect(ids(answer.sessions)).toEqual([own, marked, native]);
    expect(answer.sessions[0]).toMatchObject({
      source: 'openclaw',
      agentId: 'main',
      isOwn: true,
      repoPath: repo,
      cwd: repo,
      firstMessage: 'own',
      label: 'login',
      lastTask: 'fix the login page',
      totalCostUsd: 0.25,
      lastModified: '2026-11-16T04:00:00.000Z',
      messageCount: 2,
      isRunning: false,
      isOpen: false,
    });
    expect(answer.sessions.map(({ isOwn }: Loose) => isOwn)).toEqual([true, true, false]);
    expect(answer).toMatchObject({ repoPath: repo, ofOtherAgents: { count: 1, running: 0 }, leftOut: [] });
    expect(text).not.toMatch(/classified|hunter2hunter2/);
  });

  test('without native ones those of the agent’s registry are left', async () => {
    const { connect, own, marked } = await makePopulated();
    const call = await connect();
    const { sessions } = (await call(LIST, { include_native: false })).answer;
    expect(ids(sessions)).toEqual([own]);
    expect(sessions.map(({ source }: Loose) => source)).toEqual(['openclaw']);
    // With a marker it is the agent's, and native all the same.
    expect(ids((await call(LIST)).answer.sessions)).toContain(marked);
    expect((await call(LIST, { include_native: true })).answer.sessions).toHaveLength(3);
  });

  test('another agent sees its own and not these', async () => {
    const { connect, native, foreign } = await makePopulated();
    const { answer } = await (await connect({ agentId: 'Work' }))(LIST);
    expect(ids(answer.sessions)).toEqual([foreign, native]);
    expect(answer.ofOtherAgents).toEqual({ count: 2, running: 0 });
  });

  test('hundreds of sessions give a bounded answer with the first of them', async () => {
    const { connect, repo } = makeMcpHome();
    const sessions = Array.from({ length: 500 }, (_, at) =>
      makeSession({ sessionId: `s-${at}`, repoPath: repo, cwd: repo, firstMessage: 'ä'.repeat(1000) }),
    );
    const { answer, text } = await (await connect({ precomputed: { sessions } }))(LIST);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32_000);
    const count = answer.sessions.length;
    expect(count).toBeGreaterThan(10);
    expect(ids(answer.sessions)).toEqual(ids(sessions.slice(0, count)));
    expect(answer.leftOut).toEqual([{ what: 'sessions', count: 500 - count }]);
  });

  test('what is known already is given instead of what is on disk, with its time', async () => {
    const { connect, repo } = await makePopulated();
    const known = makeSession({ repoPath: repo, cwd: '/elsewhere', firstMessage: 'known' });
    const asOf = new Date().toISOString();
    const precomputed = { sessions: [known, makeSession({ sessionId: 'other-repo' })], asOf };
    const { answer } = await (await connect({ precomputed }))(LIST);
    expect(answer).toMatchObject({ asOf, leftOut: [] });
    expect(answer.sessions.map(({ firstMessage }: Loose) => firstMessage)).toEqual(['known']);
    expect(answer.sessions[0]).not.toHaveProperty('cwd');
  });

  test.each([
    ['older than a minute', '2026-03-01T12:00:00.000Z'],
    ['of a time to come', '2199-03-01T12:00:00.000Z'],
  ])('what is known and is %s is looked for again', async (_name, asOf) => {
    const { connect, repo, own, marked, native } = await makePopulated();
    const precomputed = { sessions: [makeSession({ repoPath: repo })], asOf };
    const call = await connect({ precomputed });
    const { answer } = await call(LIST);
    expect(ids(answer.sessions)).toEqual([own, marked, native]);
    expect(answer.asOf).not.toBe(asOf);
    expect(ids((await call(STATUS)).answer.sessions.recent)).toEqual([own, marked, native]);
  });

  test('a registry that cannot be read is a tool error that names it', async () => {
    const { connect, write } = makeMcpHome();
    write('state/claude-code/main/sessions.json', '{');
    const { isError, text } = await (await connect())(LIST);
    expect(isError).toBe(true);
    expect(text).toMatch(/^REGISTRY_UNREADABLE: .*claude-code\/main\/sessions\.json/);
  });

  test('an unreadable registry of another agent is skipped and not mentioned', async () => {
    const { connect, write, repo, addSession } = makeMcpHome();
    const id = addSession(repo);
    write('state/claude-code/work/sessions.json', '{"classified');
    const call = await connect();
    const listed = await call(LIST);
    expect(ids(listed.answer.sessions)).toEqual([id]);
    const status = await call(STATUS);
    expect(ids(status.answer.sessions.recent)).toEqual([id]);
    expect(status.answer.gaps.map(({ part }: Loose) => part)).not.toContain('sessions');
    expect(listed.text + status.text).not.toMatch(/classified|claude-code\/work/);
  });
});

describe('openclaw_project_status', () => {
  test('git, documents and the sessions that the agent may see', async () => {
    const { connect, repo, own, marked, native } = await makePopulated();
    writeFileSync(join(repo, 'README.md'), '');
    const { answer, text } = await (await connect())(STATUS);
    expect(answer).toMatchObject({
      repo: { path: repo, isGitRepo: true },
      git: { currentBranch: 'main', headCommitMessage: 'first', uncommittedChanges: ['README.md'] },
      docs: { hasReadme: true, hasClaudeMd: false },
      sessions: { total: 3, active: [] },
      leftOut: [],
    });
    expect(ids(answer.sessions.recent)).toEqual([own, marked, native]);
    expect(ids(answer.sessions.ownRecent)).toEqual([own, marked]);
    expect(text).not.toContain('classified');
  });

  test('outside git there is a status too', async () => {
    const { connect, makeFolder } = makeMcpHome();
    const { answer } = await (await connect({ repoPath: makeFolder('plain') }))(STATUS);
    expect(answer).toMatchObject({ repo: { isGitRepo: false }, git: { currentBranch: '' } });
  });

  test('a thousand changes with long names give a bounded answer that says what it lacks', async () => {
    const { connect, repo } = makeMcpHome();
    for (let at = 0; at < 1000; at++) writeFileSync(join(repo, `${at}-${'x'.repeat(230)}`), '');
    const { answer, text } = await (await connect())(STATUS);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32_000);
    const listed = answer.git.uncommittedChanges.length;
    expect(answer.git.changeCounts.untracked).toBe(1000);
    expect(listed).toBeGreaterThan(50);
    expect(answer.leftOut).toEqual([{ what: 'git.uncommittedChanges', count: 1000 - listed }]);
  });

  test('sessions known already are used, git is asked', async () => {
    const { connect, repo } = makeMcpHome();
    const sessions = [makeSession({ repoPath: repo, isRunning: true })];
    const { answer } = await (await connect({ precomputed: { sessions } }))(STATUS);
    expect(ids(answer.sessions.active)).toEqual([sessions[0]!.sessionId]);
    expect(answer.git.currentBranch).toBe('main');
  });
});

describe('the session that asks', () => {
  const RUN = '33333333-3333-4333-8333-333333333333';
  const known = (repo: string) => [
    makeSession({ sessionId: 'other', repoPath: repo, isRunning: true }),
    makeSession({ sessionId: RUN, repoPath: repo, messageCount: 8, lastTask: 'the task before' }),
  ];
  async function register(stateDir: string, repoPath: string, tasks: readonly string[]) {
    await updateRegistry(stateDir, 'main', (sessions) => {
      sessions.set(RUN, registered({ sessionId: RUN, repoPath, tasks }));
    });
  }

  test('is first and running although it was not before', async () => {
    const { connect, repo, stateDir } = makeMcpHome();
    await register(stateDir, repo, ['the task before', 'the task of this run']);
    const asOf = new Date().toISOString();
    const precomputed = { sessions: known(repo), asOf };
    const call = await connect({ precomputed, runSessionId: RUN });
    const { answer } = await call(LIST);
    expect(ids(answer.sessions)).toEqual([RUN, 'other']);
    const [run, other] = answer.sessions;
    expect(run).toMatchObject({
      isThisRun: true,
      isRunning: true,
      messageCount: 8,
      lastTask: 'the task of this run',
    });
    expect(other).not.toHaveProperty('isThisRun');
    expect(answer.asOf).toBe(asOf);
    const { sessions } = (await call(STATUS)).answer;
    expect(ids(sessions.active)).toEqual([RUN, 'other']);
    expect(ids(sessions.recent)).toEqual([RUN, 'other']);
    expect(sessions.total).toBe(2);
  });

  test('keeps the task that is known of it until its own is written down', async () => {
    const { connect, repo, stateDir } = makeMcpHome();
    const call = await connect({ precomputed: { sessions: known(repo) }, runSessionId: RUN });
    expect((await call(LIST)).answer.sessions[0]).toMatchObject({ lastTask: 'the task before' });
    await register(stateDir, repo, ['the task of this run']);
    expect((await call(LIST)).answer.sessions[0]).toMatchObject({ lastTask: 'the task of this run' });
  });

  test('is there when it is fresh, with its task once that is written down', async () => {
    const { connect, repo, stateDir } = makeMcpHome();
    const precomputed = { sessions: [makeSession({ sessionId: 'other', repoPath: repo })] };
    const call = await connect({ precomputed, runSessionId: RUN });
    const before = (await call(LIST)).answer.sessions;
    expect(ids(before)).toEqual([RUN, 'other']);
    expect(before[0]).toMatchObject({ agentId: 'main', isOwn: true, isRunning: true, repoPath: repo });
    await register(stateDir, repo, ['the task of this run']);
    expect((await call(LIST)).answer.sessions[0]).toMatchObject({ lastTask: 'the task of this run' });
    const { sessions } = (await call(STATUS)).answer;
    expect(sessions).toMatchObject({ active: [{ sessionId: RUN, isThisRun: true }], total: 2 });
  });

  test.each([
    ['a person', {}],
    ['another agent', { agentId: 'work', originMarker: 'work' }],
  ])('is the agent’s own, also where %s began it', async (_name, whose) => {
    const { connect, repo } = makeMcpHome();
    const { agentId: _, ...rest } = makeSession({ sessionId: RUN, repoPath: repo, source: 'native-only' });
    const call = await connect({ precomputed: { sessions: [{ ...rest, ...whose }] }, runSessionId: RUN });
    const { answer } = await call(LIST, { include_native: false });
    expect(answer.sessions).toMatchObject([{ sessionId: RUN, isOwn: true, source: 'openclaw' }]);
    expect(answer.ofOtherAgents).toEqual({ count: 0, running: 0 });
  });

  test('is marked among those that are found when the tool is called', async () => {
    const { connect, repo, own, marked, native } = await makePopulated();
    const { answer } = await (await connect({ runSessionId: native }))(LIST);
    expect(ids(answer.sessions)).toEqual([native, own, marked]);
    expect(answer.sessions[0]).toMatchObject({ isThisRun: true, isRunning: true, cwd: repo });
    const none = await (await connect({ runSessionId: ' ' }))(LIST);
    expect(ids(none.answer.sessions)).toEqual([own, marked, native]);
  });
});

import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ownIdentity } from '@openbot/sessions/disk';
import { expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { discoverAllSessions, discoverSessions } from '../../src/discover/discover-sessions.ts';
import { resolveRegistryPath, updateRegistry } from '../../src/registry/registry-file.ts';
import { endedProcess } from '../registry/ended-process.ts';
import { registered } from '../registry/registered.ts';
import { git, makeRepo } from '../repo/git.ts';
import { makeHome } from './claude-home.ts';

const idsOf = (sessions: readonly { sessionId: string }[]) => sessions.map(({ sessionId }) => sessionId);

test('a session that none of our agents started', async () => {
  const { makeFolder, addSession, options } = makeHome();
  const repo = makeFolder('repo');
  const id = addSession(repo, {
    text: 'Fix the login',
    branch: 'feature/x',
    modified: '2026-11-01T00:00:00Z',
  });
  const [session, ...others] = await discoverSessions(repo, options);
  expect(others).toEqual([]);
  expect(session).toEqual({
    sessionId: id,
    source: 'native-only',
    repoPath: repo,
    cwd: repo,
    branch: 'feature/x',
    firstMessage: 'Fix the login',
    lastModified: new Date('2026-11-01T00:00:00Z'),
    hasTranscript: true,
    messageCount: 2,
    lineCount: 3,
    fileSizeBytes: expect.any(Number),
    isRunning: false,
    isOpen: false,
    totalInputTokens: 10,
    totalCacheTokens: 120,
    totalOutputTokens: 4,
    compactionCount: 0,
  });
});

test('a session of ours has the data of the registry, and is listed once', async () => {
  const { makeFolder, addSession, options, stateDir } = makeHome();
  const repo = makeFolder('repo');
  const id = addSession(repo, { text: '[openclaw:agent=ada]\n\nFix the login' });
  const entry = registered({
    sessionId: id,
    agentId: 'ada',
    repoPath: repo,
    label: 'login',
    tasks: ['Fix the login', 'And the tests'],
    totalCostUsd: 0.5,
    maxBudgetUsd: 2,
  });
  await updateRegistry(stateDir, 'ada', (sessions) => void sessions.set(id, entry));
  expect(await discoverSessions(repo, options)).toEqual([
    expect.objectContaining({
      sessionId: id,
      source: 'openclaw',
      agentId: 'ada',
      originMarker: 'ada',
      firstMessage: 'Fix the login',
      label: 'login',
      lastTask: 'And the tests',
      totalCostUsd: 0.5,
      totalTurns: 3,
      budgetUsedPct: 0.25,
      messageCount: 2,
    }),
  ]);
});

test('our marker without a registry entry: native, with the agent that it names', async () => {
  const { makeFolder, addSession, options } = makeHome();
  const repo = makeFolder('repo');
  addSession(repo, { text: '[openclaw:agent=Ada]\n\nFix it' });
  const odd = addSession(repo, { text: '[openclaw:agent=../../x]\n\nFix it' });
  const sessions = await discoverSessions(repo, options);
  expect(sessions.find(({ sessionId }) => sessionId !== odd)).toMatchObject({
    source: 'native-only',
    agentId: 'ada',
    originMarker: 'Ada',
  });
  const strange = sessions.find(({ sessionId }) => sessionId === odd)!;
  expect(strange.originMarker).toBe('../../x');
  expect(strange.agentId).toBeUndefined();
});

test('a registered session whose transcript is gone is still known', async () => {
  const { makeFolder, options, stateDir } = makeHome();
  const repo = makeFolder('repo');
  const entry = registered({ repoPath: repo, endedAt: '2026-11-16T02:00:00.000Z' });
  await updateRegistry(stateDir, 'main', (sessions) => void sessions.set(entry.sessionId, entry));
  expect(await discoverSessions(repo, options)).toEqual([
    expect.objectContaining({
      sessionId: entry.sessionId,
      source: 'openclaw',
      lastModified: new Date('2026-11-16T02:00:00.000Z'),
      hasTranscript: false,
      messageCount: 0,
      fileSizeBytes: 0,
    }),
  ]);
});

test('running ones come first, then the newest; a runner that crashed runs nothing', async () => {
  const { makeFolder, addSession, options, stateDir } = makeHome();
  const repo = makeFolder('repo');
  const [running, crashed, old, recent] = ['2026-10-01', '2026-10-02', '2026-10-03', '2026-10-04'].map(
    (day) => addSession(repo, { modified: `${day}T00:00:00Z` }),
  ) as [string, string, string, string];
  const gone = await endedProcess();
  await updateRegistry(stateDir, 'main', (sessions) => {
    sessions.set(running, registered({ sessionId: running, repoPath: repo, runner: ownIdentity() }));
    sessions.set(crashed, registered({ sessionId: crashed, repoPath: repo, runner: gone }));
  });
  const sessions = await discoverSessions(repo, options);
  expect(idsOf(sessions)).toEqual([running, recent, old, crashed]);
  expect(sessions.map(({ isRunning }) => isRunning)).toEqual([true, false, false, false]);
});

test('paths that share a folder name are distinguished by their lines', async () => {
  const { makeFolder, addSession, options } = makeHome();
  const [dot, dash] = [makeFolder('col.x'), makeFolder('col-x')];
  const [first, second] = [addSession(dot), addSession(dash)];
  expect(idsOf(await discoverSessions(dot, options))).toEqual([first]);
  expect(idsOf(await discoverSessions(dash, options))).toEqual([second]);
});

test('folders below, worktrees and links belong to a repository; neighbours do not', async () => {
  const { root, makeFolder, addSession, options } = makeHome();
  const repo = makeFolder('repo');
  makeRepo(repo);
  const tree = join(root, 'tree');
  git(repo, 'worktree', 'add', '--quiet', '-b', 'side', tree);
  symlinkSync(repo, join(root, 'link'));
  const own = [
    addSession(repo),
    addSession(join(repo, 'src')),
    addSession(join(repo, 'gone/away')),
    addSession(tree),
    addSession(join(tree, 'src')),
    // A program that was told the path by its link.
    addSession(join(root, 'link/src'), { slug: repo.replace(/[^a-zA-Z0-9]/g, '-') }),
  ].sort();
  addSession(makeFolder('repo-two'));
  addSession(makeFolder('other'));
  for (const path of [repo, tree, join(root, 'link'), makeFolder('repo/src')]) {
    expect(idsOf(await discoverSessions(path, options)).sort()).toEqual(own);
  }
});

test('a session of which most happened in the repository is one of it, though it began elsewhere', async () => {
  const { makeFolder, addSession, options } = makeHome();
  const [before, now] = [makeFolder('col_x'), makeFolder('col x')];
  const id = addSession(before, { cwds: [now] });
  expect(await discoverSessions(now, options)).toEqual([
    expect.objectContaining({ sessionId: id, repoPath: now, cwd: before }),
  ]);
});

test.each([false, true])('each session is in one list, wherever it went; in git: %s', async (isInGit) => {
  const { makeFolder, addSession, options } = makeHome();
  const repos = ['frontend', 'backend', 'frontend-old'].map((name) => makeFolder(name));
  if (isInGit) for (const repo of repos) makeRepo(repo);
  const [frontend, backend, old] = repos as [string, string, string];
  const homes = new Map([
    // Most of it happened in a repository that does not look where the file is.
    [addSession(frontend, { cwds: [backend, backend] }), frontend],
    [addSession(frontend, { cwds: [frontend, backend] }), frontend],
    [addSession(backend, { cwds: [frontend, old, frontend] }), backend],
    // Here the other one does look.
    [addSession(old, { cwds: [frontend, frontend] }), frontend],
    // It was put where nobody of those looks who are named in it: then most decide, where all are listed.
    [addSession(frontend, { cwds: [backend], slug: '-nowhere' }), backend],
  ]);
  const all = await discoverAllSessions(options);
  expect(new Map(all.map(({ sessionId, repoPath }) => [sessionId, repoPath]))).toEqual(homes);
  const lists = await Promise.all(repos.map((repo) => discoverSessions(repo, options)));
  const listed = lists.flat().map(({ sessionId, repoPath }) => [sessionId, repoPath] as const);
  expect(listed).toHaveLength(homes.size - 1);
  for (const [id, repo] of listed) expect(homes.get(id)).toBe(repo);
});

test.each(['repo-new', 'elsewhere'])(
  'a session that was continued in %s is listed once, not with its old copy',
  async (name) => {
    const { makeFolder, addSession, options } = makeHome();
    const [before, now] = [makeFolder('repo'), makeFolder(name)];
    for (const path of [before, now]) makeRepo(path);
    const id = addSession(before, { modified: '2026-10-01T00:00:00Z' });
    addSession(now, { id, modified: '2026-10-02T00:00:00Z' });
    expect(await discoverSessions(before, options)).toEqual([]);
    expect(idsOf(await discoverSessions(now, options))).toEqual([id]);
    expect(await discoverAllSessions(options)).toMatchObject([{ sessionId: id, repoPath: now }]);
  },
);

test('a session of ours stays that of its repository when its worktree is removed', async () => {
  const { root, makeFolder, addSession, options, stateDir } = makeHome();
  const [repo, other] = [makeFolder('repo'), makeFolder('other')];
  for (const path of [repo, other]) makeRepo(path);
  const tree = join(root, 'tree');
  git(repo, 'worktree', 'add', '--quiet', '-b', 'side', tree);
  const id = addSession(tree);
  const entry = registered({ sessionId: id, repoPath: tree, repoKey: join(repo, '.git') });
  await updateRegistry(stateDir, 'main', (sessions) => void sessions.set(id, entry));
  git(repo, 'worktree', 'remove', tree);
  const found = [expect.objectContaining({ sessionId: id, repoPath: repo, totalCostUsd: 0.25 })];
  expect(await discoverSessions(repo, options)).toEqual(found);
  expect(await discoverAllSessions(options)).toEqual(found);
  expect(await discoverSessions(other, options)).toEqual([]);
  // Without its repository, it is of what is there now.
  rmSync(join(repo, '.git'), { recursive: true });
  expect(await discoverAllSessions(options)).toMatchObject([{ sessionId: id, repoPath: tree }]);
});

test('only <uuid>.jsonl is a session', async () => {
  const { makeFolder, addSession, options, projects } = makeHome();
  const repo = makeFolder('repo');
  const id = addSession(repo);
  const folder = join(projects, repo.replace(/[^a-zA-Z0-9]/g, '-'));
  const line = `${JSON.stringify({ type: 'user', uuid: 'u', cwd: repo, message: { content: 'x' } })}\n`;
  for (const name of [
    `${id}.backup.1.jsonl`,
    `${id}.jsonl.bak`,
    'notes.jsonl',
    `agent-${id}.jsonl`,
    `${id}/subagents/agent-a1.jsonl`,
    `${id}/subagents/22222222-2222-4222-8222-222222222222.jsonl`,
    `${id}/tool-results/33333333-3333-4333-8333-333333333333.jsonl`,
    'memory/44444444-4444-4444-8444-444444444444.jsonl',
  ]) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), line);
  }
  expect(idsOf(await discoverSessions(repo, options))).toEqual([id]);
});

test('unreadable sessions are left out and reported', async () => {
  const { makeFolder, addSession, options, projects } = makeHome();
  const repo = makeFolder('repo');
  const id = addSession(repo);
  const odd = '22222222-2222-4222-8222-222222222222';
  mkdirSync(join(projects, repo.replace(/[^a-zA-Z0-9]/g, '-'), `${odd}.jsonl`));
  const problems: string[] = [];
  const onProblem = (error: Error, sessionId: string | undefined) =>
    problems.push(`${(error as { code?: string }).code} ${sessionId}`);
  expect(idsOf(await discoverSessions(repo, { ...options, onProblem }))).toEqual([id]);
  expect(problems).toEqual([`TRANSCRIPT_UNREADABLE ${odd}`]);
});

test('an unreadable folder is reported, the rest is found, and its index is kept', async () => {
  const { root, makeFolder, addSession, options, projects, stateDir } = makeHome();
  const [repo, below] = [makeFolder('repo'), makeFolder('repo/below')];
  const [id, hidden] = [addSession(repo), addSession(below)];
  const indexes = () => readdirSync(join(stateDir, 'cache', 'claude-sessions')).sort();
  await discoverSessions(repo, options);
  const known = indexes();
  const folder = join(projects, below.replace(/[^a-zA-Z0-9]/g, '-'));
  const away = join(root, 'away');
  renameSync(folder, away);
  // Whoever asks, and with whatever rights, such a link cannot be followed.
  symlinkSync(folder, folder);
  const problems: [Error, string | undefined][] = [];
  const onProblem = (error: Error, sessionId: string | undefined) => problems.push([error, sessionId]);
  expect(idsOf(await discoverSessions(repo, { ...options, onProblem }))).toEqual([id]);
  expect(idsOf(await discoverSessions(repo, options))).toEqual([id]);
  expect(problems).toEqual([
    [
      expect.objectContaining({
        code: 'SESSION_FOLDER_UNREADABLE',
        message: expect.stringContaining(folder),
      }),
      undefined,
    ],
  ]);
  expect(indexes()).toEqual(known);
  rmSync(folder);
  renameSync(away, folder);
  expect(idsOf(await discoverSessions(repo, options)).sort()).toEqual([id, hidden].sort());
});

test('a file among the session folders is ignored', async () => {
  const { makeFolder, addSession, options, projects } = makeHome();
  const repo = makeFolder('repo');
  const id = addSession(repo);
  const slug = repo.replace(/[^a-zA-Z0-9]/g, '-');
  writeFileSync(join(projects, `${slug}-file`), '');
  symlinkSync('nowhere', join(projects, `${slug}-link`));
  const problems: Error[] = [];
  const onProblem = (error: Error) => problems.push(error);
  expect(idsOf(await discoverSessions(repo, { ...options, onProblem }))).toEqual([id]);
  expect(problems).toEqual([]);
});

test('an aborted search keeps what it has read', async () => {
  const { makeFolder, addSession, options, stateDir } = makeHome();
  const repo = makeFolder('repo');
  const ids = Array.from({ length: 9 }, () => addSession(repo));
  const ending = new AbortController();
  const look = discoverSessions(repo, {
    ...options,
    signal: ending.signal,
    onProgress: ({ done }) => done === 3 && ending.abort(new Error('enough')),
    onProblem: (error) => expect.unreachable(error.message),
  });
  await expect(look).rejects.toThrow('enough');
  const [name] = readdirSync(join(stateDir, 'cache', 'claude-sessions'));
  const index = readFileSync(join(stateDir, 'cache', 'claude-sessions', name!), 'utf8');
  expect(ids.filter((id) => index.includes(`"id":"${id}"`)).length).toBeGreaterThanOrEqual(3);
  expect(idsOf(await discoverSessions(repo, options)).sort()).toEqual(ids.sort());
});

test('a search that is aborted after everything was read has its answer', async () => {
  const { makeFolder, addSession, options } = makeHome();
  const repo = makeFolder('repo');
  const ids = [addSession(repo), addSession(makeFolder('repo/below'))];
  const ending = new AbortController();
  const found = await discoverSessions(repo, {
    ...options,
    signal: ending.signal,
    onProgress: ({ done }) => done === 2 && ending.abort(),
  });
  expect(idsOf(found).sort()).toEqual(ids.sort());
  const unread = makeFolder('unread');
  addSession(unread);
  await expect(discoverSessions(unread, { ...options, signal: ending.signal })).rejects.toThrow();
});

test('impossible working folders cause no error', async () => {
  const { makeFolder, addSession, options } = makeHome();
  const repo = makeFolder('repo');
  const id = addSession(repo, {
    cwds: ['', 'relative', 'a\0b', '/a\0b', `/${'x'.repeat(5000)}`, '/\ud800', repo],
  });
  expect(idsOf(await discoverSessions(repo, options))).toEqual([id]);
  expect(idsOf(await discoverAllSessions(options))).toEqual([id]);
});

test('a session in two folders is listed once, with the newer file', async () => {
  const { makeFolder, addSession, options } = makeHome();
  const [dot, below] = [makeFolder('repo'), makeFolder('repo/below')];
  const id = addSession(dot, { text: 'old', modified: '2026-10-01T00:00:00Z' });
  addSession(below, { id, text: 'new', modified: '2026-10-02T00:00:00Z' });
  expect(await discoverSessions(dot, options)).toEqual([expect.objectContaining({ firstMessage: 'new' })]);
});

test('a repository without sessions, and a Claude Code that never ran', async () => {
  const { makeFolder, options, config } = makeHome();
  const repo = makeFolder('repo');
  expect(await discoverSessions(repo, options)).toEqual([]);
  rmSync(config, { recursive: true });
  expect(await discoverSessions(repo, options)).toEqual([]);
  expect(await discoverAllSessions(options)).toEqual([]);
});

test('a damaged registry is reported and the rest found; for its own agent it is an error', async () => {
  const { makeFolder, addSession, options, stateDir } = makeHome();
  const repo = makeFolder('repo');
  const [id, entry] = [addSession(repo), registered({ repoPath: repo, agentId: 'zoe' })];
  await updateRegistry(stateDir, 'zoe', (sessions) => void sessions.set(entry.sessionId, entry));
  const path = resolveRegistryPath(stateDir, 'main');
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, 'secret{');
  const problems: [Error, string | undefined][] = [];
  const onProblem = (error: Error, sessionId: string | undefined) => problems.push([error, sessionId]);
  const look = (agentId: string) => discoverSessions(repo, { ...options, onProblem, agentId });
  expect(idsOf(await look('zoe')).sort()).toEqual([id, entry.sessionId].sort());
  expect(problems).toEqual([
    [
      expect.objectContaining({ code: 'REGISTRY_UNREADABLE', message: expect.stringContaining(path) }),
      undefined,
    ],
  ]);
  expect(inspect(problems)).not.toContain('secret');
  await expect(look('main')).rejects.toMatchObject({ code: 'REGISTRY_UNREADABLE' });
});

test('a registered session is of the repository that its registry names, wherever its lines say it was', async () => {
  const { makeFolder, addSession, options, stateDir } = makeHome();
  const [repo, other] = [makeFolder('repo'), makeFolder('other')];
  const id = addSession(other);
  const entry = registered({ sessionId: id, repoPath: repo, runner: ownIdentity() });
  await updateRegistry(stateDir, 'main', (sessions) => void sessions.set(id, entry));
  expect(await discoverSessions(other, options)).toEqual([]);
  const found = expect.objectContaining({
    sessionId: id,
    source: 'openclaw',
    repoPath: repo,
    isRunning: true,
    hasTranscript: true,
  });
  expect(await discoverSessions(repo, options)).toEqual([found]);
  expect(await discoverAllSessions(options)).toEqual([found]);
});

test('a stray change of folder moves no session to another repository', async () => {
  const { makeFolder, addSession, options } = makeHome();
  const [repo, inner] = [makeFolder('repo'), makeFolder('repo/inner')];
  for (const path of [repo, inner]) makeRepo(path);
  const id = addSession(repo, { cwds: [repo, inner, repo] });
  expect(idsOf(await discoverSessions(repo, options))).toEqual([id]);
  expect(await discoverSessions(inner, options)).toEqual([]);
  expect(await discoverAllSessions(options)).toMatchObject([{ sessionId: id, repoPath: repo }]);
});

test('the sessions of a repository inside another are not those of the other', async () => {
  const { makeFolder, addSession, options } = makeHome();
  const [home, inner, plain] = [makeFolder('me'), makeFolder('me/inner'), makeFolder('me/plain')];
  for (const path of [home, inner]) makeRepo(path);
  const [own, nested, below] = [addSession(home), addSession(join(inner, 'src')), addSession(plain)];
  expect(idsOf(await discoverSessions(home, options)).sort()).toEqual([own, below].sort());
  expect(idsOf(await discoverSessions(inner, options))).toEqual([nested]);
});

test('what changed since the last look is seen', async () => {
  const { makeFolder, addSession, options, projects } = makeHome();
  const repo = makeFolder('repo');
  const id = addSession(repo, { text: 'first' });
  const removed = addSession(repo);
  await discoverSessions(repo, options);
  addSession(repo, { id, text: 'other', branch: 'next' });
  const folder = join(projects, repo.replace(/[^a-zA-Z0-9]/g, '-'));
  rmSync(join(folder, `${removed}.jsonl`));
  expect(await discoverSessions(repo, options)).toEqual([
    expect.objectContaining({ sessionId: id, firstMessage: 'other', branch: 'next' }),
  ]);
  truncateSync(join(folder, `${id}.jsonl`), 0);
  expect(await discoverSessions(repo, options)).toEqual([]);
});

test('all sessions, each with its repository', async () => {
  const { root, makeFolder, addSession, options, stateDir } = makeHome();
  const repo = makeFolder('repo');
  makeRepo(repo);
  const [inRepo, plain, gone] = [
    addSession(join(repo, 'src')),
    addSession(makeFolder('plain')),
    addSession(join(root, 'removed')),
  ];
  const entry = registered({ repoPath: repo });
  await updateRegistry(stateDir, 'main', (sessions) => void sessions.set(entry.sessionId, entry));
  const all = await discoverAllSessions(options);
  expect(new Map(all.map(({ sessionId, repoPath }) => [sessionId, repoPath]))).toEqual(
    new Map([
      [inRepo, repo],
      [plain, join(root, 'plain')],
      [gone, join(root, 'removed')],
      [entry.sessionId, repo],
    ]),
  );
});

test('progress goes from nothing to all', async () => {
  const { makeFolder, addSession, options } = makeHome();
  const repo = makeFolder('repo');
  for (let i = 0; i < 5; i++) addSession(repo);
  const seen: string[] = [];
  await discoverSessions(repo, {
    ...options,
    onProgress: ({ done, total }) => seen.push(`${done}/${total}`),
  });
  expect(seen).toEqual(['1/5', '2/5', '3/5', '4/5', '5/5']);
});

test('nothing is kept of transcripts that are gone, nor of folders without any', async () => {
  const { makeFolder, addSession, options, projects, stateDir } = makeHome();
  const [repo, other] = [makeFolder('repo'), makeFolder('other')];
  const removed = addSession(repo, { text: 'a secret' });
  addSession(repo);
  addSession(other, { text: 'another secret' });
  await discoverAllSessions(options);
  const slugOf = (path: string) => path.replace(/[^a-zA-Z0-9]/g, '-');
  rmSync(join(projects, slugOf(repo), `${removed}.jsonl`));
  rmSync(join(projects, slugOf(other)), { recursive: true });
  expect(await discoverSessions(repo, options)).toHaveLength(1);
  const cache = join(stateDir, 'cache', 'claude-sessions');
  const kept = readdirSync(cache).map((name) => readFileSync(join(cache, name), 'utf8'));
  expect(kept).toHaveLength(1);
  expect(kept[0]).not.toContain('secret');
});

test('all sessions: those of a worktree are under the main tree', LONG, async () => {
  const { root, makeFolder, addSession, options } = makeHome();
  const repo = makeFolder('repo');
  makeRepo(repo);
  const tree = join(root, 'tree');
  git(repo, 'worktree', 'add', '--quiet', '-b', 'side', tree);
  addSession(tree);
  expect(await discoverAllSessions(options)).toMatchObject([{ repoPath: repo, cwd: tree }]);
});

test('all sessions: worktrees are of one repository, though its git folder is apart', LONG, async () => {
  const { root, makeFolder, addSession, options } = makeHome();
  const repo = makeFolder('repo');
  git(root, 'init', '--quiet', '--separate-git-dir', join(root, 'store'), repo);
  git(repo, 'commit', '--quiet', '--allow-empty', '--message=first');
  const tree = join(root, 'tree');
  git(repo, 'worktree', 'add', '--quiet', '-b', 'side', tree);
  addSession(tree);
  addSession(repo);
  const all = await discoverAllSessions(options);
  expect(all.map(({ repoPath }) => repoPath)).toEqual([repo, repo]);
});

test('progress says how much of a large transcript has been read', async () => {
  const { makeFolder, addSession, options, projects } = makeHome();
  const repo = makeFolder('repo');
  const id = addSession(repo);
  const line = `${JSON.stringify({ type: 'summary', summary: 'x'.repeat(1_000_000) })}\n`;
  appendFileSync(join(projects, repo.replace(/[^a-zA-Z0-9]/g, '-'), `${id}.jsonl`), line.repeat(20));
  const parts: number[] = [];
  await discoverSessions(repo, {
    ...options,
    onProgress: ({ done, partOfLarge }) => done === 0 && parts.push(partOfLarge!),
  });
  expect(parts.length).toBeGreaterThan(5);
  expect(parts).toEqual(parts.toSorted((one, other) => one - other));
  expect(parts.at(-1)).toBe(1);
});

test.each<[string, object[], string | undefined, string | undefined]>([
  ['none', [], undefined, undefined],
  [
    'that of a person, the last one',
    [{ customTitle: 'old' }, { aiTitle: 'ai' }, { customTitle: 'new' }],
    'file',
    'new',
  ],
  ['that of a file where no line has one', [{ aiTitle: 'ai' }], 'file', 'file'],
  ['that of a model where no person gave one', [{ aiTitle: 'ai 1' }, { aiTitle: 'ai 2' }], undefined, 'ai 2'],
  [
    'that of a model where a person took his back',
    [{ aiTitle: 'ai' }, { customTitle: 'x' }, { customTitle: ' ' }],
    'file',
    'ai',
  ],
  ['without secrets', [{ customTitle: 'with password=hunter2swordfish' }], undefined, 'with password=***'],
])('the title of a session: %s', async (_, given, inFile, title) => {
  const { makeFolder, addSession, options, projects } = makeHome();
  const repo = makeFolder('repo');
  const id = addSession(repo);
  const folder = join(projects, repo.replace(/[^a-zA-Z0-9]/g, '-'));
  for (const line of given) {
    const type = 'customTitle' in line ? 'custom-title' : 'ai-title';
    appendFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify({ type, ...line, sessionId: id })}\n`);
  }
  mkdirSync(join(folder, id));
  if (inFile !== undefined)
    writeFileSync(join(folder, id, 'custom-title.json'), `{"customTitle":"${inFile}"}`);
  expect((await discoverSessions(repo, options)).map((session) => session.title)).toEqual([title]);
});

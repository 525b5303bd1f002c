import { readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { formatProjectStatus } from '../../src/project-status/format-project-status.ts';
import { gatherProjectStatus } from '../../src/project-status/gather-project-status.ts';
import { readProjectBranch } from '../../src/project-status/read-git.ts';
import { GitRepo, makeEnvironment, makeFolder } from './git-repo.ts';

/** On a busy machine the real git takes its time. */
const PATIENT = { gitTimeoutMs: 60_000 };
const gather = (path: string, env = makeEnvironment()) => gatherProjectStatus(path, { env, ...PATIENT });
const NO_GH = { part: 'github', reason: 'gh is not installed' };

describe('the status of a git repository', () => {
  it('names the branch and the last commits, the newest first', async () => {
    const repo = GitRepo.withCommit();
    repo.write('second.txt');
    repo.commit('The second: ümlauts, "quotes"\n\nand a body');
    const status = await gather(repo.path);
    expect(status.repo).toEqual({ path: repo.path, name: 'project', isGitRepo: true, isBare: false });
    expect(status.git).toEqual({
      currentBranch: 'main',
      headCommitSha: repo.git('rev-parse', 'HEAD').trim(),
      headCommitMessage: 'The second: ümlauts, "quotes"',
      uncommittedChanges: [],
      stagedChanges: [],
      changeCounts: { staged: 0, modified: 0, untracked: 0, conflicted: 0 },
      stashCount: 0,
      recentCommits: [
        {
          sha: repo.git('rev-parse', 'HEAD').trim(),
          message: 'The second: ümlauts, "quotes"',
          author: 'Ada Lovelace',
          date: '2026-01-02T03:04:05+00:00',
        },
        expect.objectContaining({ message: 'The first one' }),
      ],
    });
    expect(status.gaps).toEqual([NO_GH]);
    expect(status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('lists at most ten commits', LONG, async () => {
    const repo = GitRepo.withCommit();
    for (let count = 2; count <= 12; count++) repo.git('commit', '--quiet', '--allow-empty', `-mno ${count}`);
    const { git } = await gather(repo.path);
    expect(git.recentCommits.map(({ message }) => message)).toEqual(
      Array.from({ length: 10 }, (_, at) => `no ${12 - at}`),
    );
  });

  it('distinguishes staged from other changes, whatever the names are', async () => {
    const repo = GitRepo.withCommit();
    const latin = Buffer.concat([Buffer.from('latin-'), Buffer.from([0xe9])]);
    repo.write('to be renamed.txt', 'many words that make it the same file\n'.repeat(20));
    repo.write('deleted.txt');
    repo.commit('More');
    repo.write('staged\nwith a line end.txt');
    repo.git('add', '--all');
    repo.git('mv', 'to be renamed.txt', 'renamed -> "so".txt');
    rmSync(join(repo.path, 'deleted.txt'));
    repo.write('first.txt', 'changed\n');
    repo.write(latin);
    repo.write('dir/inside.txt');
    repo.write(' leading space');
    const { git } = await gather(repo.path);
    expect([...git.stagedChanges].sort()).toEqual(['renamed -> "so".txt', 'staged\nwith a line end.txt']);
    expect([...git.uncommittedChanges].sort()).toEqual([
      ' leading space',
      'deleted.txt',
      'dir/',
      'first.txt',
      'latin-\\xe9',
    ]);
    expect(git.changeCounts).toEqual({ staged: 2, modified: 2, untracked: 3, conflicted: 0 });
  });

  it('bounds long lists and counts all of them', async () => {
    const repo = GitRepo.withCommit();
    for (let count = 0; count < 150; count++) repo.write(`file-${count}.txt`);
    const { git } = await gather(repo.path);
    expect(git.uncommittedChanges).toHaveLength(100);
    expect(git.changeCounts.untracked).toBe(150);
  });

  it('shows no half of a secret in a long message of a commit', async () => {
    const repo = GitRepo.withCommit();
    repo.git(
      'commit',
      '--quiet',
      '--allow-empty',
      `--message=${'word '.repeat(38)}ghp_${'Ab1'.repeat(12)} end`,
    );
    const { git } = await gather(repo.path);
    expect(git.headCommitMessage).toMatch(/^word .*…$/);
    expect(git.headCommitMessage).not.toMatch(/ghp_Ab1A/);
  });

  it('does not look for untracked files where git is set not to', LONG, async () => {
    const repo = GitRepo.withCommit();
    repo.write('new.txt');
    repo.git('config', 'status.showUntrackedFiles', 'no');
    expect((await gather(repo.path)).git.uncommittedChanges).toEqual([]);
  });

  it('counts stashes and conflicts', LONG, async () => {
    const repo = GitRepo.withCommit();
    repo.write('first.txt', 'stashed\n');
    repo.git('stash', '--quiet');
    repo.git('checkout', '--quiet', '-b', 'side');
    repo.write('first.txt', 'side\n');
    repo.commit('On the side');
    repo.git('checkout', '--quiet', 'main');
    repo.write('first.txt', 'main\n');
    repo.commit('On main');
    expect(() => repo.git('merge', 'side')).toThrow();
    const { git } = await gather(repo.path);
    expect(git.stashCount).toBe(1);
    expect(git.changeCounts).toEqual({ staged: 0, modified: 0, untracked: 0, conflicted: 1 });
    expect(git.uncommittedChanges).toEqual(['first.txt']);
  });

  it('knows how far the branch is from the one that it follows', async () => {
    const origin = GitRepo.withCommit();
    const clone = new GitRepo(join(makeFolder(), 'clone'));
    origin.git('clone', '--quiet', origin.path, clone.path);
    clone.git('commit', '--quiet', '--allow-empty', '-mlocal');
    origin.git('commit', '--quiet', '--allow-empty', '-mremote 1');
    origin.git('commit', '--quiet', '--allow-empty', '-mremote 2');
    clone.git('fetch', '--quiet');
    expect((await gather(clone.path)).git.upstream).toEqual({ name: 'origin/main', ahead: 1, behind: 2 });
    clone.git('branch', '--remotes', '--delete', 'origin/main');
    expect((await gather(clone.path)).git.upstream).toEqual({ name: 'origin/main' });
  });

  it('calls a detached HEAD by that name', LONG, async () => {
    const repo = GitRepo.withCommit();
    repo.git('checkout', '--quiet', '--detach');
    const { git, gaps } = await gather(repo.path);
    expect(git.currentBranch).toBe('HEAD');
    expect(git.headCommitMessage).toBe('The first one');
    expect(gaps).toEqual([NO_GH]);
  });

  it('names the branch where there is no commit yet', async () => {
    const repo = GitRepo.init();
    repo.write('new.txt');
    repo.git('add', '--all');
    const { git, gaps } = await gather(repo.path);
    expect(git).toMatchObject({ currentBranch: 'main', headCommitSha: '', headCommitMessage: '' });
    expect(git.recentCommits).toEqual([]);
    expect(git.stagedChanges).toEqual(['new.txt']);
    expect(gaps).toEqual([NO_GH]);
  });

  it('names the branch, not what git calls it when a tag has the same name', LONG, async () => {
    const repo = GitRepo.withCommit();
    repo.git('tag', 'main');
    expect((await gather(repo.path)).git.currentBranch).toBe('main');
  });

  it('reads a bare repository: history, and no files', LONG, async () => {
    const repo = GitRepo.withCommit();
    const bare = join(makeFolder(), 'store.git');
    repo.git('clone', '--quiet', '--bare', repo.path, bare);
    const status = await gather(bare);
    expect(status.repo).toEqual({ path: bare, name: 'store', isGitRepo: true, isBare: true });
    expect(status.git).toMatchObject({ currentBranch: 'main', headCommitMessage: 'The first one' });
    expect(status.docs.hasReadme).toBe(false);
    expect(status.gaps).toEqual([NO_GH]);
  });

  it('reads from inside the folder of git', LONG, async () => {
    const repo = GitRepo.withCommit();
    const status = await gather(join(repo.path, '.git'));
    expect(status.repo).toMatchObject({ isGitRepo: true, isBare: false });
    expect(status.git.headCommitMessage).toBe('The first one');
    expect(status.gaps).toEqual([NO_GH]);
  });

  it('takes the whole repository for a folder below its top', async () => {
    const repo = GitRepo.withCommit();
    repo.write('deep/down/new.txt');
    repo.write('top.txt');
    const status = await gather(join(repo.path, 'deep/down'));
    expect(status.repo).toMatchObject({ path: repo.path, name: 'project' });
    expect(status.git.uncommittedChanges).toEqual(['deep/', 'top.txt']);
  });

  it('resolves links that lead to it', async () => {
    const repo = GitRepo.withCommit();
    const link = join(makeFolder(), 'link');
    symlinkSync(repo.path, link);
    expect((await gather(link)).repo.path).toBe(repo.path);
  });

  it('shows a worktree by its own branch and changes, under the name of its repository', async () => {
    const repo = GitRepo.withCommit();
    const tree = join(makeFolder(), 'elsewhere\nand on');
    repo.git('worktree', 'add', '--quiet', '-b', 'feature', tree);
    new GitRepo(tree).write('new.txt');
    const status = await gather(tree);
    expect(status.repo).toEqual({ path: tree, name: 'project', isGitRepo: true, isBare: false });
    expect(status.git).toMatchObject({ currentBranch: 'feature', uncommittedChanges: ['new.txt'] });
    expect((await gather(repo.path)).git).toMatchObject({ currentBranch: 'main', uncommittedChanges: [] });
  });

  it('names a worktree of a bare repository after that', LONG, async () => {
    const bare = GitRepo.withCommit();
    const store = join(makeFolder(), 'store.git');
    bare.git('clone', '--quiet', '--bare', bare.path, store);
    const tree = join(makeFolder(), 'tree');
    new GitRepo(store).git('worktree', 'add', '--quiet', '-b', 'feature', tree);
    expect((await gather(tree)).repo).toMatchObject({ path: tree, name: 'store', isBare: false });
    expect((await gather(store)).repo).toMatchObject({ path: store, name: 'store', isBare: true });
  });

  it('names a repository whose git folder is apart after its own folder', LONG, async () => {
    const store = join(makeFolder(), 'store');
    const repo = GitRepo.init(`--separate-git-dir=${store}`);
    expect((await gather(repo.path)).repo).toMatchObject({ path: repo.path, name: 'project' });
  });

  it.each(['GIT_TRACE', 'GIT_TRACE_SETUP', 'GIT_TRACE2_PERF', 'GIT_TRACE2_EVENT', 'GIT_CURL_VERBOSE'])(
    'is not disturbed by %s',
    async (name) => {
      const repo = GitRepo.withCommit();
      repo.git('checkout', '--quiet', '--detach');
      const env = { ...makeEnvironment(), [name]: '1' };
      expect((await gather(repo.path, env)).gaps.filter(({ part }) => part !== 'github')).toEqual([]);
      // A HEAD that is detached is known by an answer without a word.
      expect((await readProjectBranch(repo.path, { env, ...PATIENT })).git.currentBranch).toBe('HEAD');
    },
  );

  it('lists a submodule that has changed, and is itself one repository', LONG, async () => {
    const inner = GitRepo.withCommit();
    const outer = GitRepo.withCommit();
    outer.git('submodule', '--quiet', 'add', inner.path, 'sub module');
    outer.commit('With a submodule');
    const sub = new GitRepo(join(outer.path, 'sub module'));
    sub.write('first.txt', 'changed\n');
    expect((await gather(outer.path)).git.uncommittedChanges).toEqual(['sub module']);
    const status = await gather(sub.path);
    expect(status.repo).toMatchObject({ path: sub.path, name: 'sub module', isGitRepo: true });
    expect(status.git.uncommittedChanges).toEqual(['first.txt']);
  });

  it('changes nothing, not even the index', async () => {
    const repo = GitRepo.withCommit();
    const index = join(repo.path, '.git/index');
    // A new time on the same content is what git would note in its index.
    utimesSync(join(repo.path, 'first.txt'), new Date(1e12), new Date(1e12));
    const before = readFileSync(index);
    await gather(repo.path);
    expect(readFileSync(index).equals(before)).toBe(true);
    repo.git('status');
    expect(readFileSync(index).equals(before)).toBe(false);
  });

  it('looks at the folder, not at what the environment of a hook names', async () => {
    const repo = GitRepo.withCommit();
    const other = GitRepo.init();
    const status = await gather(repo.path, {
      ...makeEnvironment(),
      GIT_DIR: join(other.path, '.git'),
      GIT_PREFIX: 'x/',
    });
    expect(status.git.headCommitMessage).toBe('The first one');
  });

  it('starts no monitor and no signature check that the repository configures', async () => {
    const repo = GitRepo.withCommit();
    const mark = join(makeFolder(), 'started');
    const script = join(makeEnvironment({ monitor: `echo started > '${mark}'` }).PATH!, 'monitor');
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n';
    repo.write('.git/signed', repo.git('cat-file', 'commit', 'HEAD').replace('\n\n', `\n${signature}`));
    repo.git('reset', '--quiet', repo.git('hash-object', '-t', 'commit', '-w', '.git/signed').trim());
    repo.git('config', 'core.fsmonitor', script);
    repo.git('config', 'log.showSignature', 'true');
    repo.git('config', 'gpg.program', script);
    repo.git('config', 'core.pager', script);
    expect((await gather(repo.path)).git.headCommitMessage).toBe('The first one');
    expect(() => readFileSync(mark)).toThrow();
  });
});

describe('the branch alone', () => {
  it('is that of the repository, without a question to gh', async () => {
    const repo = GitRepo.init();
    repo.write('below/x.txt');
    const mark = join(makeFolder(), 'asked');
    const env = makeEnvironment({ gh: `: > '${mark}'` });
    expect(await readProjectBranch(join(repo.path, 'below'), { env })).toEqual({
      repo: { path: repo.path },
      git: { currentBranch: 'main' },
    });
    expect(() => readFileSync(mark)).toThrow();
  });

  it('is unknown outside git, and where git is not installed', async () => {
    expect((await readProjectBranch(makeFolder(), { env: makeEnvironment() })).git.currentBranch).toBe('');
    const env = { PATH: makeFolder() };
    expect((await readProjectBranch(GitRepo.init().path, { env })).git.currentBranch).toBe('');
  });
});

describe('a status with gaps', () => {
  it('is one of a folder, outside git', async () => {
    const folder = makeFolder();
    const status = await gather(folder);
    expect(status.repo).toEqual({ path: folder, name: basename(folder), isGitRepo: false, isBare: false });
    expect(status.git.currentBranch).toBe('');
    expect(status.github).toBeUndefined();
    expect(status.gaps).toEqual([]);
  });

  it('says that git is not installed, and looks at the rest', async () => {
    const repo = GitRepo.withCommit();
    repo.write('README.md');
    const status = await gather(repo.path, { PATH: makeFolder() });
    expect(status.repo.isGitRepo).toBe(false);
    expect(status.docs.hasReadme).toBe(true);
    expect(status.gaps).toEqual([{ part: 'git', reason: 'git is not installed' }]);
  });

  it('says why git refuses a repository of another user', async () => {
    const repo = GitRepo.withCommit();
    const status = await gather(repo.path, { ...makeEnvironment(), GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' });
    expect(status.repo.isGitRepo).toBe(false);
    expect(status.gaps).toEqual([
      { part: 'git', reason: expect.stringMatching(/^git failed: detected dubious ownership/) },
    ]);
  });

  it.each([
    ['a HEAD that is none', 'HEAD', 'garbage'],
    ['a HEAD that is empty', 'HEAD', ''],
    ['a configuration that is none', 'config', '[core\n'],
  ])('does not take a damaged repository for a plain folder: %s', async (_, file, content) => {
    const repo = GitRepo.withCommit();
    repo.write(`.git/${file}`, content);
    const status = await gather(repo.path);
    expect(status.gaps).toContainEqual({
      part: 'git',
      reason: expect.stringMatching(/damaged|^git failed: /),
    });
    expect(formatProjectStatus(status)).not.toContain('not a git repository');
  });

  it('does not take a branch whose commit is missing for one without commits', LONG, async () => {
    const repo = GitRepo.withCommit();
    repo.write('.git/refs/heads/main', `${'1'.repeat(40)}\n`);
    const status = await gather(repo.path);
    expect(status.gaps).toContainEqual({ part: 'commits', reason: expect.stringMatching(/^git failed: /) });
    expect(formatProjectStatus(status)).not.toContain('no commits yet');
  });

  it('keeps what was learned when one part is damaged', LONG, async () => {
    const repo = GitRepo.withCommit();
    repo.write('.git/index', 'no index');
    const status = await gather(repo.path);
    expect(status.git).toMatchObject({ currentBranch: 'main', headCommitMessage: 'The first one' });
    expect(status.gaps).toEqual([{ part: 'changes', reason: expect.stringMatching(/^git failed: /) }, NO_GH]);
  });

  it.each(['missing', 'file.txt'])('is none where there is no folder: %s', async (name) => {
    const repo = GitRepo.init();
    repo.write('file.txt');
    await expect(gather(join(repo.path, name))).rejects.toMatchObject({
      code: 'REPO_NOT_FOUND',
      hint: expect.any(String),
    });
  });
});

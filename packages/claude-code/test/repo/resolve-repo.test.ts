import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeProjectSlug as repoPathToSlug } from '@openbot/sessions/layout';
import { expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { nameRepos } from '../../src/repo/name-repos.ts';
import { resolveProjectsFolder } from '../../src/repo/projects-folder.ts';
import { isInRepo, mayHoldSessions, resolveRepo } from '../../src/repo/resolve-repo.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { git, makeRepo } from './git.ts';

const MODULE = new URL('../../src/repo/resolve-repo.ts', import.meta.url).href;

function makeFolder(...parts: string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

test('outside git a folder is a repository of its own, with what is below it', () => {
  const root = makeTempFolder();
  const folder = makeFolder(root, 'plain');
  const repo = resolveRepo(folder);
  expect(repo).toMatchObject({ path: folder, roots: [folder] });
  expect(isInRepo(repo, join(folder, 'sub/gone'))).toBe(true);
  expect(isInRepo(repo, `${folder}-two`)).toBe(false);
  expect(isInRepo(repo, root)).toBe(false);
});

test('a folder inside a repository means the repository', () => {
  const root = makeTempFolder();
  const top = makeFolder(root, 'repo');
  makeRepo(top);
  expect(resolveRepo(makeFolder(top, 'src/deep')).path).toBe(top);
});

test('a path through links is the same repository, also in the lines of a session', () => {
  const root = makeTempFolder();
  const top = makeFolder(root, 'real/repo');
  makeRepo(top);
  symlinkSync(join(root, 'real'), join(root, 'link'));
  const repo = resolveRepo(join(root, 'link/repo'));
  expect(repo.path).toBe(top);
  expect(isInRepo(repo, join(root, 'link/repo/sub'))).toBe(true);
  expect(mayHoldSessions(repo, repoPathToSlug(join(root, 'link/repo')))).toBe(true);
});

test('the worktrees of a repository belong to it, from whichever of them one asks', () => {
  const root = makeTempFolder();
  const top = makeFolder(root, 'repo');
  makeRepo(top);
  const odd = join(root, 'side\ntree é');
  git(top, 'worktree', 'add', '--quiet', '-b', 'side', odd);
  git(top, 'worktree', 'add', '--quiet', '-b', 'gone', join(root, 'gone'));
  rmSync(join(root, 'gone'), { recursive: true });
  const all = [top, odd, join(root, 'gone')].sort();
  const fromMain = resolveRepo(top);
  const fromSide = resolveRepo(makeFolder(odd, 'below'));
  expect([fromMain.path, fromSide.path]).toEqual([top, odd]);
  expect([...fromMain.roots].sort()).toEqual(all);
  expect([...fromSide.roots].sort()).toEqual(all);
  expect(mayHoldSessions(fromMain, repoPathToSlug(odd))).toBe(true);
});

test('a bare repository has the worktrees that hang from it', () => {
  const root = makeTempFolder();
  const source = makeFolder(root, 'source');
  makeRepo(source);
  const bare = join(root, 'bare.git');
  git(root, 'clone', '--quiet', '--bare', source, bare);
  git(bare, 'worktree', 'add', '--quiet', join(root, 'tree'), 'main');
  expect(resolveRepo(bare)).toMatchObject({ path: bare, roots: [bare, join(root, 'tree')] });
  expect(resolveRepo(join(root, 'tree'))).toMatchObject({ path: join(root, 'tree') });
});

test('a submodule is a repository of its own inside the other', LONG, () => {
  const root = makeTempFolder();
  const inner = makeFolder(root, 'inner');
  makeRepo(inner);
  const outer = makeFolder(root, 'outer');
  makeRepo(outer);
  git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
  const sub = join(outer, 'sub');
  expect(resolveRepo(sub).roots).toEqual([sub]);
  expect(isInRepo(resolveRepo(outer), sub)).toBe(false);
  expect(isInRepo(resolveRepo(outer), join(outer, 'other'))).toBe(true);
  expect(isInRepo(resolveRepo(sub), join(sub, 'gone'))).toBe(true);
  const tree = join(root, 'tree');
  git(sub, 'worktree', 'add', '--quiet', '-b', 'side', tree);
  expect(resolveRepo(tree).roots).toEqual([tree, sub]);
  expect([...nameRepos([tree, sub, outer]).values()]).toEqual([sub, sub, outer]);
});

test('a .git that names nothing makes no repository', () => {
  const root = makeTempFolder();
  const folder = makeFolder(root, 'broken');
  writeFileSync(join(folder, '.git'), 'gitdir: /nowhere/at/all\n');
  expect(resolveRepo(folder).roots).toEqual([folder]);
  mkdirSync(join(root, 'empty/.git'), { recursive: true });
  expect(resolveRepo(join(root, 'empty')).roots).toEqual([join(root, 'empty')]);
});

test('a repository inside another is not the other, nor is one in the place of a removed worktree', () => {
  const root = makeTempFolder();
  const [home, inner] = [makeFolder(root, 'home'), makeFolder(root, 'home/work/inner')];
  for (const path of [home, inner]) makeRepo(path);
  const gone = join(root, 'home/gone');
  git(inner, 'worktree', 'add', '--quiet', '-b', 'side', gone);
  rmSync(gone, { recursive: true });
  const [outer, own] = [resolveRepo(home), resolveRepo(inner)];
  const places = [join(inner, 'src'), join(home, 'work'), gone];
  expect(places.map((path) => isInRepo(outer, path))).toEqual([false, true, true]);
  expect(places.map((path) => isInRepo(own, path))).toEqual([true, false, true]);
  makeRepo(makeFolder(gone));
  expect([outer, own].map((repo) => isInRepo(repo, gone))).toEqual([false, false]);
  expect(isInRepo(resolveRepo(root), inner)).toBe(false);
});

test.skipIf(process.platform === 'win32')('a .git that is a pipe is not waited for', () => {
  const folder = makeFolder(makeTempFolder(), 'odd');
  execFileSync('mkfifo', [join(folder, '.git')]);
  const script = `import { resolveRepo } from ${JSON.stringify(MODULE)}; process.stdout.write(resolveRepo(process.argv[1]).path);`;
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script, folder], {
    encoding: 'utf8',
    timeout: 30_000,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  expect(run.stdout).toBe(folder);
});

test('a folder that is not there and a file are refused', () => {
  const root = makeTempFolder();
  writeFileSync(join(root, 'file'), '');
  for (const name of ['none', 'file', 'file/below']) {
    expect(() => resolveRepo(join(root, name))).toThrow(expect.objectContaining({ code: 'REPO_NOT_FOUND' }));
  }
});

test('CLAUDE_CONFIG_DIR replaces ~/.claude', () => {
  expect(resolveProjectsFolder({ HOME: '/home/u' })).toBe('/home/u/.claude/projects');
  expect(resolveProjectsFolder({ HOME: '/home/u', CLAUDE_CONFIG_DIR: '/etc/claude' })).toBe(
    '/etc/claude/projects',
  );
  expect(resolveProjectsFolder({ HOME: '/home/u', CLAUDE_CONFIG_DIR: '~/c' })).toBe('/home/u/c/projects');
  expect(resolveProjectsFolder({ HOME: '/home/u', CLAUDE_CONFIG_DIR: ' ' })).toBe('/home/u/.claude/projects');
});

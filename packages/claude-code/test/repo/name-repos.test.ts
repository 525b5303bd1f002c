import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameRepos } from '../../src/repo/name-repos.ts';
import { findRepoKey } from '../../src/repo/resolve-repo.ts';
import { makeTempFolder } from '../temp-folder.ts';
import { git, makeRepo } from './git.ts';

const namesOf = (...folders: string[]) => [...nameRepos(folders).values()];

function makeApart(root: string): string {
  const top = join(root, 'apart');
  git(root, 'init', '--quiet', '--separate-git-dir', join(root, 'store'), top);
  git(top, 'commit', '--quiet', '--allow-empty', '--message=first');
  return top;
}

test('worktrees have the name of the main one', () => {
  const root = makeTempFolder();
  const top = join(root, 'repo');
  mkdirSync(top);
  makeRepo(top);
  git(top, 'worktree', 'add', '--quiet', '-b', 'side', join(root, 'side'));
  expect(namesOf(join(root, 'side/below'), top, root)).toEqual([top, top, root]);
  expect(findRepoKey(join(root, 'side'))).toBe(findRepoKey(join(top, 'below')));
  expect(findRepoKey(root)).not.toBe(findRepoKey(top));
});

test('where the git folder is apart, the main work tree is known by itself, and all have its name', () => {
  const root = makeTempFolder();
  const top = makeApart(root);
  const trees = ['one', 'two'].map((name) => join(root, name));
  for (const [at, tree] of trees.entries()) git(top, 'worktree', 'add', '--quiet', '-b', `side-${at}`, tree);
  expect(namesOf(...trees, join(top, 'src'))).toEqual([top, top, top]);
  expect(namesOf(join(top, 'src'), ...trees)).toEqual([top, top, top]);
  // Nothing says where the main one is: still they are of one repository.
  expect(namesOf(...trees)).toEqual([join(root, 'store'), join(root, 'store')]);
  expect(new Set([top, ...trees].map(findRepoKey)).size).toBe(1);
});

test('the worktrees of a bare repository have its name, or that of the folder around it', () => {
  const root = makeTempFolder();
  const source = join(root, 'source');
  mkdirSync(source);
  makeRepo(source);
  git(root, 'clone', '--quiet', '--bare', source, join(root, 'bare.git'));
  mkdirSync(join(root, 'around'));
  git(root, 'clone', '--quiet', '--bare', source, join(root, 'around/.bare'));
  writeFileSync(join(root, 'around/.git'), 'gitdir: ./.bare\n');
  for (const place of ['bare.git', 'around/.bare']) {
    for (const name of ['x', 'y'])
      git(join(root, place), 'worktree', 'add', '--quiet', '-b', name, join(root, place, '..', name));
  }
  expect(namesOf(join(root, 'x'), join(root, 'y'))).toEqual([join(root, 'bare.git'), join(root, 'bare.git')]);
  expect(namesOf(join(root, 'around/x'), join(root, 'around/y/src'), join(root, 'around'))).toEqual([
    join(root, 'around'),
    join(root, 'around'),
    join(root, 'around'),
  ]);
});

test('a worktree that was removed without telling git keeps its name, unless something else is there', () => {
  const root = makeTempFolder();
  const home = join(root, 'home');
  const [repo, gone, taken] = [join(home, 'repo'), join(home, 'gone'), join(home, 'taken')];
  mkdirSync(repo, { recursive: true });
  for (const path of [home, repo]) makeRepo(path);
  for (const tree of [gone, taken]) {
    git(repo, 'worktree', 'add', '--quiet', '--detach', tree);
    rmSync(tree, { recursive: true });
  }
  mkdirSync(taken);
  makeRepo(taken);
  expect(namesOf(repo, join(gone, 'src'), taken, join(home, 'other'))).toEqual([repo, repo, taken, home]);
  expect(namesOf(join(gone, 'src'))).toEqual([home]);
});

test('a path through a link has the name of what it leads to', () => {
  const root = makeTempFolder();
  const top = join(root, 'repo');
  mkdirSync(top);
  makeRepo(top);
  symlinkSync(top, join(root, 'link'));
  expect(nameRepos([join(root, 'link/gone')])).toEqual(new Map([[join(root, 'link/gone'), top]]));
});

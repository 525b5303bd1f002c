import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRealPath } from '@openbot/sessions/layout';
import { beforeEach, expect, test } from 'vitest';
import { findDenial, findReadDenial, isAllowed } from '../../src/permissions/find-denial.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let root: string;
/** A link to the workspace, as its configuration names it. */
let workspaceDir: string;

beforeEach(() => {
  root = makeTempFolder();
  for (const folder of ['real/secrets', 'real/notes', 'home/.ssh'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['real/.env', 'real/secrets/a.txt', 'real/notes/b.md', 'home/.ssh/id'])
    writeFileSync(join(root, file), '');
  symlinkSync(join(root, 'real'), join(root, 'workspace'));
  workspaceDir = join(root, 'workspace');
  const link = (target: string, name: string) => symlinkSync(target, join(root, 'real', name));
  link('.env', 'harmless.txt');
  link('harmless.txt', 'twice.txt');
  link('secrets', 'open');
  link('notes', 'diary');
  link('../home', 'house');
  link('secrets/new.txt', 'dangling');
  link('../outside/new.txt', 'notes/away');
});

const placesIn = (dir = workspaceDir) => ({ workspaceDir: dir, home: join(root, 'home') });

test.each([
  ['Read(.env)', 'harmless.txt', true],
  ['Read(.env)', 'twice.txt', true],
  ['Read(.env)', 'notes/b.md', false],
  ['Read(harmless.txt)', 'harmless.txt', true],
  ['Read(secrets/**)', 'open/a.txt', true],
  ['Read(./secrets)', 'open', true],
  ['Read(open/**)', 'open/a.txt', true],
  ['Read(open/**)', 'secrets/a.txt', true],
  ['Read(diary/*.md)', 'notes/b.md', true],
  ['Read(diary/*.txt)', 'notes/b.md', false],
  ['Read(~/.ssh/**)', 'house/.ssh/id', true],
  ['Read(~/.ssh/**)', 'house/.ssh/missing', true],
  ['Read(~/.ssh/**)', 'house/other', false],
])('%s forbids what %s leads to: %s', async (rule, path, expected) => {
  for (const named of [path, join(workspaceDir, path), join(root, 'real', path)]) {
    expect([named, findReadDenial([rule], named, placesIn()) !== undefined]).toEqual([named, expected]);
    for (const [toolName, key] of [
      ['Read', 'file_path'],
      ['read_file', 'path'],
      ['Grep', 'path'],
    ] as const) {
      const denial = await findDenial([rule], { toolName, arguments: { [key]: named } }, placesIn());
      expect([toolName, denial !== undefined]).toEqual([toolName, expected]);
    }
  }
});

test('rules about writing and listing follow links, too', async () => {
  const find = (rule: string, toolName: string, path: string) =>
    findDenial([rule], { toolName, arguments: { path } }, placesIn());
  expect(await find('Edit(.env)', 'write_file', 'harmless.txt')).toEqual({ rule: 'Edit(.env)' });
  expect(await find('Edit(secrets/**)', 'edit_file', 'open/new/file.txt')).toEqual({
    rule: 'Edit(secrets/**)',
  });
  for (const toolName of ['write_file', 'Write', 'Edit'])
    expect(await find('Edit(secrets/**)', toolName, 'dangling')).toEqual({ rule: 'Edit(secrets/**)' });
  expect(await find('Glob(./secrets)', 'list_files', 'open')).toEqual({ rule: 'Glob(./secrets)' });
});

test('a rule allows a link only where it allows what the link leads to', () => {
  const allows = (rule: string, path: string) =>
    isAllowed([rule], { toolName: 'write_file', arguments: { path } }, placesIn());
  expect(allows('Edit(harmless.txt)', 'harmless.txt')).toBe(false);
  expect(allows('Edit(*.txt)', 'harmless.txt')).toBe(false);
  expect(allows('Edit(./harmless.txt)', 'harmless.txt')).toBe(true);
  expect(allows('Edit(diary/**)', 'diary/b.md')).toBe(true);
  expect(allows('Edit(notes/**)', 'notes/b.md')).toBe(true);
  expect(allows('Edit(notes/**)', 'diary/b.md')).toBe(false);
  expect(allows('Edit(notes/**)', 'notes/new.md')).toBe(true);
  expect(allows('Edit(notes/**)', 'notes/away')).toBe(false);
});

test('a real path that is known is not looked for again', () => {
  const path = join(workspaceDir, 'open/a.txt');
  const find = (realPaths?: Map<string, string>) =>
    findReadDenial(['Read(secrets/**)'], path, placesIn(), realPaths);
  expect(find()).toEqual({ rule: 'Read(secrets/**)' });
  const realPaths = new Map([[path, join(root, 'real/notes/b.md')]]);
  expect(find(realPaths)).toBeUndefined();
  expect(realPaths.get(workspaceDir)).toBe(findRealPath(workspaceDir));
  expect(realPaths.get(join(root, 'home'))).toBe(findRealPath(join(root, 'home')));
  expect(realPaths.get(join(root, 'real/secrets'))).toBe(findRealPath(join(root, 'real/secrets')));
});

import { hash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Environment, resolveUserPath } from '@openbot/sessions/layout';
import type { BotConfig } from '../../config/bot-config.ts';
import type { SkillProblem, SkillSource } from './skill.ts';

/** A folder with one folder per skill. */
export interface SkillFolder {
  readonly path: string;
  readonly source: SkillSource;
}

/** Where skills of an agent may be, the folder that counts most first. */
export function listSkillFolders(of: {
  readonly workspaceDir: string;
  readonly stateDir: string;
  readonly config: BotConfig;
  /** Default: that of the context cleaner, which is installed with this program. */
  readonly bundledDir?: string;
  readonly env?: Environment;
}): readonly SkillFolder[] {
  const { workspaceDir, stateDir, config, bundledDir = findBundledDir(), env = process.env } = of;
  // Relative ones are relative to the folder of the configuration.
  const extra = (config.skills?.load?.extraDirs ?? []).map((path) =>
    path.startsWith('~') ? resolveUserPath(path, env) : resolve(stateDir, path),
  );
  return [
    { path: join(workspaceDir, 'skills'), source: 'workspace' },
    { path: join(stateDir, 'skills'), source: 'state' },
    ...extra.map((path): SkillFolder => ({ path, source: 'extra' })),
    ...(bundledDir === undefined ? [] : [{ path: bundledDir, source: 'bundled' as const }]),
  ];
}

let bundled: { readonly dir: string | undefined } | undefined;

function findBundledDir(): string | undefined {
  if (bundled !== undefined) return bundled.dir;
  let dir: string | undefined;
  for (let at = import.meta.dirname; dir === undefined; at = dirname(at)) {
    const skills = join(at, 'node_modules', 'oc-context-cleaner', 'skills');
    if (existsSync(skills)) dir = skills;
    if (at === dirname(at)) break;
  }
  bundled = { dir };
  return dir;
}

/** A SKILL.md on disk that was not read yet. */
export interface SkillFile {
  readonly path: string;
  /** Name of its folder. */
  readonly name: string;
  readonly root: SkillFolder;
  readonly size: number;
  /** Another one after every change. */
  readonly stamp: string;
}

export interface SkillScan {
  readonly files: readonly SkillFile[];
  readonly problems: readonly SkillProblem[];
  /** The same as long as no SKILL.md was added, removed or changed. */
  readonly signature: string;
}

const MAX_SKILLS_PER_FOLDER = 300;
const NAMES = ['SKILL.md', 'skill.md'];

/** Looks at names, sizes and times only, so that it can be done before every turn. */
export function scanSkillFolders(folders: readonly SkillFolder[]): SkillScan {
  const files: SkillFile[] = [];
  const problems: SkillProblem[] = [];
  for (const root of folders) {
    try {
      const names = listNames(root.path);
      if (names.length > MAX_SKILLS_PER_FOLDER) {
        const reason = `it has ${names.length} folders; only the first ${MAX_SKILLS_PER_FOLDER} are looked at`;
        problems.push({ path: root.path, reason });
      }
      for (const name of names.slice(0, MAX_SKILLS_PER_FOLDER)) lookInto(root, name, files, problems);
    } catch (error) {
      problems.push({ path: root.path, reason: (error as Error).message });
    }
  }
  const seen = [
    ...files.map(({ root, path, stamp }) => `${root.source} ${path} ${stamp}`),
    ...problems.map(({ path, reason }) => `${path} ${reason}`),
  ];
  return { files, problems, signature: hash('sha1', seen.join('\n')) };
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((item) => item.isDirectory() || item.isSymbolicLink())
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('.') && name !== 'node_modules')
      .sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

function lookInto(root: SkillFolder, name: string, files: SkillFile[], problems: SkillProblem[]): void {
  for (const path of NAMES.map((file) => join(root.path, name, file))) {
    try {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) continue;
      if (!stat.isFile()) {
        problems.push({ path, reason: 'it is not a file' });
        return;
      }
      const { size, mtimeMs, ctimeMs, ino } = stat;
      files.push({ path, name, root, size, stamp: `${size}:${mtimeMs}:${ctimeMs}:${ino}` });
      return;
    } catch (error) {
      problems.push({ path, reason: (error as Error).message });
      return;
    }
  }
}

import { readFileSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { SkillFile, SkillScan } from './scan-folders.ts';
import { parseSkill, type Skill, type SkillProblem } from './skill.ts';

const MAX_SKILL_BYTES = 256 * 1024;

interface ReadSkill {
  readonly stamp: string;
  readonly skill?: Skill;
  readonly problem?: SkillProblem;
}

/** What was read of each SKILL.md, so that a change of one does not read all of them again. */
const readBefore = new Map<string, ReadSkill>();
const MAX_REMEMBERED = 2000;

export interface LoadedSkills {
  /** The one of each name that counts, in the order of their names. */
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** A broken SKILL.md is among the problems, and does not keep the others from being used. */
export async function loadSkills(scan: SkillScan): Promise<LoadedSkills> {
  const byName = new Map<string, Skill>();
  const problems = [...scan.problems];
  for (const file of scan.files) {
    const { skill, problem } = await readSkill(file);
    if (problem !== undefined) problems.push(problem);
    if (skill === undefined) continue;
    const name = skill.name.toLowerCase();
    const first = byName.get(name);
    if (first === undefined) byName.set(name, skill);
    else if (first.source === skill.source) {
      problems.push({ path: file.path, reason: `${first.file} has the same name, ${skill.name}` });
    }
  }
  const skills = [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, skill]) => skill);
  return { skills, problems };
}

async function readSkill(file: SkillFile): Promise<ReadSkill> {
  const key = `${file.root.source} ${file.path}`;
  const known = readBefore.get(key);
  if (known?.stamp === file.stamp) return known;
  const read = { stamp: file.stamp, ...(await tryRead(file)) };
  if (readBefore.size >= MAX_REMEMBERED) readBefore.clear();
  readBefore.set(key, read);
  return read;
}

async function tryRead({ path, name, root, size }: SkillFile): Promise<Omit<ReadSkill, 'stamp'>> {
  try {
    if (size > MAX_SKILL_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_SKILL_BYTES}`);
    // Small files, once: a thread for each would take many times as long.
    const real = realpathSync.native(path);
    if (!real.startsWith(realpathSync.native(root.path) + sep)) {
      throw new Error(`it is a link out of ${root.path}`);
    }
    const text = readFileSync(real, 'utf8');
    const { skill, problem } = await parseSkill(text, { file: path, folderName: name, source: root.source });
    return { skill, ...(problem !== undefined && { problem: { path, reason: problem } }) };
  } catch (error) {
    return { problem: { path, reason: (error as Error).message } };
  }
}

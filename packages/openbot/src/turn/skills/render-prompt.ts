import { relative } from 'node:path';
import { cutText, type Skill } from './skill.ts';

/** The list is part of every request to the model and of every entry in the store. */
const MAX_PROMPT_CHARS = 16_000;
const SHORT_DESCRIPTION_CHARS = 160;

export const SKILLS_INTRODUCTION =
  'Skills are instructions for special tasks. When a task fits the description of a skill, read its file before you start and follow it. Paths in that file are relative to its folder.';

/** What the system prompt says of the skills; empty without any. Files in the workspace are named relative to it. */
export function renderSkillsPrompt(skills: readonly Skill[], workspaceDir: string): string {
  if (skills.length === 0) return '';
  const full = skills.map((skill) => describe(skill, workspaceDir));
  if (lengthOf(full) <= MAX_PROMPT_CHARS) return join(full);
  const short = skills.map((skill) =>
    describe({ ...skill, description: cutText(skill.description, SHORT_DESCRIPTION_CHARS) }, workspaceDir),
  );
  const kept = [...short];
  while (lengthOf(kept) > MAX_PROMPT_CHARS) kept.pop();
  const left = short.length - kept.length;
  return join(left === 0 ? kept : [...kept, `${left} more skills did not fit here.`]);
}

function describe({ name, description, file, source }: Skill, workspaceDir: string): string {
  const path = source === 'workspace' ? relative(workspaceDir, file) : file;
  return `<skill name="${escapeText(name)}" file="${escapeText(path)}">${escapeText(description)}</skill>`;
}

const join = (lines: readonly string[]) =>
  [SKILLS_INTRODUCTION, '<skills>', ...lines, '</skills>'].join('\n');
const lengthOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);

/** A description must not end its own element or begin another one. */
function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The lines of the skills in such a text, by name. */
export function listSkillLines(prompt: string): ReadonlyMap<string, string> {
  return new Map(
    [...prompt.matchAll(/^<skill name="([^"]*)".*$/gm)].map(([line, name]) => [
      name!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
      line,
    ]),
  );
}

/** How many characters each skill takes, for the report about the prompt. */
export function measureSkills(prompt: string): { name: string; blockChars: number }[] {
  return [...listSkillLines(prompt)].map(([name, line]) => ({ name, blockChars: line.length }));
}

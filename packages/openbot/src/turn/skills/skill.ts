import { parseFrontmatter } from './parse-frontmatter.ts';
import { readRequirements, type SkillRequirements } from './requirements.ts';

/** Where a skill was found. Of two with one name, the one from the earlier place counts. */
export const SKILL_SOURCES = ['workspace', 'state', 'extra', 'bundled'] as const;
export type SkillSource = (typeof SKILL_SOURCES)[number];

/** A SKILL.md that was read. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Absolute path of its SKILL.md. */
  readonly file: string;
  readonly source: SkillSource;
  /** False for a skill that only people call. */
  readonly isForModel: boolean;
  readonly requires: SkillRequirements;
  /** The variable that holds its key, for people who set it up. */
  readonly primaryEnv?: string;
}

/** Something about a skill that its author should know. A skill that cannot be used is skipped. */
export interface SkillProblem {
  readonly path: string;
  readonly reason: string;
}

const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 1024;

/** Reads a SKILL.md in Anthropic's or OpenClaw's form. Throws an error whose message is the reason. */
export async function parseSkill(
  text: string,
  from: { readonly file: string; readonly folderName: string; readonly source: SkillSource },
): Promise<{ readonly skill: Skill; readonly problem?: string }> {
  const fields = await parseFrontmatter(text);
  const name = readText(fields.name) ?? from.folderName;
  const full = readText(fields.description);
  if (name.length > MAX_NAME_CHARS) {
    throw new Error(`its name has ${name.length} characters, more than ${MAX_NAME_CHARS}`);
  }
  if (full === undefined) throw new Error('it has no description, so the agent cannot know when to use it');
  const metadata = readMetadata(fields.metadata);
  const primaryEnv = readText(metadata.primaryEnv);
  const skill: Skill = {
    name,
    description: cutText(full, MAX_DESCRIPTION_CHARS),
    file: from.file,
    source: from.source,
    isForModel: fields['disable-model-invocation'] !== true,
    requires: readRequirements(metadata),
    ...(primaryEnv !== undefined && { primaryEnv }),
  };
  if (full.length <= MAX_DESCRIPTION_CHARS) return { skill };
  const problem = `its description has ${full.length} characters; only the first ${MAX_DESCRIPTION_CHARS} are used`;
  return { skill, problem };
}

/** OpenClaw's part of the metadata, under its present or an older name; JSON text is read too. */
function readMetadata(value: unknown): Readonly<Record<string, unknown>> {
  let metadata = value;
  if (typeof value === 'string') {
    try {
      metadata = JSON.parse(value);
    } catch {
      throw new Error('its metadata is neither YAML nor JSON');
    }
  }
  if (!isObject(metadata)) return {};
  for (const name of ['openclaw', 'clawdbot', 'clawdis']) {
    const part = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    if (isObject(part)) return part;
  }
  return {};
}

/** One line without control characters; undefined for what is no text. */
function readText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return text === '' ? undefined : text;
}

/** The first characters of a text, with a mark in place of the rest. No surrogate pair is split. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

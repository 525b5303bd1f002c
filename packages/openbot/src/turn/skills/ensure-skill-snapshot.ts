import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SessionSkillSnapshot, StoredEntry } from '@openbot/sessions';
import type { BotConfig } from '../../config/bot-config.ts';
import { type LoadedSkills, loadSkills } from './load-skills.ts';
import { renderSkillsPrompt } from './render-prompt.ts';
import { type Machine, meetsRequirements } from './requirements.ts';
import { listSkillFolders, type SkillScan, scanSkillFolders } from './scan-folders.ts';
import type { Skill, SkillProblem } from './skill.ts';
import type { SkillWatch } from './watch-skills.ts';

export interface SkillSnapshotRequest {
  readonly sessionEntry?: Pick<StoredEntry, 'skillsSnapshot'>;
  /** Programs and variables that skills need are looked for again. */
  readonly isFirstTurnInSession: boolean;
  readonly workspaceDir: string;
  readonly stateDir: string;
  readonly config: BotConfig;
  /** Names; all when absent. */
  readonly skillFilter?: readonly string[];
  /** Of a process that runs many turns. Without it the folders are looked at every time. */
  readonly watch?: SkillWatch;
  readonly bundledDir?: string;
  readonly env?: Machine['env'];
  readonly platform?: NodeJS.Platform;
  /** ms */
  readonly now?: number;
}

export interface SkillSnapshotResult {
  /** For the entry, where it costs nothing extra when the entry is written anyway. */
  readonly skillsSnapshot: SessionSkillSnapshot;
  /** Whether the model reads other skills than before. */
  readonly changed: boolean;
  /** Of skills that this process has just read; not repeated until they change. */
  readonly problems: readonly SkillProblem[];
}

/**
 * The skills of a session: those that it had, unless this is its first turn or a SKILL.md changed since. Never fails
 * because of a skill.
 */
export async function ensureSkillSnapshot(request: SkillSnapshotRequest): Promise<SkillSnapshotResult> {
  const { isFirstTurnInSession, config, skillFilter, watch } = request;
  const folders = listSkillFolders(request);
  const scan = (watch?.scan ?? scanSkillFolders)(folders);
  const platform = request.platform ?? process.platform;
  const settings = JSON.stringify([skillFilter, config.skills?.allowBundled, request.workspaceDir, platform]);
  const signature = hash('sha1', scan.signature + settings);
  const stored = request.sessionEntry?.skillsSnapshot;
  if (!isFirstTurnInSession && stored?.signature === signature && typeof stored.prompt === 'string') {
    return { skillsSnapshot: stored, changed: false, problems: [] };
  }

  const { loaded, problems } = await loadOnce(scan);
  const machine = { platform, env: request.env ?? process.env, config };
  const chosen = loaded.skills.filter((skill) => isWanted(skill, request, machine));
  const content = renderOnce(signature, chosen, request);
  if (
    stored !== undefined &&
    stored.prompt === content.prompt &&
    isDeepStrictEqual(stored.skills, content.skills)
  ) {
    return { skillsSnapshot: { ...stored, signature }, changed: false, problems };
  }
  const version = Math.max(content.version, (stored?.version ?? 0) + 1);
  const { prompt, skills } = content;
  return { skillsSnapshot: { prompt, skills, version, signature }, changed: true, problems };
}

function isWanted(skill: Skill, { skillFilter, config }: SkillSnapshotRequest, machine: Machine): boolean {
  const { allowBundled } = config.skills ?? {};
  const isNamed = (names: readonly string[]) =>
    names.some((name) => name.trim().toLowerCase() === skill.name.toLowerCase());
  if (skillFilter !== undefined && !isNamed(skillFilter)) return false;
  if (skill.source === 'bundled' && allowBundled !== undefined && !isNamed(allowBundled)) return false;
  return meetsRequirements(skill.requires, machine);
}

/** Agents with workspaces of their own take turns in one process. */
const MAX_REMEMBERED = 50;
const loadedBySignature = new Map<string, LoadedSkills>();

async function loadOnce(
  scan: SkillScan,
): Promise<{ readonly loaded: LoadedSkills; readonly problems: readonly SkillProblem[] }> {
  const known = loadedBySignature.get(scan.signature);
  if (known !== undefined) return { loaded: known, problems: [] };
  const loaded = await loadSkills(scan);
  remember(loadedBySignature, scan.signature, loaded);
  return { loaded, problems: loaded.problems };
}

interface Content {
  readonly prompt: string;
  readonly skills: SessionSkillSnapshot['skills'];
  readonly version: number;
}
const rendered = new Map<string, Content>();
let lastVersion = 0;

function renderOnce(signature: string, skills: readonly Skill[], request: SkillSnapshotRequest): Content {
  const key = JSON.stringify([signature, skills.map(({ name }) => name)]);
  const known = rendered.get(key);
  if (known !== undefined) return known;
  // As OpenClaw's: the time, so that it also grows from one process to the next.
  lastVersion = Math.max(request.now ?? Date.now(), lastVersion + 1);
  const content: Content = {
    prompt: renderSkillsPrompt(
      skills.filter(({ isForModel }) => isForModel),
      request.workspaceDir,
    ),
    skills: skills.map(({ name, primaryEnv, requires }) => ({
      name,
      ...(primaryEnv !== undefined && { primaryEnv }),
      ...(requires.env.length > 0 && { requiredEnv: [...requires.env] }),
    })),
    version: lastVersion,
  };
  remember(rendered, key, content);
  return content;
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= MAX_REMEMBERED) map.delete(map.keys().next().value!);
  map.set(key, value);
}

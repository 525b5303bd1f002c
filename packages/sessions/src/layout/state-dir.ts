import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { OpenBotError } from '../errors.ts';
import { resolveAgentFolderName } from './safe-id.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where one program looks for its state folder, beside an explicit flag and its configuration. */
export interface StateDirConvention {
  /** Variables in order of preference. */
  envNames: readonly string[];
  /** The first that exists wins; when none does, the first. */
  defaultFolders: readonly [string, ...string[]];
  /** Whether `OPENCLAW_HOME` and `OPENCLAW_PROFILE` move the default folders. */
  followsOpenclaw?: boolean;
}

export const OPENBOT_STATE: StateDirConvention = {
  envNames: ['OPENBOT_STATE_DIR'],
  defaultFolders: ['~/.openbot'],
};

/** For programs that work on an OpenClaw that is already there. */
export const OPENCLAW_STATE: StateDirConvention = {
  envNames: ['OPENCLAW_STATE_DIR', 'CLAWDBOT_STATE_DIR'],
  defaultFolders: ['~/.openclaw', '~/.clawdbot', '~/.openbot'],
  followsOpenclaw: true,
};

interface StateDirSources {
  flag?: string;
  configured?: string;
  env?: Environment;
  convention?: StateDirConvention;
}

/** Flag, then environment, then configuration, then the program's default folder. Always absolute. */
export function resolveStateDir(sources: StateDirSources = {}): string {
  const env = sources.env ?? process.env;
  const convention = sources.convention ?? OPENBOT_STATE;
  if (isGiven(sources.flag)) return resolveUserPath(sources.flag, env);
  const home = convention.followsOpenclaw ? { ...env, HOME: resolveOpenclawHome(env) } : env;
  const named = convention.envNames.map((name) => env[name]).find(isGiven);
  if (named !== undefined) return resolveUserPath(named, home);
  if (isGiven(sources.configured)) return resolveUserPath(sources.configured, env);
  const folders = convention.defaultFolders.map((folder) => resolveUserPath(folder, home));
  const profile = convention.followsOpenclaw ? profileFolderOf(folders[0]!, env) : undefined;
  if (profile !== undefined && isFolder(profile)) return profile;
  return (folders.length === 1 ? undefined : folders.find(isFolder)) ?? folders[0]!;
}

/** The folder of a profile. OpenClaw's flag makes it; `default` is none. */
function profileFolderOf(folder: string, { OPENCLAW_PROFILE: name = '' }: Environment): string | undefined {
  const isName = /^[a-z0-9][a-z0-9_-]{0,63}$/i.test(name.trim()) && name.trim().toLowerCase() !== 'default';
  return isName ? `${folder}-${name.trim()}` : undefined;
}

/** The home folder that OpenClaw goes by: `OPENCLAW_HOME`, else the user's own. */
export function resolveOpenclawHome(env: Environment = process.env): string {
  const named = env.OPENCLAW_HOME?.trim();
  if (!named || named === 'undefined' || named === 'null') return resolveHomeDir(env);
  return resolveUserPath(named, env);
}

/** An absolute path from what a person wrote: `~` and `~/x` are the home folder, anything relative is from here. */
export function resolveUserPath(path: string, env: Environment = process.env): string {
  const trimmed = path.trim();
  if (trimmed === '' || trimmed.includes('\0')) {
    throw new OpenBotError('INVALID_ARGUMENT', `${JSON.stringify(path)} is not a path`);
  }
  if (!/^~(?=$|[/\\])/.test(trimmed)) return resolve(trimmed);
  return resolve(join(resolveHomeDir(env), trimmed.slice(1)));
}

export function resolveHomeDir(env: Environment = process.env): string {
  const home = [env.HOME, env.USERPROFILE].find(isGiven) ?? homedir();
  if (!isAbsolute(home)) {
    throw new OpenBotError('INVALID_ARGUMENT', 'The home folder of this user is unknown', {
      hint: 'Set HOME to an absolute path, or name the state folder explicitly.',
    });
  }
  return home;
}

function isGiven(value: string | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

export const AGENT_ID_ENV_NAMES = ['CLAWDBOT_AGENT_ID', 'OPENCLAW_AGENT_ID'] as const;

interface AgentIdSources {
  flag?: string;
  configured?: string;
  env?: Environment;
}

/** Flag, then environment, then configuration, then `main`; normalised as a folder name. */
export function resolveAgentId(sources: AgentIdSources = {}): string {
  const env = sources.env ?? process.env;
  const given = [sources.flag, ...AGENT_ID_ENV_NAMES.map((name) => env[name]), sources.configured];
  return resolveAgentFolderName(given.find((value) => value !== undefined && value.trim() !== ''));
}

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a machine must have for a skill to be of use, in OpenClaw's words. */
export interface SkillRequirements {
  /** Needs none of the others. */
  readonly always: boolean;
  readonly os: readonly string[];
  readonly bins: readonly string[];
  /** One of them. */
  readonly anyBins: readonly string[];
  readonly env: readonly string[];
  /** Settings that must be on, as `channels.discord.token`. */
  readonly config: readonly string[];
}

export function readRequirements(metadata: Readonly<Record<string, unknown>>): SkillRequirements {
  const requires = (metadata.requires ?? {}) as Readonly<Record<string, unknown>>;
  return {
    always: metadata.always === true,
    os: readNames(metadata.os),
    bins: readNames(requires.bins),
    anyBins: readNames(requires.anyBins),
    env: readNames(requires.env),
    config: readNames(requires.config),
  };
}

function readNames(value: unknown): readonly string[] {
  const list = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return list.flatMap((name) => (typeof name === 'string' && name.trim() !== '' ? [name.trim()] : []));
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: unknown;
}

export function meetsRequirements(requires: SkillRequirements, machine: Machine): boolean {
  const { env, config } = machine;
  // Another system is no place for a skill, whatever it says of the rest.
  if (requires.os.length > 0 && !requires.os.some((name) => isPlatform(name, machine.platform))) return false;
  if (requires.always) return true;
  return (
    requires.env.every((name) => Boolean(env[name])) &&
    requires.config.every((path) => Boolean(readSetting(config, path))) &&
    requires.bins.every((name) => hasBin(name, machine)) &&
    (requires.anyBins.length === 0 || requires.anyBins.some((name) => hasBin(name, machine)))
  );
}

const SYSTEM_NAMES: Readonly<Record<string, string>> = { macos: 'darwin', mac: 'darwin', windows: 'win32' };

function isPlatform(name: string, platform: string): boolean {
  const lower = name.toLowerCase();
  return (SYSTEM_NAMES[lower] ?? lower) === platform;
}

function readSetting(config: unknown, path: string): unknown {
  let value = config;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** A program that was installed is found this long afterwards. */
const BIN_KNOWN_MS = 30_000;
const knownBins = new Map<string, { readonly found: boolean; readonly until: number }>();

function hasBin(name: string, { platform, env }: Machine): boolean {
  if (/[/\\]/.test(name)) return false;
  const path = env.PATH ?? env.Path ?? '';
  const key = `${name}\0${path}`;
  const known = knownBins.get(key);
  const now = performance.now();
  if (known !== undefined && now < known.until) return known.found;
  const endings = platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  const found = path
    .split(delimiter)
    .some((folder) => folder !== '' && endings.some((ending) => isProgram(join(folder, name + ending))));
  if (knownBins.size >= 1000) knownBins.clear();
  knownBins.set(key, { found, until: now + BIN_KNOWN_MS });
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

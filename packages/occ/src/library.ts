import { resolve } from 'node:path';
import { resolveToolRemovalOptions } from './clean/presets.ts';
import type { ToolRemovalOptions } from './clean/tool-removal.ts';
import { loadSettings, type Settings } from './config/settings.ts';
import { openScope, withWarnings } from './finding/search-warning.ts';
import { executeClone as clone } from './operations/execute-clone.ts';
import { executeEdit as edit } from './operations/execute-edit.ts';
import { executeRestore as restore } from './operations/execute-restore.ts';
import type { CloneResult, EditResult, RestoreResult } from './operations/results.ts';
import type { SearchScope, SourceChoice } from './storage/contract/found-session.ts';

/** Where to look for sessions. What is left out comes from the environment and the configuration, as for the command. */
export interface SearchOptions {
  readonly stateDir?: string;
  readonly agentId?: string;
  readonly source?: SourceChoice;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface EditOptions extends SearchOptions {
  /** Id, beginning of one, session key, label or path; the current session when left out. */
  readonly sessionId?: string;
  /** The configured default preset when left out. */
  readonly toolRemoval?: ToolRemovalOptions;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly waitMs?: number;
  readonly whenIdle?: boolean;
  /** Keeps the first state when its backup is rotated out; the setting when left out. */
  readonly keepOriginal?: boolean;
}

export interface CloneOptions extends SearchOptions {
  readonly sourceSessionId?: string;
  readonly outputPath?: string;
  /** Nothing is removed when left out. */
  readonly toolRemoval?: ToolRemovalOptions;
  readonly noRegister?: boolean;
  readonly dryRun?: boolean;
  /** Also clones into a database of a version that is not known. */
  readonly force?: boolean;
}

export interface RestoreOptions extends SearchOptions {
  readonly sessionId?: string;
  /** The number of a backup; the newest when left out. */
  readonly backup?: number;
  /** The first state that is kept, in the place of a backup. */
  readonly original?: boolean;
  /** Keeps the first state when its backup is rotated out; the setting when left out. */
  readonly keepOriginal?: boolean;
  readonly force?: boolean;
  readonly waitMs?: number;
}

/** Cleans a session in place, after a backup. Where it fails, the session is as it was. */
export async function executeEdit(options: EditOptions = {}): Promise<EditResult> {
  const { scope, settings, warnings } = await open(options);
  const { result } = await edit({
    ...options,
    scope,
    toolRemoval: removalOf(options.toolRemoval ?? {}, settings),
    keepOriginal: options.keepOriginal ?? settings.keepOriginal,
  });
  return withWarnings(result, warnings);
}

/** Copies a session under a new id; cleaned where `toolRemoval` says so. */
export async function executeClone(options: CloneOptions = {}): Promise<CloneResult> {
  const { scope, settings, warnings } = await open(options);
  const { toolRemoval, outputPath } = options;
  const { result } = await clone({
    scope,
    sessionId: options.sourceSessionId,
    toolRemoval: toolRemoval === undefined ? undefined : removalOf(toolRemoval, settings),
    outputPath: outputPath === undefined ? undefined : resolve(scope.cwd, outputPath),
    noRegister: options.noRegister,
    dryRun: options.dryRun,
    force: options.force,
  });
  return withWarnings(result, warnings);
}

/** Puts back the state before an edit; what was said since follows it. */
export async function executeRestore(options: RestoreOptions = {}): Promise<RestoreResult> {
  const { scope, settings, warnings } = await open(options);
  const keepOriginal = options.keepOriginal ?? settings.keepOriginal;
  const { result } = await restore({ ...options, scope, keepOriginal });
  return withWarnings(result, warnings);
}

async function open(options: SearchOptions): Promise<ReturnType<typeof openScope> & { settings: Settings }> {
  const { env = process.env, cwd = process.cwd() } = options;
  const settings = await loadSettings({ env, cwd });
  const scope: SearchScope = {
    env,
    cwd,
    stateDirFlag: options.stateDir,
    stateDirConfigured: settings.stateDirectory,
    agentFlag: options.agentId,
    agentConfigured: settings.defaultAgentId,
    source: options.source,
  };
  return { ...openScope(scope), settings };
}

function removalOf(toolRemoval: ToolRemovalOptions, { defaultPreset, customPresets }: Settings) {
  return resolveToolRemovalOptions(
    { ...toolRemoval, preset: toolRemoval.preset ?? defaultPreset },
    customPresets,
  );
}

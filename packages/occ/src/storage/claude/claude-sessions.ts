import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { claudeProjectSlug, resolveHomeDir } from '@openbot/sessions/layout';
import { expandPath } from '../../layout/look-at-disk.ts';
import { isGiven } from '../../layout/state-folder.ts';
import type { SearchScope } from '../contract/found-session.ts';
import type { LocatedSession } from '../contract/located-session.ts';
import { listSubfolders, locateInFolder, type TranscriptNames } from '../files/file-session.ts';

const TRANSCRIPT = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i;

/** Where Claude Code keeps a folder of transcripts for each working folder. */
export function resolveProjectsFolder(scope: SearchScope): string {
  const configured = scope.env.CLAUDE_CONFIG_DIR;
  const folder = isGiven(configured)
    ? expandPath(configured, scope)
    : join(resolveHomeDir(scope.env), '.claude');
  return join(folder, 'projects');
}

export function isClaudeFileName(name: string): boolean {
  return TRANSCRIPT.test(name);
}

/** The folder of the sessions that were started in the working folder. */
export function resolveProjectFolder(scope: SearchScope): string {
  return join(resolveProjectsFolder(scope), claudeProjectSlug(realPathOf(scope.cwd)));
}

/** Different folders can share the folder of their sessions; where a session says its own, that counts. */
export function isOfWorkingFolder({ cwd }: { readonly cwd: string | null }, scope: SearchScope): boolean {
  return cwd === null || realPathOf(cwd) === realPathOf(scope.cwd);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function listProjectFolders(scope: SearchScope): string[] {
  return listSubfolders(resolveProjectsFolder(scope));
}

/** Files in deeper folders (subagents, outputs of tools) and files with other names are not sessions. */
export function locateClaudeSessions(scope: SearchScope): LocatedSession[] {
  return listProjectFolders(scope).flatMap((folder) => locateInFolder('claude', folder, NAMES));
}

const NAMES: TranscriptNames = { pattern: TRANSCRIPT, idOf: (name) => TRANSCRIPT.exec(name)?.[1] };

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { claudeProjectSlug, resolveHomeDir } from '@openbot/sessions/layout';
import { expandPath, readFolderNames, readNames, statFile } from '../../layout/look-at-disk.ts';
import { isGiven } from '../../layout/state-folder.ts';
import type { SearchScope } from '../contract/found-session.ts';
import { type LocatedSession, NO_ENTRIES } from '../contract/located-session.ts';

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

/** What lies deeper (subagents, outputs of tools) and what has another name is no session. */
export function locateClaudeSessions(scope: SearchScope): LocatedSession[] {
  const projects = resolveProjectsFolder(scope);
  return readFolderNames(projects).flatMap((name) => locateInProject(join(projects, name)));
}

function locateInProject(folder: string): LocatedSession[] {
  const found: LocatedSession[] = [];
  for (const name of readNames(folder)) {
    const sessionId = TRANSCRIPT.exec(name)?.[1];
    if (sessionId === undefined) continue;
    const path = join(folder, name);
    const stats = statFile(path);
    if (stats === undefined) continue;
    found.push({
      source: 'claude',
      agentId: null,
      sessionId,
      stem: sessionId,
      path,
      updatedAt: stats.mtimeMs,
      sizeBytes: stats.size,
      missing: false,
      entries: NO_ENTRIES,
    });
  }
  return found;
}

import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Only such a file is a session: not what an edit set aside, nor what lies deeper (subagents, outputs, memory). */
const SESSION_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i;

export interface SessionFolder {
  /** With links resolved. */
  readonly path: string;
  readonly sessionIds: readonly string[];
}

/** The folders of Claude Code's that `isWanted` by their names, with the sessions in them. */
export function listSessionFolders(projects: string, isWanted: (slug: string) => boolean): SessionFolder[] {
  const folders = new Map<string, SessionFolder>();
  for (const name of readNames(projects)) {
    if (!isWanted(name)) continue;
    const sessionIds = readNames(join(projects, name)).flatMap((file) => SESSION_FILE.exec(file)?.[1] ?? []);
    if (sessionIds.length === 0) continue;
    const path = realpathSync.native(join(projects, name));
    folders.set(path, { path, sessionIds });
  }
  return [...folders.values()];
}

/** None of what is no folder, or gone. */
function readNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

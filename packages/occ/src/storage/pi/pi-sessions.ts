import { join } from 'node:path';
import { readSmallFile, resolveHomeDir } from '@openbot/sessions/layout';
import { expandPath, readFolderNames, readNames, statFile } from '../../layout/look-at-disk.ts';
import { isGiven } from '../../layout/state-folder.ts';
import type { SearchScope } from '../contract/found-session.ts';
import { type LocatedSession, NO_ENTRIES } from '../contract/located-session.ts';
import { readTranscriptHead } from '../files/transcript-head.ts';

/** `<time>_<id>.jsonl` */
const OWN_NAME = /^\d{4}-\d\d-\d\dT[\d-]+Z_(.+)\.jsonl$/;

export function isPiFileName(name: string): boolean {
  return OWN_NAME.test(name);
}

/** Where pi keeps its sessions: in a folder for each working folder, or all in one that a person chose. */
export interface PiFolder {
  readonly folder: string;
  readonly isFlat: boolean;
}

/** By pi's own rules: PI_CODING_AGENT_SESSION_DIR, `sessionDir` of its settings, else below PI_CODING_AGENT_DIR. */
export function resolvePiFolder(scope: SearchScope): PiFolder {
  const { env } = scope;
  const agentFolder = isGiven(env.PI_CODING_AGENT_DIR)
    ? expandPath(env.PI_CODING_AGENT_DIR, scope)
    : join(resolveHomeDir(env), '.pi', 'agent');
  const chosen = isGiven(env.PI_CODING_AGENT_SESSION_DIR)
    ? env.PI_CODING_AGENT_SESSION_DIR
    : readSessionDirSetting(join(agentFolder, 'settings.json'));
  return chosen === undefined
    ? { folder: join(agentFolder, 'sessions'), isFlat: false }
    : { folder: expandPath(chosen, scope), isFlat: true };
}

export function locatePiSessions(scope: SearchScope): LocatedSession[] {
  const { folder, isFlat } = resolvePiFolder(scope);
  const folders = isFlat ? [folder] : readFolderNames(folder).map((name) => join(folder, name));
  return folders.flatMap(locateInFolder);
}

function locateInFolder(folder: string): LocatedSession[] {
  const found: LocatedSession[] = [];
  for (const name of readNames(folder)) {
    if (!name.endsWith('.jsonl')) continue;
    const path = join(folder, name);
    const stats = statFile(path);
    // pi itself goes by the header; the name says the same and costs no look into the file.
    const sessionId =
      stats === undefined ? undefined : (OWN_NAME.exec(name)?.[1] ?? readTranscriptHead(path)?.sessionId);
    if (stats === undefined || sessionId === undefined) continue;
    found.push({
      source: 'pi',
      agentId: null,
      sessionId,
      stem: name.slice(0, -'.jsonl'.length),
      path,
      updatedAt: stats.mtimeMs,
      sizeBytes: stats.size,
      missing: false,
      entries: NO_ENTRIES,
    });
  }
  return found;
}

function readSessionDirSetting(path: string): string | undefined {
  try {
    const { sessionDir } = JSON.parse(readSmallFile(path)) as { sessionDir?: unknown };
    return typeof sessionDir === 'string' && isGiven(sessionDir) ? sessionDir : undefined;
  } catch {
    // Settings that pi cannot read either count as none.
    return undefined;
  }
}

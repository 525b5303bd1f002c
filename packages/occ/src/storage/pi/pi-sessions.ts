import { join } from 'node:path';
import { readSmallFile, resolveHomeDir } from '@openbot/sessions/layout';
import { expandPath } from '../../layout/look-at-disk.ts';
import { isGiven } from '../../layout/state-folder.ts';
import type { SearchScope } from '../contract/found-session.ts';
import type { LocatedSession } from '../contract/located-session.ts';
import { listSubfolders, locateInFolder, type TranscriptNames } from '../files/file-session.ts';
import { readTranscriptHead } from '../files/transcript-head.ts';

/** `<time>_<id>.jsonl` */
const OWN_NAME = /^\d{4}-\d\d-\d\dT[\d-]+Z_(.+)\.jsonl$/;

export function isPiFileName(name: string): boolean {
  return OWN_NAME.test(name);
}

/** Where pi keeps its sessions: in one folder for each working folder, or all in one that the user chose. */
interface PiFolder {
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

export function listPiFolders(scope: SearchScope): string[] {
  const { folder, isFlat } = resolvePiFolder(scope);
  return isFlat ? [folder] : listSubfolders(folder);
}

export function locatePiSessions(scope: SearchScope): LocatedSession[] {
  return listPiFolders(scope).flatMap((folder) => locateInFolder('pi', folder, NAMES));
}

const NAMES: TranscriptNames = {
  pattern: /\.jsonl$/,
  // pi reads the id from the header. The name of the file usually holds the same, and the file need not be opened.
  idOf: (name, path) => OWN_NAME.exec(name)?.[1] ?? readTranscriptHead(path)?.sessionId,
};

function readSessionDirSetting(path: string): string | undefined {
  try {
    const { sessionDir } = JSON.parse(readSmallFile(path)) as { sessionDir?: unknown };
    return typeof sessionDir === 'string' && isGiven(sessionDir) ? sessionDir : undefined;
  } catch {
    // pi cannot read such settings either.
    return undefined;
  }
}

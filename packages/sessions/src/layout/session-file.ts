import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep, win32 } from 'node:path';
import { OpenBotError } from '../errors.ts';
import { classifySessionFileName, isTranscriptFileName } from './file-name.ts';
import { type LayoutOptions, resolveSessionTranscriptsDirForAgent } from './paths.ts';
import { assertSessionId, transcriptFileName } from './safe-id.ts';

interface SessionFileOptions extends LayoutOptions {
  agentId?: string;
  /** The folder that the result must lie in. Without it, the folder of `agentId`. */
  sessionsDir?: string;
  topicId?: string | number;
}

/**
 * The transcript of an entry, always directly in the agent's sessions folder. A recorded path elsewhere (a home folder
 * that moved, a copied store) leads to the file of the same name here if there is one; if the conversation lies only
 * there, the path is refused, because starting an empty file here would hide it.
 */
export function resolveSessionFilePath(
  sessionId: string,
  entry?: { readonly sessionFile?: string } | null,
  options: SessionFileOptions = {},
): string {
  const folder = resolve(
    options.sessionsDir ?? resolveSessionTranscriptsDirForAgent(options.agentId, options),
  );
  const ownName = transcriptFileName(sessionId, options.topicId);
  const recorded = entry?.sessionFile;
  if (typeof recorded !== 'string' || recorded.trim() === '') return join(folder, ownName);
  if (recorded.includes('\0')) throw refuse(recorded, folder);

  const foreignStyle = sep === '/' && win32.isAbsolute(recorded) && !isAbsolute(recorded);
  const target = resolve(folder, recorded);
  // Not below it either: a folder in between may be a link that leads out.
  if (!foreignStyle && dirname(target) === folder) {
    if (!isTranscriptFileName(baseName(target))) throw refuse(recorded, folder);
    return target;
  }

  const name = baseName(recorded);
  if (!(isAbsolute(recorded) || foreignStyle) || !isTranscriptFileName(name)) throw refuse(recorded, folder);
  const here = join(folder, name);
  if (existsSync(here) || (!foreignStyle && isSameFolder(dirname(target), folder))) return here;
  const belongs = classifySessionFileName(name);
  const isOwn = 'sessionId' in belongs && belongs.sessionId === assertSessionId(sessionId);
  if (isOwn && !foreignStyle && !existsSync(target)) return here;
  throw refuse(recorded, folder);
}

/** The same folder under two names: through a link, as with `/tmp` and `/private/tmp`. */
function isSameFolder(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function refuse(recorded: string, folder: string): OpenBotError {
  return new OpenBotError(
    'PATH_ESCAPES_FOLDER',
    `sessionFile ${JSON.stringify(recorded)} is not a transcript in ${folder}`,
    { hint: 'If the file was moved, put it into that folder, or remove sessionFile from the entry.' },
  );
}

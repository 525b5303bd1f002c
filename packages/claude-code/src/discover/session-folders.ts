import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';

/** Only such a file is a session: not a backup, nor a file in a subfolder (subagents, outputs, memory). */
const SESSION_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i;

export interface SessionFolder {
  /** With links resolved. */
  readonly path: string;
  /** Its name among the project folders. */
  readonly slug: string;
  /** The sessions to read. */
  readonly sessionIds: readonly string[];
  /** All sessions in it. */
  readonly present: ReadonlySet<string>;
}

/**
 * The project folders that `isWanted` selects, with their sessions; and with single sessions those that contain another
 * copy of one of these, or one of the `known` sessions that is in none of them.
 * @param onProblem is called for a folder that exists and cannot be read; the others are listed
 */
export function listSessionFolders(
  projects: string,
  isWanted: (slug: string) => boolean,
  known: ReadonlyMap<string, unknown>,
  onProblem: (error: OpenBotError) => void,
): SessionFolder[] {
  const folders = new Map<string, SessionFolder>();
  const missing = new Set(known.keys());
  const found = new Set<string>();
  const names = attempt(() => readNames(projects), onProblem);
  const [wanted, others] = [names.filter(isWanted), names.filter((name) => !isWanted(name))];
  const add = (name: string, choose: (ids: readonly string[]) => readonly string[], tell = onProblem) => {
    const present = attempt(() => listSessionIds(join(projects, name)), tell);
    const sessionIds = choose(present);
    const path = sessionIds.length === 0 ? undefined : readRealPath(join(projects, name));
    if (path !== undefined) folders.set(path, { path, slug: name, sessionIds, present: new Set(present) });
    for (const id of sessionIds) {
      missing.delete(id);
      found.add(id);
    }
  };
  for (const name of wanted) add(name, (ids) => ids);
  for (const name of others) {
    if (missing.size === 0 && found.size === 0) break;
    // A search for copies misses nothing that is known already.
    const tell = missing.size === 0 ? () => {} : onProblem;
    add(name, (ids) => ids.filter((id) => missing.has(id) || found.has(id)), tell);
  }
  return [...folders.values()];
}

/** True for a folder that cannot be read. */
export function mayFolderHoldSessions(folder: string): boolean {
  try {
    return listSessionIds(folder).length > 0;
  } catch {
    return true;
  }
}

function listSessionIds(folder: string): string[] {
  return readNames(folder).flatMap((file) => SESSION_FILE.exec(file)?.[1] ?? []);
}

function readRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * Empty for a path that is no folder, or is gone.
 * @throws OpenBotError SESSION_FOLDER_UNREADABLE
 */
function readNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    // After the comma the system repeats the path.
    const [why] = message.split(', ');
    throw new OpenBotError(
      'SESSION_FOLDER_UNREADABLE',
      `Cannot read the Claude Code sessions in ${folder}: ${why}`,
      { hint: 'Check its permissions and what it links to.', cause },
    );
  }
}

function attempt(read: () => string[], onProblem: (error: OpenBotError) => void): string[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    onProblem(error);
    return [];
  }
}

import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { findRealPath } from '@openbot/sessions/layout';
import { isWithin } from '../repo/real-path.ts';

/** A note of the agent. */
export interface MemoryFile {
  /** As in answers: `memory/2026-11-15.md`. */
  readonly name: string;
  readonly text: string;
}

interface MemoryFiles {
  readonly files: readonly MemoryFile[];
  /** The names of all that are there, also of those that were not read. */
  readonly names: readonly string[];
  /** Number of files that were not read: too many, too large in total, or links that lead out of the folder. */
  readonly unread: number;
}

const FOLDER = 'memory';
const MAX_FILES = 1000;
const MAX_FILE_BYTES = 512 * 1024;
const MAX_TOTAL_BYTES = 8 * 1024 * 1024;
const LONGEST_WORD = 4096;

/**
 * The notes of a workspace, `memory/*.md`, newest names first; of a long note only the beginning.
 * @param only the name of a single note
 */
export async function readMemoryFiles(workspace: string, only?: string): Promise<MemoryFiles> {
  const wanted = only === undefined ? undefined : readNoteName(only);
  const folder = locateMemory(workspace);
  const names = (await listNotes(folder)).filter((name) => wanted === undefined || name === wanted);
  const files: MemoryFile[] = [];
  let room = MAX_TOTAL_BYTES;
  for (const name of names.slice(0, MAX_FILES)) {
    const text = room <= 0 ? undefined : await readNote(folder, name, Math.min(room, MAX_FILE_BYTES));
    if (text === undefined) continue;
    room -= Buffer.byteLength(text);
    files.push({ name: `${FOLDER}/${name}`, text });
  }
  if (only !== undefined && files.length === 0) throw noSuchNote(only);
  return { files, names: names.map((name) => `${FOLDER}/${name}`), unread: names.length - files.length };
}

/** The real folder, which may not exist. A link must not lead out of the workspace. */
function locateMemory(workspace: string): string {
  const root = findRealPath(workspace);
  const folder = findRealPath(join(root, FOLDER));
  if (!isWithin(root, folder) || folder === root) {
    throw new OpenBotError(
      'PATH_ESCAPES_FOLDER',
      `${join(workspace, FOLDER)} leads out of the workspace through a link`,
      { hint: 'Keep the notes in a folder of the workspace.' },
    );
  }
  return folder;
}

async function listNotes(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
      .sort()
      .reverse();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** Accepts `memory/notes.md` or `notes.md`; refuses any other folder. */
function readNoteName(given: string): string {
  const name = given.startsWith(`${FOLDER}/`) ? given.slice(FOLDER.length + 1) : given;
  if (/[/\\\0]/.test(name) || name === '.' || name === '..') {
    throw new OpenBotError('PATH_ESCAPES_FOLDER', `${JSON.stringify(given)} is not a note of this agent`, {
      hint: 'A note is a file directly in the memory folder: memory/2026-11-15.md.',
    });
  }
  return name;
}

/** Undefined if it is not a file, cannot be read, or is a link that leads out of the folder. */
async function readNote(folder: string, name: string, limit: number): Promise<string | undefined> {
  const path = findRealPath(join(folder, name));
  if (!isWithin(folder, path)) return undefined;
  try {
    // Reading a pipe would never end.
    if (!(await stat(path)).isFile()) return undefined;
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const { size } = await handle.stat();
      const bytes = Buffer.alloc(Math.min(limit, size));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
      const text = bytes.toString('utf8', 0, bytesRead);
      return bytesRead < size ? dropCutWord(text) : text;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/** A word that is cut in two may be a secret, and half a secret is not recognised. */
function dropCutWord(text: string): string {
  const end = text.slice(-LONGEST_WORD);
  const space = end.search(/\s\S*$/);
  return space < 0 ? text : text.slice(0, text.length - end.length + space);
}

function noSuchNote(name: string): OpenBotError {
  return new OpenBotError('INVALID_ARGUMENT', `There is no readable note ${JSON.stringify(name)}`, {
    hint: 'Leave file out to search all notes.',
  });
}

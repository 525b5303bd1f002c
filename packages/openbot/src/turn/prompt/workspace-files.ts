import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/** Files of a workspace that the agent always knows, under OpenClaw's names, and what each is for. */
const FILES: readonly { readonly name: string; readonly purpose: string; readonly isPrivate?: boolean }[] = [
  { name: 'AGENTS.md', purpose: 'how you work' },
  { name: 'SOUL.md', purpose: 'your character and tone' },
  { name: 'TOOLS.md', purpose: 'notes about tools and places' },
  { name: 'IDENTITY.md', purpose: 'your name and appearance' },
  { name: 'USER.md', purpose: 'the person you work for' },
  { name: 'HEARTBEAT.md', purpose: 'what to check at a heartbeat' },
  // What was said in private must not reach a group.
  { name: 'MEMORY.md', purpose: 'what you remember', isPrivate: true },
];

export function purposeOfFile(wanted: string): string {
  return FILES.find(({ name }) => name === wanted)?.purpose ?? 'a file of your workspace';
}

export const MAX_FILE_CHARS = 20_000;
export const MAX_FILES_CHARS = 60_000;

/** A file as the prompt has it. */
export interface InjectedFile {
  readonly name: string;
  readonly purpose: string;
  readonly path: string;
  /** Empty for a file without words. */
  readonly text: string;
  readonly rawChars: number;
  readonly isCut: boolean;
}

export interface FileReading {
  /** Several people read the conversation. */
  readonly isShared: boolean;
  /** Whether a rule forbids the agent to read a file. */
  isDenied?(path: string): boolean;
}

/** Those that exist. A file that cannot be read, must not be read, or is a link out of the workspace, counts as missing. */
export function readWorkspaceFiles(workspaceDir: string, reading: FileReading): InjectedFile[] {
  const files: InjectedFile[] = [];
  let left = MAX_FILES_CHARS;
  for (const { name, purpose, isPrivate } of FILES) {
    if (isPrivate && reading.isShared) continue;
    const path = join(workspaceDir, name);
    if (reading.isDenied?.(path)) continue;
    const read = readCached(path, workspaceDir);
    if (read === undefined) continue;
    const text = cutMiddle(read, Math.min(MAX_FILE_CHARS, left), name);
    left -= text.length;
    files.push({ name, purpose, path, text, rawChars: read.chars, isCut: text.length < read.chars });
  }
  return files;
}

interface FileText {
  readonly stamp: string;
  /** The whole of it, or its beginning and its end where it is very long. */
  readonly start: string;
  readonly end: string;
  readonly chars: number;
}

/** Read whole up to this size, so that a log that has the name of such a file does not fill the memory. */
const MAX_WHOLE_BYTES = 1024 * 1024;
/** Enough for as many characters as a prompt may have of it. */
const PART_BYTES = MAX_FILE_CHARS * 4;
const MAX_REMEMBERED = 500;
const known = new Map<string, FileText>();

function readCached(path: string, workspaceDir: string): FileText | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) return undefined;
    const stamp = `${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.ino}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before;
    if (!realpathSync(path).startsWith(realpathSync(workspaceDir) + sep)) return undefined;
    const text = { stamp, ...readText(path, stat.size) };
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(path, text);
    return text;
  } catch {
    return undefined;
  }
}

function readText(path: string, size: number): Omit<FileText, 'stamp'> {
  if (size <= MAX_WHOLE_BYTES) {
    const start = tidy(readFileSync(path));
    return { start, end: '', chars: start.length };
  }
  const file = openSync(path, 'r');
  try {
    const read = (position: number) => {
      const bytes = Buffer.alloc(PART_BYTES);
      return tidy(bytes.subarray(0, readSync(file, bytes, 0, PART_BYTES, position)));
    };
    // Counting the characters would mean reading all of it.
    return { start: read(0), end: read(size - PART_BYTES), chars: size };
  } finally {
    closeSync(file);
  }
}

function tidy(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .trim();
}

/** Most of the beginning and some of the end, with a note between them of what is missing. */
function cutMiddle({ start, end, chars }: FileText, limit: number, name: string): string {
  if (chars <= limit) return start;
  const note = (missing: number) =>
    `\n\n[${missing} of ${chars} characters of ${name} are left out here. Read the file for the rest.]\n\n`;
  const room = limit - note(chars).length;
  if (room <= 0) return '';
  const head = start.slice(0, Math.ceil(room * 0.75)).replace(/[\uD800-\uDBFF]$/, '');
  const tail = (end || start).slice(-Math.floor(room * 0.25) || Number.MAX_SAFE_INTEGER);
  const rest = tail.replace(/^[\uDC00-\uDFFF]/, '');
  return `${head}${note(chars - head.length - rest.length)}${rest}`;
}

import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isTranscriptFileName } from '../layout/file-name.ts';
import { extractSpokenText, formatSpokenText } from '../transcript/extract.ts';
import { type LineSink, LineSplitter } from '../transcript/lines.ts';
import { describeFileFault, notAFile } from './file-faults.ts';

/** What an index needs of one transcript. */
export interface SessionFileEntry {
  /** Relative to the agent's folder: `sessions/<file>`. */
  path: string;
  absPath: string;
  mtimeMs: number;
  size: number;
  ino: number;
  /** Of the content, so that lines which add no text (tools, settings) leave it as it was. */
  hash: string;
  /** `User: …` and `Assistant: …` lines, secrets redacted. */
  content: string;
}

type FileState = Pick<SessionFileEntry, 'mtimeMs' | 'size' | 'ino'>;

const CHUNK = 256 * 1024;

/** Transcripts and topic transcripts of an agent, as absolute paths in the order of their names. */
export async function listSessionFiles(agentDir: string): Promise<string[]> {
  const folder = resolve(agentDir, 'sessions');
  try {
    const names = await readdir(folder, { withFileTypes: true });
    return names
      .filter((entry) => entry.isFile() && isTranscriptFileName(entry.name))
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw describeFileFault(folder, error, 'read');
  }
}

/** A file counts as the same only while its time, its size and its inode are. */
function isUnchanged(previous: FileState, now: FileState): boolean {
  return previous.mtimeMs === now.mtimeMs && previous.size === now.size && previous.ino === now.ino;
}

/**
 * Reads a transcript for indexing, line by line. Given the entry of an earlier call for an unchanged file, returns that
 * very entry without reading. Undefined when the file is gone.
 */
export async function buildSessionFileEntry(
  absPath: string,
  options: { previous?: SessionFileEntry } = {},
): Promise<SessionFileEntry | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(absPath, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw describeFileFault(absPath, error, 'read');
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw notAFile(absPath);
    const { previous } = options;
    if (previous?.absPath === absPath && isUnchanged(previous, stateOf(stat))) return previous;
    const content = await readSpokenText(handle, stat.size);
    const hash = createHash('sha256').update(content).digest('hex');
    return { path: `sessions/${basename(absPath)}`, absPath, ...stateOf(stat), hash, content };
  } catch (error) {
    throw describeFileFault(absPath, error, 'read');
  } finally {
    await handle.close();
  }
}

function stateOf({ mtimeMs, size, ino }: Stats): FileState {
  return { mtimeMs, size, ino };
}

/** Stops at `size`: what is appended meanwhile changes the file's state and is read the next time. */
async function readSpokenText(handle: FileHandle, size: number): Promise<string> {
  const texts: string[] = [];
  const splitter = new LineSplitter(collectInto(texts));
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK, size - at), at);
    if (bytesRead === 0) break;
    splitter.push(buffer, bytesRead);
    at += bytesRead;
  }
  splitter.finish();
  return texts.join('\n');
}

function collectInto(texts: string[]): LineSink {
  return {
    oversize: () => {},
    line: (bytes, start, end) => {
      const line = bytes.subarray(start, end);
      // Most of a transcript is tool output; only lines that can be a person's or the assistant's are parsed.
      if (!line.includes('"user"') && !line.includes('"assistant"')) return;
      let parsed: unknown;
      try {
        parsed = JSON.parse(line.toString('utf8'));
      } catch {
        return;
      }
      const spoken = extractSpokenText(parsed);
      if (spoken !== undefined) texts.push(formatSpokenText(spoken));
    },
  };
}

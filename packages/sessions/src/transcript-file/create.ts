import { lstat, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { giveToFolderOwner, makeFolder, syncFolder } from '../disk/folders.ts';
import { makeLeftoverPath } from '../disk/leftover-name.ts';
import { linkNew } from '../disk/link-new.ts';
import { OpenBotError } from '../errors.ts';
import { assertSessionId } from '../layout/safe-id.ts';
import { composeHeader, composeLine, type EntryDraft } from '../transcript/compose.ts';
import { describeFileFault } from './file-faults.ts';
import { type AppendedEntry, placeDrafts } from './place-drafts.ts';

export interface NewTranscript {
  path: string;
  sessionId: string;
  cwd: string;
  /** The transcript that this one was forked from. */
  parentSession?: string;
  now?: () => number;
  durable?: boolean;
}

/**
 * Makes a transcript that holds its header and nothing else (0600, its folder 0700). It appears with the header in
 * it or not at all, and never in the place of something that exists.
 */
export async function createTranscript(transcript: NewTranscript): Promise<void> {
  await writeNewTranscript(transcript, [], () => '');
}

/** As createTranscript, with its first entries. Says where they are. */
export async function writeNewTranscript(
  transcript: NewTranscript,
  drafts: readonly EntryDraft[],
  makeId: () => string,
): Promise<{ entries: readonly AppendedEntry[]; offset: number; bytes: number }> {
  const { path } = transcript;
  const header = headerOf(transcript);
  const first = composeLine(header);
  const root = { leafId: null, linear: false };
  const { entries, lines } = placeDrafts(drafts, root, String(header.timestamp), makeId);
  const content = first + lines;
  const folder = dirname(path);
  const durable = transcript.durable ?? true;
  const sync = durable ? syncFolder : async () => {};
  try {
    await makeFolder(folder, sync);
    const temp = makeLeftoverPath(path, 'tmp');
    try {
      await writeNew(temp, content, durable);
      if (!linkNew(temp, path)) await writeNew(path, content, durable);
    } finally {
      await unlink(temp).catch(() => {});
    }
    await sync(folder);
  } catch (error) {
    throw await describeCreateFault(path, error);
  }
  return { entries, offset: Buffer.byteLength(first), bytes: Buffer.byteLength(lines) };
}

/** True when it was made now, false when there is one already. */
export async function ensureTranscript(transcript: NewTranscript): Promise<boolean> {
  const existing = await lstat(transcript.path).catch(() => undefined);
  if (existing?.isFile()) return false;
  try {
    await createTranscript(transcript);
    return true;
  } catch (error) {
    const existsNow = error instanceof OpenBotError && error.code === 'TRANSCRIPT_EXISTS';
    if (existsNow && (await lstat(transcript.path).catch(() => undefined))?.isFile()) return false;
    throw error;
  }
}

/** The header of a new transcript, its parts checked. */
export function headerOf(transcript: Omit<NewTranscript, 'path'>): Record<string, unknown> {
  const { cwd, parentSession } = transcript;
  if (typeof cwd !== 'string' || cwd === '' || cwd.includes('\0')) {
    throw new OpenBotError('INVALID_ARGUMENT', `cwd ${JSON.stringify(cwd)} is not a path`, {
      hint: "Agents resolve the session's relative paths against it.",
    });
  }
  return composeHeader({
    sessionId: assertSessionId(transcript.sessionId),
    cwd,
    parentSession,
    timestamp: new Date((transcript.now ?? Date.now)()).toISOString(),
  });
}

async function writeNew(path: string, content: string, durable: boolean): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    giveToFolderOwner(handle.fd, path);
    await handle.writeFile(content);
    if (durable) await handle.sync();
  } catch (error) {
    await unlink(path).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

async function describeCreateFault(path: string, error: unknown): Promise<OpenBotError> {
  const { code } = error as NodeJS.ErrnoException;
  const inTheWay = code === 'EEXIST' ? await lstat(path).catch(() => undefined) : undefined;
  if (inTheWay === undefined) {
    // ENOENT here is a folder that vanished, not a transcript that is missing.
    const cause = code === 'ENOENT' ? new Error((error as Error).message, { cause: error }) : error;
    return describeFileFault(path, cause, 'write');
  }
  const what = inTheWay.isFile() ? 'a transcript' : inTheWay.isDirectory() ? 'a folder' : 'something else';
  return new OpenBotError('TRANSCRIPT_EXISTS', `There is ${what} at ${path} already`, {
    hint: 'Nothing was changed. Append to it, or use another session id.',
    cause: error,
  });
}

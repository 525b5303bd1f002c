import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { undoAtEnding } from '@openbot/sessions/disk';
import { classifySessionFileName } from '@openbot/sessions/layout';
import type { KeptFile } from '../backups/backup-names.ts';
import { unpackOriginal } from '../backups/original.ts';
import { findKeptFile, sessionOfKept } from '../finding/kept-file.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { assertDemanded, isMeantAsPath, recogniseSource } from '../finding/session-at-path.ts';
import { expandPath, statFile } from '../layout/look-at-disk.ts';
import { SOURCES, storageOf } from '../storage/all.ts';
import type { FoundSession, ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import type { OpenLines } from '../storage/contract/rewriting.ts';
import { openFileLines } from '../storage/files/rewriting.ts';
import { readTranscriptHead } from '../storage/files/transcript-head.ts';

/** A session that can be read: one that could be cleaned too, or a state of one that is kept in a file. */
export interface ReadableSession extends ResolvedSession {
  /** The file where its lines are added while it is used. Absent in a database, and for a kept state, which stays as it is. */
  readonly growingFile?: string;
  /** The path of a backup, an original or an archive, where the name meant one. */
  readonly keptPath?: string;
  open(): Promise<OpenLines>;
}

/** As `resolveSession`; a path may also be that of a backup, an original or an archive. */
export async function findReadableSession(scope: SearchScope, name?: string): Promise<ReadableSession> {
  const kept = name === undefined ? undefined : await findKept(scope, name.trim());
  if (kept !== undefined) return kept;
  const found = await resolveSession(scope, name);
  const { session } = found;
  const storage = storageOf(session);
  return {
    ...found,
    ...(storage.hasOwnFile && { growingFile: session.path }),
    open: async () => (await storage.rewriting()).openLines(session),
  };
}

async function findKept(scope: SearchScope, name: string): Promise<ReadableSession | undefined> {
  const file = findKeptFile(scope, name);
  if (file !== undefined) {
    const session = await withUnpacked(file, async (path) =>
      sessionOfKept(scope, file, readTranscriptHead(path)),
    );
    // The lines stay readable after the name of what was unpacked is gone.
    return describeKept(session, file.path, () => withUnpacked(file, openFileLines));
  }
  const path = findArchive(scope, name);
  if (path === undefined) return undefined;
  return describeKept(sessionOfArchive(scope, path), path, () => openFileLines(path));
}

function describeKept(
  session: FoundSession,
  keptPath: string,
  open: ReadableSession['open'],
): ReadableSession {
  return { session, foundBy: 'argument', keptPath, open };
}

async function withUnpacked<T>(file: KeptFile, use: (path: string) => Promise<T>): Promise<T> {
  if (!file.isPacked) return use(file.path);
  const { path } = await unpackOriginal(file);
  const remove = () => rmSync(path, { force: true });
  const forget = undoAtEnding('files', remove);
  try {
    return await use(path);
  } finally {
    remove();
    forget();
  }
}

/** What OpenClaw or this project put aside, and other files that are no session by their name alone. */
function findArchive(scope: SearchScope, name: string): string | undefined {
  const path = expandPath(name, scope);
  const { kind } = classifySessionFileName(basename(path));
  const isPutAside = kind === 'archive' || kind === 'checkpoint';
  const isOther = kind === 'other' && !path.endsWith('.jsonl') && isMeantAsPath(scope, name);
  if (!(isPutAside || isOther) || statFile(path) === undefined) return undefined;
  return SOURCES.some((source) => source.isContainer?.(path)) ? undefined : path;
}

function sessionOfArchive(scope: SearchScope, path: string): FoundSession {
  const head = readTranscriptHead(path);
  const named = classifySessionFileName(basename(path));
  const transcriptPath = named.kind === 'archive' ? join(dirname(path), named.target) : path;
  const source = head?.dialect === undefined ? undefined : recogniseSource(scope, transcriptPath, head);
  if (source === undefined) {
    throw new OpenBotError(
      'SESSION_UNSUPPORTED',
      `${path} is not a transcript of OpenClaw, pi or Claude Code`,
      { hint: 'Name another file, or a session by its id, key or label' },
    );
  }
  assertDemanded(scope, path, source.name);
  return source.describeGone(transcriptPath, head, scope);
}

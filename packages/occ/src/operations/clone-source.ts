import { unlink } from 'node:fs/promises';
import { unpackOriginal } from '../backups/original.ts';
import { findKeptFile, sessionOfKept } from '../finding/kept-file.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import type { ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import { readTranscriptHead } from '../storage/files/transcript-head.ts';

/** What a clone is made of. */
export interface CloneSource extends ResolvedSession {
  /** A state of the session that was kept, in the place of its lines. */
  readonly kept?: { readonly path: string; readonly linesPath: string };
}

/** A session, or by its path a backup or an original, whose session need not be there any more. */
export async function withCloneSource<T>(
  scope: SearchScope,
  name: string | undefined,
  use: (source: CloneSource) => Promise<T>,
): Promise<T> {
  const file = name === undefined ? undefined : findKeptFile(scope, name.trim());
  if (file === undefined) return use(await resolveSession(scope, name));
  const linesPath = file.isPacked ? (await unpackOriginal(file)).path : file.path;
  try {
    const session = sessionOfKept(scope, file, readTranscriptHead(linesPath));
    return await use({ session, foundBy: 'argument', kept: { path: file.path, linesPath } });
  } finally {
    if (file.isPacked) await unlink(linesPath).catch(() => {});
  }
}

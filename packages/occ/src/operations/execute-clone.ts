import { unlink } from 'node:fs/promises';
import { unpackOriginal } from '../backups/original.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { findKeptFile, sessionOfKept } from '../finding/kept-file.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { lookForStale } from '../rewrite/stale-thinking.ts';
import { storageOf } from '../storage/all.ts';
import type { ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import type { MadeClone } from '../storage/contract/rewriting.ts';
import { readTranscriptHead } from '../storage/files/transcript-head.ts';
import { describeFailedWrite } from './failed-write.ts';
import { foundFieldsOf } from './found-fields.ts';
import type { CloneOutcome, CloneResult } from './results.ts';
import { cloneStatistics } from './statistics.ts';

export interface CloneOptions {
  readonly scope: SearchScope;
  readonly sessionId?: string;
  /** Left out: an exact copy but for the id. */
  readonly toolRemoval?: ResolvedToolRemovalOptions;
  /** Absolute. Left out: beside the session. An index names files of its own folder alone. */
  readonly outputPath?: string;
  readonly noRegister?: boolean;
  readonly dryRun?: boolean;
  /** Also clones into a database of a version that is not known. */
  readonly force?: boolean;
}

/** Copies a session under a new id. Where it fails, there is no file. */
export async function executeClone(options: CloneOptions): Promise<CloneOutcome> {
  return withCloneSource(options.scope, options.sessionId, (source) => cloneFrom(source, options));
}

async function cloneFrom(source: CloneSource, options: CloneOptions): Promise<CloneOutcome> {
  const { session, foundBy, kept } = source;
  const storage = storageOf(session);
  const { prepareClone } = await storage.rewriting();
  const { sessionId: _, ...request } = options;
  const stale = kept === undefined ? await lookForStale(storage, session) : undefined;
  const prepared = prepareClone({
    ...request,
    session,
    linesPath: kept?.linesPath,
    staleFrom: stale?.id,
    at: new Date(),
  });
  try {
    const made = await prepared.make();
    const result = describeClone(source, options, prepared.path, made);
    return { session, foundBy, plan: made.plan.statistics, options: made.plan.options, result };
  } catch (error) {
    throw describeFailedWrite(error, prepared.path, 'clone');
  }
}

function describeClone(
  { session, foundBy, kept }: CloneSource,
  { dryRun }: CloneOptions,
  path: string,
  { plan, sizeBefore, sizeAfter, sessionId, sessionKey, note, resumeCommand }: MadeClone,
): CloneResult {
  const made = { clonedSessionId: sessionId, clonedSessionPath: path, sessionKey, note };
  return {
    success: true,
    mode: 'clone',
    sourceSessionId: session.sessionId,
    ...sourceFieldsOf({ session, foundBy }),
    sourceBackupPath: kept?.path,
    ...(dryRun ? {} : made),
    statistics: cloneStatistics(plan.statistics, sizeBefore, sizeAfter),
    tokens: plan.tokens,
    ...(dryRun ? { dryRun: true, changed: false } : { resumeCommand }),
  };
}

/** The key of a clone is its own. */
function sourceFieldsOf(
  found: ResolvedSession,
): Pick<CloneResult, 'sourceSessionKey' | 'foundBy' | 'agentId'> {
  const { sessionKey, ...fields } = foundFieldsOf(found);
  return { sourceSessionKey: sessionKey, ...fields };
}

/** What a clone is made of. */
interface CloneSource extends ResolvedSession {
  /** A state of the session that was kept, in the place of its lines. */
  readonly kept?: { readonly path: string; readonly linesPath: string };
}

/** A session, or by its path a backup or an original, whose session need not be there any more. */
async function withCloneSource<T>(
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

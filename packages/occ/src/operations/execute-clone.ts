import { randomUUID } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  lookIntoSessionStore,
  OpenBotError,
  openFileSessionStore,
  type SessionStore,
} from '@openbot/sessions';
import { deferEnding } from '@openbot/sessions/disk';
import { buildCloneSessionKey } from '@openbot/sessions/key';
import { classifySessionFileName } from '@openbot/sessions/layout';
import type { DatabaseTranscript } from '@openbot/sessions/openclaw-database';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { isClaudeFileName, resolveProjectsFolder } from '../storage/claude/claude-sessions.ts';
import type { FoundSession, ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import { cloneSessionFile, type FileCloneResult } from '../storage/files/clone-file.ts';
import { noteClone, sweepKilledClones } from '../storage/files/clone-note.ts';
import type { HistoryCopy } from '../storage/files/file-history.ts';
import { indexPathOf } from '../storage/openclaw-files/index-entry.ts';
import {
  cloneIntoDatabase,
  cloneToFile,
  planCloneIntoDatabase,
  planCloneToFile,
} from '../storage/openclaw-sqlite/clone-session.ts';
import { withKeptLines } from '../storage/openclaw-sqlite/kept-lines.ts';
import type { DatabaseClone } from '../storage/openclaw-sqlite/planned-clone.ts';
import { type CloneSource, withCloneSource } from './clone-source.ts';
import { describeFailedWrite } from './failed-write.ts';
import { foundFieldsOf } from './found-fields.ts';
import type { CloneOutcome, CloneResult } from './results.ts';
import { resumeCommandOf } from './resume-command.ts';
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
  const newSessionId = idInName(session, options.outputPath) ?? randomUUID();
  const at = new Date();
  // A backup is a file already.
  const isInDatabase = session.storage === 'sqlite' && !(kept && options.outputPath);
  if (isInDatabase) assertPlace(options);
  else if (!options.dryRun) sweepKilledClones(dirname(session.path));
  const targetPath =
    options.outputPath ??
    (isInDatabase ? session.path : join(dirname(session.path), cloneFileName(session, newSessionId, at)));
  assertFreeName(targetPath, isInDatabase && options.outputPath === undefined);
  const isBeside = dirname(targetPath) === dirname(session.path);
  const canHaveEntry = session.source === 'openclaw' && isBeside && !(isInDatabase && options.outputPath);
  const sessionKey = canHaveEntry && !options.noRegister ? cloneKeyOf(session, newSessionId) : undefined;
  if (sessionKey !== undefined && !isInDatabase) assertIndexReadable(indexPathOf(session));
  // A clone that has its name gets its entry too.
  let isOver: (() => void) | undefined;
  let removeNote: (() => void) | undefined;
  try {
    const done = isInDatabase
      ? await withLines(kept?.linesPath, (lines) =>
          cloneFromDatabase(
            options,
            { session, lines, newSessionId, options: options.toolRemoval, force: options.force, at },
            sessionKey,
          ),
        )
      : await cloneSessionFile({
          path: kept?.linesPath ?? session.path,
          sourceSessionId: session.sessionId,
          newSessionId,
          targetPath,
          options: options.toolRemoval,
          title: session.displayName,
          history: historyOf(options.scope, session, newSessionId),
          at,
          dryRun: options.dryRun,
          beforeNaming: async ({ temp, history }) => {
            isOver = deferEnding();
            if (sessionKey === undefined && history === undefined) return;
            const indexPath = sessionKey === undefined ? undefined : indexPathOf(session);
            const note = { sessionId: newSessionId, temp, path: targetPath, indexPath, history };
            removeNote = await noteClone(dirname(session.path), note);
          },
        });
    if (sessionKey !== undefined && !options.dryRun && !isInDatabase) {
      await register({ path: targetPath, indexPath: indexPathOf(session) }, sessionKey, newSessionId, at);
    }
    const { plan, sizeBefore, sizeAfter } = done;
    const resumeCommand = resumeCommandOf(session.source, newSessionId, targetPath, {
      isFoundById: isInProjects(options.scope, targetPath),
      isRegistered: sessionKey !== undefined,
    });
    const made = {
      clonedSessionId: newSessionId,
      clonedSessionPath: targetPath,
      sessionKey,
      ...(canHaveEntry || session.source !== 'openclaw' || options.noRegister ? {} : { note: NO_ENTRY }),
    };
    return {
      session,
      foundBy,
      plan: plan.statistics,
      result: {
        success: true,
        mode: 'clone',
        sourceSessionId: session.sessionId,
        ...sourceFieldsOf({ session, foundBy }),
        ...(kept === undefined ? {} : { sourceBackupPath: kept.path }),
        ...(options.dryRun ? {} : made),
        statistics: cloneStatistics(plan.statistics, sizeBefore, sizeAfter),
        tokens: plan.tokens,
        ...(resumeCommand === undefined || options.dryRun ? {} : { resumeCommand }),
        ...(options.dryRun ? { dryRun: true, changed: false } : {}),
      },
    };
  } catch (error) {
    throw describeFailedWrite(error, targetPath, 'clone');
  } finally {
    removeNote?.();
    isOver?.();
  }
}

async function withLines<T>(
  path: string | undefined,
  use: (lines: DatabaseTranscript | undefined) => Promise<T>,
): Promise<T> {
  return path === undefined ? use(undefined) : withKeptLines(path, use);
}

/** The key of a clone is its own. */
function sourceFieldsOf(
  found: ResolvedSession,
): Pick<CloneResult, 'sourceSessionKey' | 'foundBy' | 'agentId'> {
  const { sessionKey, ...fields } = foundFieldsOf(found);
  return { sourceSessionKey: sessionKey, ...fields };
}

const NO_ENTRY = 'It is in no index: an index names files of its own folder alone';

/** Files that are no sessions have names of their own, and programs take what is there for what it is named. */
function assertFreeName(path: string, isDatabase: boolean): void {
  if (isDatabase) return;
  const name = basename(path).toLowerCase();
  const { kind } = classifySessionFileName(name);
  const isSession = kind === 'transcript' || kind === 'topic-transcript' || kind === 'other';
  if (isSession && !OTHER_NAMES.test(name)) return;
  throw new OpenBotError(
    'USAGE',
    `A clone cannot be named ${basename(path)}: that is the name of ${NAMED[kind] ?? 'another kind of file'}`,
    { hint: 'Name another file with --output, such as copy.jsonl' },
  );
}

/** Databases, journals of occ, indexes and settings of the programs whose folders these are. */
const OTHER_NAMES =
  /\.occ\.json$|\.(?:sqlite|db)(?:-wal|-shm|-journal)?$|^(?:sessions-index|openclaw|auth-profiles|settings|models)\.json$/;

const NAMED: Readonly<Partial<Record<string, string>>> = {
  store: 'an index of sessions',
  lock: 'a lock',
  backup: 'a backup',
  archive: 'an archive',
  temp: 'a file that is not finished',
};

function assertPlace({ noRegister, outputPath }: CloneOptions): void {
  if (!noRegister || outputPath !== undefined) return;
  throw new OpenBotError(
    'USAGE',
    "A session in OpenClaw's database cannot be without its entry: --no-register needs --output",
    { hint: 'Name a file with --output, or leave out --no-register' },
  );
}

async function cloneFromDatabase(
  { dryRun, outputPath }: CloneOptions,
  clone: DatabaseClone,
  sessionKey: string | undefined,
): Promise<FileCloneResult> {
  if (outputPath !== undefined) {
    return dryRun ? planCloneToFile(clone, outputPath) : cloneToFile(clone, outputPath);
  }
  if (sessionKey === undefined) {
    throw new OpenBotError(
      'USAGE',
      `${clone.session.path} is in no agent's folder, so that a clone in it could have no key`,
      { hint: 'Name a file with --output' },
    );
  }
  if (dryRun) return planCloneIntoDatabase(clone);
  return cloneIntoDatabase(clone, sessionKey);
}

/** pi puts the time before the id. */
function cloneFileName({ source }: FoundSession, newSessionId: string, at: Date): string {
  if (source !== 'pi') return `${newSessionId}.jsonl`;
  return `${at.toISOString().replaceAll(/[:.]/g, '-')}_${newSessionId}.jsonl`;
}

function cloneKeyOf({ agentId }: FoundSession, newSessionId: string): string | undefined {
  return agentId === null ? undefined : buildCloneSessionKey({ agentId, cloneId: newSessionId });
}

/** Claude Code goes on writing under the id that the lines have: a file named like an id must hold that one. */
function idInName({ source }: FoundSession, outputPath: string | undefined): string | undefined {
  if (source !== 'claude' || outputPath === undefined || !isClaudeFileName(basename(outputPath)))
    return undefined;
  return basename(outputPath, '.jsonl');
}

/** Claude Code looks for ids in its own folder alone. */
function isInProjects(scope: SearchScope, path: string): boolean {
  return dirname(dirname(path)) === resolveProjectsFolder(scope);
}

/** Claude Code keeps saved files beside its projects; those of a session in another config folder are with it. */
function historyOf(
  scope: SearchScope,
  { source, path, sessionId }: FoundSession,
  newSessionId: string,
): HistoryCopy | undefined {
  if (source !== 'claude' || !isClaudeFileName(`${sessionId}.jsonl`)) return undefined;
  const projects = dirname(dirname(path));
  const config = dirname(basename(projects) === 'projects' ? projects : resolveProjectsFolder(scope));
  return { folder: join(config, 'file-history'), sourceSessionId: sessionId, newSessionId };
}

/** The disk may fail after the entry is in place: it is taken out again, else its file must stay. */
async function isUnregistered(store: SessionStore, sessionKey: string): Promise<boolean> {
  const isNamed = await store.get(sessionKey).then(
    (entry) => entry !== undefined,
    () => true,
  );
  if (!isNamed) return true;
  return store.delete(sessionKey).then(
    () => true,
    () => false,
  );
}

/** An index that cannot be read takes no entry: said before a file is there that nothing names. */
function assertIndexReadable(indexPath: string): void {
  try {
    lookIntoSessionStore(indexPath);
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    const hint = `${error.hint ?? ''} --no-register makes a clone that is in no index.`.trim();
    throw new OpenBotError(error.code, error.message, { hint, cause: error });
  }
}

/** Last of all, so that the index never names a file that is not there. */
async function register(
  { path, indexPath }: { path: string; indexPath: string },
  sessionKey: string,
  sessionId: string,
  at: Date,
): Promise<void> {
  const store = openFileSessionStore(indexPath);
  // A file of another name is not found by the id.
  const isByName = basename(path) === `${sessionId}.jsonl`;
  const entry = { sessionId, updatedAt: at.getTime(), ...(isByName ? {} : { sessionFile: path }) };
  try {
    await store.update(sessionKey, () => entry);
  } catch (error) {
    if (await isUnregistered(store, sessionKey)) await unlink(path).catch(() => {});
    throw error;
  } finally {
    await store.close();
  }
}

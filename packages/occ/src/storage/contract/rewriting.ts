import type { SessionEntry, StoredEntry, Transcript } from '@openbot/sessions';
import type { CleanPlan, LineChanges, LineReader } from '../../clean/plan.ts';
import type { ResolvedToolRemovalOptions } from '../../clean/tool-removal.ts';
import type { FoundSession, SearchScope } from './found-session.ts';
import type { Backup, KeptState, RewriteRecord } from './kept-state.ts';

/** The lines of a session at one moment. */
export interface SessionLines {
  readonly transcript: Transcript;
  readonly readLine: LineReader;
}

/** The same for as long as the caller wants, whatever becomes of the session meanwhile. */
export interface OpenLines extends SessionLines {
  close(): Promise<void>;
}

/** Reads and rewrites the sessions of one storage. `rewrite/` holds the algorithm, a storage its steps. */
export interface RewritingStorage {
  /** Reads a session as a whole. `use` must be done with the lines when it returns. */
  read<T>(session: FoundSession, use: (lines: SessionLines) => T): Promise<T>;
  /** Opens a session so that its lines can be read one by one. They are those of this moment until they are closed. */
  openLines(session: FoundSession): Promise<OpenLines>;
  /** As `read` for a rewrite that is only planned: throws what `hold` and `open` would throw. */
  readToRewrite<T>(session: FoundSession, options: HoldOptions, use: (lines: SessionLines) => T): Promise<T>;
  /** Runs `use` while no other occ can rewrite the session. What killed rewrites left is tidied up before. */
  hold<T>(session: FoundSession, options: HoldOptions, use: (held: HeldSession) => Promise<T>): Promise<T>;
  /** Decides where a copy under a new id goes. Nothing is written. Throws where it cannot be made. */
  prepareClone(request: CloneRequest): PreparedClone;
  /** Copies the session to a new backup and rotates old ones out. Resolves to its path. */
  backUp(session: FoundSession): Promise<string>;
  /** The backups of rewrites that took place, oldest first. Changes nothing. */
  listBackups(session: FoundSession): Backup[];
}

export interface HoldOptions {
  /** Also changes a database of an unknown version. */
  readonly force?: boolean;
  /** How long to wait for other writers of a database. */
  readonly waitMs?: number;
}

/** A session that this process alone may rewrite. Its own program may still write to it. */
export interface HeldSession {
  /** Reads the state that is to be replaced. Nothing is changed. */
  open(): Promise<SessionState>;
  /** Runs `rewrite` with every other writer kept out, so that it cannot be overtaken. */
  keepWritersOut<T>(rewrite: () => Promise<T>): Promise<T>;
  /** Whether a rewrite took place in this storage: a session that moved into a database has records of its file too. */
  isOwn(record: RewriteRecord): boolean;
  /** Refuses to restore what another storage kept. Absent where it can be restored. */
  refuseOthers?(what: string): Error;
}

/** The present state of a held session, until it is closed. */
export interface SessionState extends SessionLines {
  /** The state that a plan leaves. */
  clean(plan: CleanPlan): NextState;
  /**
   * A kept state, followed by what was said since.
   * @param backups all that can be restored, oldest first: they hold what was said between rewrites
   */
  findRestored(kept: KeptState, backups: readonly Backup[]): Promise<RestorableState>;
  /** Makes a change to the entry that a killed rewrite of this storage may have left undone. */
  catchUpEntry(change: EntryChange): Promise<void>;
  /** Ends the sentence "did not pass verification. Nothing was changed." */
  readonly faultHint: string;
  close(): Promise<void>;
}

/** A state that a session is to have. */
export interface NextState {
  /**
   * Stages the state, has it verified as it reads back, backs up, records and swaps: all of it or nothing. Undefined where
   * the session changed since it was opened, so that the rewrite must be planned again; nothing was changed then.
   */
  replace(steps: RewriteSteps): Promise<ReplacedState | undefined>;
}

export interface ReplacedState {
  readonly backupPath: string;
  /** Why the session's entry could not be changed. The session itself was. */
  readonly fault?: Error;
}

/** What a storage calls back while it replaces a state. What throws leaves the session as it was. */
export interface RewriteSteps {
  readonly at: Date;
  /** Called with the size of the new state before anything is kept. */
  accept(sizeAfter: number): void;
  verify(after: Transcript): void;
  /** Writes the record to the journal, before the swap. */
  record(made: Omit<RewriteRecord, 'kind' | 'at'>): Promise<void>;
  /** Takes back the record and its backup. */
  undo(): Promise<void>;
  /** Absent where the entry is to stay as it is. */
  readonly changeEntry?: EntryChange;
}

/** Gives an index entry of the session as it is to be; undefined leaves it. */
export type EntryChange = (entry: StoredEntry) => SessionEntry | undefined;

/** A kept state as it can be put back. */
export interface RestorableState {
  readonly earlier: SessionLines;
  /** Whether anything was said since. */
  readonly hasNewLines: boolean;
  join(relink?: Relink): Promise<JoinedState>;
}

/** A line of what was said since that must name another parent. */
export interface Relink {
  readonly id: string;
  readonly parentId: string;
  /** Whether a line already follows that parent, directly or not. */
  isDone(origin: Transcript, index: number): boolean;
}

/** The lines of a state that is to be written. */
export interface JoinedLines extends SessionLines {
  /** Whether a line was not taken from the kept state. */
  isNew(index: number): boolean;
}

export interface RestoredState extends NextState {
  /** A line names another parent than it did. */
  readonly isRelinked: boolean;
  /** How many lines were not taken from the kept state. Known once the state was written. */
  countNewLines(after: Transcript): number;
  /** Where each line was taken from. Known once the state was written. */
  originsOf(after: Transcript): OriginOf;
}

/** A kept state and what was said since, each line as it was. */
export interface JoinedState extends RestoredState {
  /** The lines as they would be written. */
  readJoined(): Promise<JoinedLines>;
  /** The same with lines that change or go. */
  change(joined: JoinedLines, plan: LineChanges): RestoredState;
}

/** The line of an earlier state that a line was taken from; undefined where it is the end of another one. */
export type OriginOf = (index: number) => { transcript: Transcript; index: number } | undefined;

export interface CloneRequest {
  readonly session: FoundSession;
  readonly scope: SearchScope;
  /** A file whose lines are cloned in the place of the session's own: a backup. */
  readonly linesPath?: string;
  /** Absolute. Left out: beside the session. */
  readonly outputPath?: string;
  readonly noRegister?: boolean;
  /** The entry with the first stale thinking, which no backup of the clone could tell of: all from it on is left out. */
  readonly staleFrom?: string;
  /** Left out: an exact copy but for the id. */
  readonly toolRemoval?: ResolvedToolRemovalOptions;
  readonly dryRun?: boolean;
  /** Also clones into a database of an unknown version. */
  readonly force?: boolean;
  readonly at: Date;
}

export interface PreparedClone {
  /** What is written to. */
  readonly path: string;
  /** Makes the clone, or with `dryRun` computes what it would be. Where it fails, there is none. */
  make(): Promise<MadeClone>;
}

export interface MadeClone {
  readonly plan: CleanPlan;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  readonly sessionId: string;
  /** The key under which an index names it. */
  readonly sessionKey?: string;
  /** Why no index names it, where its program has one. */
  readonly note?: string;
  /** What continues the clone; absent where its program would not find it. */
  readonly resumeCommand?: string;
}

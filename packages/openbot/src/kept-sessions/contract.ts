/** The sessions of agents, whatever keeps them. Reading changes nothing on disk and opens no database of messages. */
import type { OpenBotError, StoredEntry, StoredSession } from '@openbot/sessions';
import type { ModelFacts } from './openclaw-list/model-facts.ts';

/** A state folder, as far as it is about sessions. */
export interface SessionFolder {
  readonly stateDir: string;
  /** `openbot.json`, or OpenClaw's where that is missing; undefined without either. */
  readonly configPath?: string;
  /** Those of the configuration; where it names none, `main` and those that have a folder. */
  readonly agentIds: readonly string[];
  /** Where no agent is named. Undefined where the configuration has several and prefers none. */
  readonly defaultAgentId?: string;
  /** The configured name of the main session. */
  readonly mainKey?: string;
  readonly models: ModelFacts;
  open(agentId: string): SessionKeeper;
  /**
   * The store at a path: a `sessions.json`, or a database of an agent. Throws STORE_UNREADABLE where there is none. What a
   * run could use is changed only where its path, or the configuration here, shows which state folder runs its sessions.
   */
  openAt(path: string, agentId?: string): Promise<SessionKeeper>;
}

/** What keeps the sessions of one agent. */
export interface SessionKeeper {
  readonly agentId: string;
  /** The store, as OpenClaw names it; it need not exist. */
  readonly path: string;
  /** For people: `a file`, `OpenClaw's database`. */
  readonly keptIn: string;
  readonly exists: boolean;
  /** Whether turns of this program can be kept in it too. */
  readonly takesTurns: boolean;
  /** As they are written, without skills and prompts, in the order of the store. Throws where the store is broken. */
  list(): readonly StoredSession[];
  /** The whole entry. */
  read(key: string): Promise<StoredSession['entry'] | undefined>;
  transcriptOf(session: StoredSession): KeptTranscript;
  /** Who uses it now, for people: `process 4711 (openbot) runs it`. */
  userOf(session: StoredSession): Promise<string | undefined>;
  /** Former states of transcripts, the newest first; of all sessions where none is named. */
  listArchives(sessionId?: string): readonly KeptArchive[];
  /** A row of `sessions --json`, as the OpenClaw of this kind of store prints it. */
  toRow(session: StoredSession, models: ModelFacts, now: number): SessionRow;
  /**
   * Loaded when something is to be changed.
   * @param holdsRun the caller holds the run lock of the session that it changes
   */
  openChanges(options?: { readonly holdsRun?: boolean }): Promise<SessionChanges>;
}

export interface KeptTranscript {
  /** The file, or the database that holds the lines. */
  readonly path: string;
  readonly isThere: boolean;
  /** As a file of lines. */
  readonly sizeBytes: number;
  readonly lines?: number;
  /** Why it cannot be read. */
  readonly fault?: string;
}

/** `bak`: before a compaction. `damaged`: nothing in it can be read. `backup`: before a clean. */
export type ArchiveKind = 'reset' | 'deleted' | 'bak' | 'damaged' | 'backup';

export interface KeptArchive {
  readonly path: string;
  readonly kind: ArchiveKind;
  readonly sessionId: string;
  /** Ms, where it is known. */
  readonly at?: number;
  readonly sizeBytes: number;
  /** The session had no transcript. */
  readonly isEntryOnly?: true;
}

/** Fields in the order of OpenClaw; absent ones are left out of the JSON. */
export interface SessionRow {
  readonly key: string;
  readonly updatedAt: number | null;
  readonly ageMs: number | null;
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: string;
  readonly totalTokens: number | null;
  readonly totalTokensFresh: boolean;
  readonly contextTokens: number;
  readonly model: string;
  readonly modelProvider: string;
  readonly [field: string]: unknown;
}

/**
 * What can be done to sessions. Each throws SESSION_IN_USE, and changes nothing, while another process runs the session or
 * writes to its transcript, and SESSION_UNSUPPORTED where only OpenClaw itself can do it, or it is not known
 * which state folder runs the session.
 */
export interface SessionChanges {
  /** Sets fields of the entry; undefined removes one. A run that is under way keeps what it began with. */
  set(session: StoredSession, fields: Partial<StoredEntry>): Promise<StoredEntry>;
  reset(session: StoredSession): Promise<ResetOutcome>;
  /** @param options.keepsTranscript leaves it where it is */
  remove(session: StoredSession, options?: { readonly keepsTranscript?: boolean }): Promise<RemoveOutcome>;
  prune(limits: PruneLimits): Promise<PruneOutcome>;
  compact(session: StoredSession, maxLines: number | undefined): Promise<CompactOutcome>;
  /** Puts an archive back in its place. */
  restore(archive: KeptArchive, key: string | undefined): Promise<RestoreOutcome>;
}

export interface ResetOutcome {
  readonly sessionId: string;
  readonly archived: readonly string[];
}

export interface RemoveOutcome {
  readonly archived: readonly string[];
}

export interface PruneLimits {
  readonly maxAgeMs?: number;
  readonly maxEntries?: number;
  readonly dryRun: boolean;
}

export interface PruneOutcome {
  readonly pruned: readonly {
    readonly key: string;
    readonly sessionId: string;
    readonly reason: 'age' | 'count';
    readonly archived: readonly string[];
  }[];
  readonly failed: readonly { readonly key: string; readonly error: OpenBotError }[];
  readonly kept: number;
}

export interface CompactOutcome {
  /** Why nothing was removed. */
  readonly reason?: 'no transcript' | 'nothing to remove';
  readonly kept: number;
  readonly removed: number;
  readonly archived?: string;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
}

export interface RestoreOutcome {
  readonly key: string;
  readonly sessionId: string;
  /** The transcript, where there is one. */
  readonly path?: string;
  /** A compacted transcript that is whole again: as it was before. */
  readonly archived?: string;
  /** What the key pointed to before, if it was another session. */
  readonly replaced?: { readonly sessionId: string; readonly archived: readonly string[] };
}

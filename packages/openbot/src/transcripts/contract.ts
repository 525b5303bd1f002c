import type { EntryDraft, TranscriptMessage } from '@openbot/sessions/transcript';

/** The transcript of one session id. */
export interface TranscriptRef {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** As the store has it: where the driver finds the lines. */
  readonly sessionFile: string;
  /** For the header of a transcript that does not exist yet. */
  readonly cwd: string;
}

export interface AppendedEntry {
  readonly type: EntryDraft['type'];
  readonly id: string | undefined;
}

/** What was appended, and to which transcript. */
export interface TranscriptUpdate extends TranscriptRef {
  readonly entries: readonly AppendedEntry[];
}

/** The line that begins a turn in a transcript: `custom` with this type and a TurnMark. */
export const TURN_MARK = 'openbot.turn';

/** The line before a message that was added to a run which had begun: `custom` with this type and a TurnMark. */
export const JOINED_MARK = 'openbot.joined';

/** Also the type of the `custom` line that begins a memory flush. */
export { MEMORY_FLUSH_MARK } from '@openbot/sessions/transcript';

/** The line that repeats the PREFIX_MARK before it, so that it is found: `custom` with this type and the same record. */
export const PREFIX_AGAIN_MARK = 'openbot.prefix-again';

/** The line that says which facts of the prefix have changed and are known since: `custom` with this type and KnownChanges. */
export const TOLD_MARK = 'openbot.told';

/**
 * The line after a run that was ended by a person, a newer message, its limit, the end of its process or an outage of all
 * models: `custom` with the turn id and the cause.
 */
export const END_MARK = 'openbot.turn-end';

/** The cause of an END_MARK where no model could be reached: the turn goes on later. */
export const HELD = 'outage';

/**
 * The line from which on requests have another system prompt or other tools: `custom` with this type and a PrefixRecord, which
 * holds them. Thinking of models that bind it counts only behind it.
 */
export const PREFIX_MARK = 'openbot.prefix';

/** The line after a request that a provider refused for an image of the messages before: `custom` with a RefusedImages. */
export const REFUSED_IMAGES_MARK = 'openbot.refused-images';

export interface RefusedImages {
  /** `provider/model` */
  readonly by: string;
}

/** Written in one piece with the message of the person, so that a transcript has both or neither. */
export interface TurnMark {
  readonly turnId: string;
  /** 1, and one more for each run that was begun again after a crash. */
  readonly attempt: number;
  /** Message ids of the channel. Another conversation of the session may have the same ones. */
  readonly messages: readonly string[];
  /** Their numbers in the inbox. */
  readonly seqs: readonly number[];
  /** Of the conversation: no store knows the transcript any more once it was reset. */
  readonly sessionKey?: string;
}

/** What a turn left in its transcript. */
export interface TurnTrace {
  readonly mark: TurnMark;
  /** Messages after the last mark of the turn up to the next turn, a memory flush or the end, the person's included. */
  readonly messages: readonly TranscriptMessage[];
  /** Those of a memory flush that follows them at once. */
  readonly inFlush?: readonly TranscriptMessage[];
  /** Numbers in the inbox of the messages that were added to the turn by a JOINED_MARK. */
  readonly joined: readonly number[];
  /** What an END_MARK says: the run was ended on purpose. */
  readonly abortedBy?: string;
  /** Nothing of another turn follows. */
  readonly isLast: boolean;
}

/** A message of the context and the entry that it comes from. */
export interface ContextMessage {
  /** What a compaction can name as the first entry to keep. Undefined for a summary, and in transcripts without ids. */
  readonly entryId?: string;
  /**
   * As it was written. The summary of a compaction has the role `compactionSummary` and a field `summary`, as in pi; that of
   * a branch `branchSummary`, and a custom message `custom`.
   */
  readonly message: TranscriptMessage;
  /**
   * What it was said behind is not what a request has in its place now: a compaction, a PREFIX_MARK or an edit of an earlier
   * message came after it.
   */
  readonly isBehindChange?: true;
  /** Models, as `provider/model`, to which its images are not sent any more. */
  readonly imagesRefusedBy?: readonly string[];
}

/** An entry of the active path, as far as its line can be read. */
export interface PathEntry {
  /** As the line has it: `message`, `custom`, `compaction`. `unreadable` for a line that is too long to be held. */
  readonly type: string;
  readonly id?: string;
  /** Of a `custom` line. */
  readonly customType?: string;
  readonly data?: unknown;
  /** What the line gives to the model. */
  readonly message?: TranscriptMessage;
  /** Of the line. */
  readonly bytes?: number;
}

export interface LookBack {
  /** Another one after lines that were there have been changed or removed. The same after an append. */
  readonly generation: string;
  /** The active path, the last entry first. Read as far as it is asked for. */
  readonly entries: AsyncIterable<PathEntry>;
}

/**
 * `default` is the default of `occ edit --strip-tools`. `hard` keeps one turn with tools, and shortens large calls and
 * results in it too, but for the last exchange.
 */
export type CleanStrength = 'default' | 'hard';

/** A clean that was asked for, in the words of `occ edit`. */
export interface CleanChoice {
  readonly preset?: 'default' | 'aggressive' | 'extreme';
  /** The last turns with tools that are left alone or only shortened, in the place of the preset's number. */
  readonly keep?: number;
}

export interface CleanResult {
  /** False when there was nothing that could be removed or shortened. */
  readonly changed: boolean;
  /** Of the context; estimated. */
  readonly savedTokens: number;
}

export interface RestoreResult {
  /** False when there was nothing to undo. */
  readonly restored: boolean;
  /** Lines that were said since, and follow what was restored. */
  readonly linesKept: number;
  /** Blocks of thinking that these lines lost, since other lines come before them now; left out where none. */
  readonly thinkingUnbound?: number;
}

/** The lines of all sessions. Appending is durable, and all lines of one call are written together or not at all. */
export interface Transcripts {
  /** Makes the transcript when it does not exist. */
  append(ref: TranscriptRef, drafts: readonly EntryDraft[]): Promise<readonly AppendedEntry[]>;
  /**
   * Whether anything in the transcript can be read. One that lost its header and has messages gets another in front. Rejects
   * where it cannot be looked at, which says nothing about what is in it.
   */
  mend(ref: TranscriptRef): Promise<boolean>;
  /** Looks from the end backwards; undefined when the turn left nothing. */
  findTurn(ref: TranscriptRef, turnId: string): Promise<TurnTrace | undefined>;
  /** What the model would read now: the active path with its last compaction applied. Reads the whole transcript. */
  readContext(ref: TranscriptRef): Promise<readonly ContextMessage[]>;
  /** What was written last. Cheap: reads only what is asked for. */
  lookBack(ref: TranscriptRef): Promise<LookBack>;
  /**
   * Tokens of the context: the last recorded figure and an estimate of what came since. Reads only the end of the
   * transcript where that tells it. 0 when there is no transcript.
   */
  measureContext(ref: TranscriptRef): Promise<number>;
  /**
   * Removes and shortens old tool calls and their results, after a backup. The messages of people and the model, the leaf
   * and the ids of entries stay. Only for the holder of the session's run lock.
   */
  clean(ref: TranscriptRef, how: CleanStrength | CleanChoice): Promise<CleanResult>;
  /** Undoes the last clean, and a second time brings it back. What was said since stays. Only for the holder of the run lock. */
  restore(ref: TranscriptRef): Promise<RestoreResult>;
  /** Calls the listener after every append of this process. Returns the function that ends it. */
  onUpdate(listener: (update: TranscriptUpdate) => void): () => void;
  close(): Promise<void>;
}

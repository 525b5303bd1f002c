import type { ContextFigure } from '@openbot/sessions/lines';
import type { FoundSession, SourceName } from './found-session.ts';
import type { LocatedSession } from './located-session.ts';

/** What the first lines of a transcript say about it. */
export interface TranscriptHead {
  readonly dialect: 'openclaw' | 'claude-code' | undefined;
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
}

/** What the search needs of one storage. Every command loads it, so it must load little. */
export interface FindingStorage {
  /** False where one file holds many sessions, so that its path identifies none of them. */
  readonly hasOwnFile: boolean;
  /** Whether a prefix of the transcript's file name identifies a session, as a prefix of its id does. */
  readonly isNamedByFile: boolean;
  /** Whether a format of an unknown version is changed only with `--force`. */
  readonly isVersioned: boolean;
  /** Adds what only the transcript says. Undefined for a file that its program does not accept as a session. */
  describe(located: LocatedSession): FoundSession | undefined;
  /** The id that the transcript itself holds, where the name of its file may say another. */
  readOwnId?(located: LocatedSession): string | undefined;
  /** The title that the transcript itself holds. */
  readTitle?(located: LocatedSession): string | undefined;
  /**
   * What the two ends of each transcript say. Reads a bounded part of each, however long it is. A session that cannot be
   * read has no values.
   */
  readEnds<Session extends SessionAddress>(sessions: readonly Session[]): Map<Session, SessionEnds>;
  /** Says why a session that is `missing` cannot be opened. */
  explainMissing?(located: LocatedSession): string;
  /**
   * For each session the arguments of the tool calls in its last message that have no result yet; none where the last
   * message is of another kind or cannot be read. Every storage has it whose source has `locateCallers`.
   */
  readOpenCalls?<Session extends SessionAddress>(
    sessions: readonly Session[],
  ): Promise<Map<Session, unknown[]>>;
  /** Whether a running process of its program holds the lock of the transcript. Absent where it takes none. */
  isLocked?(located: LocatedSession): boolean;
  /** How a command line addresses the session so that it finds this one again, and no other. */
  addressInCommand(session: FoundSession, again: SearchAgain): CommandAddress;
}

export interface SessionEnds {
  /** What the person first said: at most 200 characters, without secrets. */
  readonly firstWords?: string;
  /** The size of the context. */
  readonly figure?: ContextFigure;
}

export type SessionAddress = Pick<FoundSession, 'sessionId' | 'path' | 'source' | 'storage'>;

interface CommandAddress {
  readonly name: string;
  /** Flags that lead the search to it. */
  readonly flags: readonly string[];
}

/** What a command on the same session needs in order to find it from the same shell. */
export interface SearchAgain {
  /** The session was named by its path, and may be where no search looks. */
  readonly byPath?: boolean;
  /** That path was the one of a transcript, also where its lines are in a database. */
  readonly byTranscript?: boolean;
  /** `--force` was given: what needed it needs it again. */
  readonly force?: boolean;
  /** `--state-dir`, where it was given; it means sessions of OpenClaw. */
  readonly flags?: readonly string[];
  /** What is typed before the name of a command; `occ` when left out. */
  readonly calledAs?: string;
  /** `--config`, where it was given: it may name the state folder or the agent. */
  readonly config?: string;
  /** Whose sessions the shell looks at without flags; OpenClaw's when left out. */
  readonly defaultSource?: SourceName;
  /** The agent that it looks at then; `main` when left out. */
  readonly defaultAgentId?: string;
}

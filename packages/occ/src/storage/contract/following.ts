import type { SessionAddress } from './finding.ts';

/** What a transcript is now, without reading it. As long as all three are the same, its lines are. */
export interface TranscriptState {
  /** Another one when lines that were there have been changed or removed. The same when lines were added. */
  readonly generation: string;
  /** Bytes of a file; of a database behind the number of its last row. */
  readonly size: number;
  /** Milliseconds, with their fraction; the same as of the located session. */
  readonly updatedAt: number;
}

/** How far a transcript was read. Plain data, which may be kept. */
export interface ReadPlace {
  readonly generation: string;
  /** Behind the last line that was read: a byte of a file, or the number of a row. */
  readonly position: number;
  /** Of what is right before it. */
  readonly hash: string;
}

export interface LinesRequest {
  /** Left out: from the beginning. */
  readonly from?: ReadPlace;
  /** Ends with the line with which so many bytes were read. */
  readonly maxBytes?: number;
  /**
   * One line, without its end. Read it before returning: the memory is used again. Lines that are too long to be held are
   * left out, and so is a last line that is still being written.
   * @param position where the line begins
   */
  onLine(line: Buffer, position: number): void;
}

export interface ReadLines {
  /** False where the lines came from the beginning: what was read before is no longer so, or nothing was. */
  readonly continues: boolean;
  /** Where the next call goes on. */
  readonly place: ReadPlace;
  /** Nothing more was there. */
  readonly isEnd: boolean;
  readonly state: TranscriptState;
}

/** Reads transcripts as they grow: those who keep what they read, or show what is said. Changes nothing on disk. */
export interface FollowingStorage {
  /** Of those that are there. */
  readStates<Session extends SessionAddress>(
    sessions: readonly Session[],
  ): Promise<Map<Session, TranscriptState>>;
  /** The lines behind a place, or all of them where that place is none any more. Undefined where the transcript is gone. */
  readLines(session: SessionAddress, request: LinesRequest): Promise<ReadLines | undefined>;
}

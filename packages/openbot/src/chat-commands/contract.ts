import type { StoredEntry } from '@openbot/sessions';
import type { Inbox, InboxMessage } from '../inbox/contract.ts';
import type { RunLock } from '../run-lock/contract.ts';
import type { ModelChoice } from '../runners/contract.ts';
import type { SessionRef } from '../session-address.ts';
import type { EntryPatch, SettingPlace } from '../session-settings/contract.ts';
import type { TranscriptRef, Transcripts } from '../transcripts/contract.ts';

/** One turn of a command: the session that it was given in, and what a command can do there. */
export interface CommandScope extends SettingPlace {
  readonly session: SessionRef;
  readonly message: InboxMessage;
  readonly turnId: string;
  /** An earlier run of the command was cut off. What it did may be done. */
  readonly recovering: boolean;
  /** Undefined before the first message. */
  readonly transcript?: TranscriptRef;
  readonly transcripts: Transcripts;
  readonly inbox: Inbox;
  readonly runLock: Pick<RunLock, 'holder'>;
  /** The model that would answer now. */
  readonly model: ModelChoice;
  readonly isWaiting: (message: InboxMessage) => boolean;
  /** ms */
  now(): number;
  /** Writes fields of the entry, which is made where there is none. */
  change(patch: EntryPatch): Promise<StoredEntry>;
  /** Has the runner replace old messages by a summary. Only for the holder of the run lock. */
  compact(instructions: string | undefined): Promise<CompactionResult>;
  /** What a person wrote, without what the runtime put around it for the model. */
  plainWords(text: string): string;
}

export type CompactionResult =
  | { readonly isDone: true; readonly tokensAfter?: number }
  | { readonly isDone: false; readonly reason: string };

export interface ChatCommand {
  readonly name: string;
  /** Other names. */
  readonly aliases?: readonly string[];
  /** What can follow it: `[on|off]`. */
  readonly argument?: string;
  readonly summary: string;
  /**
   * `at once`: beside a run, which goes on. `after the run`: it changes the transcript, so it waits for the end of a run.
   * `begins a turn`, `stops`: the turn and the queue do these themselves.
   */
  readonly when: 'at once' | 'after the run' | 'begins a turn' | 'stops';
  /**
   * Also counts inside a message: a `setting` holds for the answer to that message, a `shortcut` is answered with it. The
   * model reads neither.
   */
  readonly inside?: 'setting' | 'shortcut';
  /** Who may give it, where that is not each sender who may give commands. */
  readonly isFor?: 'everybody' | 'owners';
  /** The answer. Absent for what the turn and the queue do. */
  run?(scope: CommandScope, argument: string, all: readonly ChatCommand[]): Promise<string>;
}

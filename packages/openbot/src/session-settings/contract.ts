import type { SessionEntry, StoredEntry } from '@openbot/sessions';
import type { ResolvedAgent } from '../config/agents.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { ModelIndex, ModelRef } from '../config/models.ts';

/** The session that a setting is for, and what its values are checked against. */
export interface SettingPlace {
  readonly sessionKey: string;
  /** Undefined before the first message. */
  readonly entry?: StoredEntry;
  readonly isGroup: boolean;
  /** The channel that the session is asked on; queue modes can depend on it. */
  readonly channel?: string;
  readonly agent: Pick<ResolvedAgent, 'thinkingDefault' | 'verboseDefault' | 'reasoningDefault'>;
  readonly models: ModelIndex;
  readonly config: BotConfig;
  hasModel(ref: ModelRef): Promise<boolean>;
  /** By another session of the agent. */
  isLabelUsed(label: string): Promise<boolean>;
}

/** Fields of an entry; undefined removes one. */
export type EntryPatch = Partial<SessionEntry>;

export type ReadValue =
  | { readonly isRead: true; readonly patch: EntryPatch }
  /** A sentence about what is wrong and what can be given. */
  | { readonly isRead: false; readonly problem: string };

/** What can be told about names without asking a runner. */
export interface KnownNames {
  isModel(name: string): boolean;
}

/** One thing that a person can set for a session, by a chat command or by `openbot sessions set`. */
export interface SessionSetting {
  /** Of the chat command, and in `name=value`. */
  readonly name: string;
  readonly summary: string;
  /** For people: `on|off|full`. */
  readonly values: string;
  /** Of the entry. They belong to this setting alone, and are removed together. */
  readonly fields: readonly (keyof SessionEntry)[];
  /** Words that remove it: the agent's own setting holds again. */
  readonly unsetBy: readonly string[];
  read(text: string, place: SettingPlace): ReadValue | Promise<ReadValue>;
  /** What holds now, the agent's and the configuration's part included. */
  show(place: SettingPlace): string;
  /**
   * How many of these words are a value of it, 0 for none: in the middle of a message only a value that is meant may be
   * taken out. Absent for settings that a message cannot have inside.
   */
  countWords?(words: readonly string[], names: KnownNames): number;
}

import type { SessionStore } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import type { CommandWords } from '../chat-commands/parse-words.ts';
import type { Clock } from '../clock.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { Cooldowns } from '../cooldowns/contract.ts';
import type { Inbox, InboxMessage, MessageKind } from '../inbox/contract.ts';
import type { DeliveryTarget, Outbox } from '../outbox/contract.ts';
import type { ReplyPayload } from '../outbox/reply-payload.ts';
import type { Asker } from '../permissions/contract.ts';
import type { TurnOutcome } from '../queue/contract.ts';
import type { RunLock } from '../run-lock/contract.ts';
import type { RunnerName } from '../runner-kinds.ts';
import type { AbortCause, RunEvent, Runner, RunUsage } from '../runners/contract.ts';
import type { Tool, ToolSession } from '../tools/contract.ts';
import type { Transcripts } from '../transcripts/contract.ts';
import type { SkillWatch } from './skills/watch-skills.ts';
import type { MentionWords } from './words/strip-mentions.ts';

/** What all turns of a bot share. Everything that they keep goes through the first six. */
export interface TurnTools {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly transcripts: Transcripts;
  openStore(agentId: string): { readonly store: SessionStore; readonly storePath: string };
  readonly cooldowns: Cooldowns;
  /** Undefined when no runner has models of this provider. `wanted` is the one that the agent names. */
  findRunner(provider: string, wanted?: RunnerName): Promise<Runner | undefined>;
  /** Whether a runner may have models of this provider. Loads none. */
  isProvider(provider: string): boolean;
  /** The tools that a conversation has beside those for files. */
  sessionTools(session: ToolSession): readonly Tool[];
  /** How the person who wrote a message is asked for permissions; a text says why they cannot be. */
  askerOf(place: QuestionPlace): Asker | string;
  /** Of the time that people have for an answer. */
  readonly clock: Clock;
  readonly config: BotConfig;
  readonly mentions: MentionWords;
  readonly stateDir: string;
  readonly env: Environment;
  kindOf(message: InboxMessage): MessageKind;
  /** What a message asks of the bot itself; `text` for a sender who may not ask. */
  wordsOf(message: InboxMessage): CommandWords;
  /** A text of a message without the settings and shortcuts inside it, if its sender may give them. */
  stripInside(message: InboxMessage, text: string): string;
  /** What the text behind `/new` asks of the bot itself; undefined where it is for the agent. */
  readAfterReset(message: InboxMessage, text: string): CommandWords | undefined;
  /** How long a message may wait for a model that cannot be reached; 0 where its sender waits for the end of the run. ms */
  patienceOf(message: InboxMessage): number;
  /** Who runs a session. */
  readonly runLock: Pick<RunLock, 'holder'>;
  /** ms */
  now(): number;
  /** One line for each channel that is open and that messages come from to the agent. */
  summarizeChannels(agentId: string): readonly string[];
  /** Of a process that runs many turns. */
  readonly skillWatch?: SkillWatch;
}

/** The turn that asks, and where the person is. */
export interface QuestionPlace {
  readonly turnId: string;
  readonly message: InboxMessage;
  readonly target: DeliveryTarget;
}

/** A caller that waits for this turn in this process. */
export interface TurnWatcher {
  /** Tool calls are shown as they happen, and not again in the replies. */
  readonly showsTools?: boolean;
  /** Asks the person who waits, in the place of their conversation. */
  readonly asker?: Asker;
  onEvent(event: TurnEvent): void;
  /** Ends what is shown while the model writes. Replies are put into the outbox after it has resolved. */
  settle?(): Promise<void>;
}

export type TurnEvent =
  | RunEvent
  /** The session and the model are known; the run begins. */
  | {
      readonly type: 'started';
      readonly turnId: string;
      readonly sessionKey: string;
      readonly sessionId: string;
      readonly isNewSession: boolean;
      readonly provider: string;
      readonly model: string;
    }
  /** Something that the person should know and that ends nothing: a SKILL.md that cannot be read. */
  | {
      readonly type: 'warning';
      readonly message: string;
      /** The owner of the bot should find it in the log too. */
      readonly isForLog?: true;
    };

/** What became of a turn. */
export interface TurnReport {
  readonly sessionId: string;
  readonly provider: string;
  readonly model: string;
  /** What a person would be sent. */
  readonly payloads: readonly ReplyPayload[];
  readonly usage?: RunUsage;
  readonly lastUsage?: RunUsage;
  readonly compactions: number;
  readonly outcome: 'answered' | 'silent' | 'aborted' | 'failed';
  readonly abortedBy?: AbortCause;
  readonly error?: { readonly message: string; readonly hint?: string };
}

export interface TurnResult {
  readonly outcome: TurnOutcome;
  readonly report: TurnReport;
}

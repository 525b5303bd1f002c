import type { SessionStore, StoredEntry } from '@openbot/sessions';
import type { Channel } from '../channels/contract.ts';
import type { ResolvedAgent } from '../config/agents.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { ModelRef } from '../config/models.ts';
import type { IndexDatabase } from '../index-db/index-database.ts';
import type { BotState } from '../state/open-state.ts';
import type { ToolSession } from '../tools/contract.ts';
import { nameActions } from '../tools/name-actions.ts';
import type { TranscriptRef } from '../transcripts/contract.ts';
import { locateTranscript } from '../transcripts/locate-transcript.ts';
import type { RelayDesk } from './relay-desk.ts';

/** The most that a model can wait for another session, or give it: timers hold no more than 24 days. */
export const MOST_SECONDS = 24 * 3600;

/** What the tools of conversations share. */
export interface SessionToolParts {
  readonly state: Pick<BotState, 'inbox' | 'outbox' | 'transcripts' | 'runLock' | 'storeOf' | 'storePathOf'>;
  readonly config: BotConfig;
  readonly stateDir: string;
  readonly channels: readonly Pick<Channel, 'name' | 'accountId'>[];
  readonly relays: RelayDesk;
  /** ms */
  now(): number;
  onTrouble(error: unknown, sessionKey?: string): void;
  /** Absent where none is kept. */
  readonly index?: {
    readonly path: string;
    /** Brings its messages up to date with the transcripts. */
    catchUp(index: IndexDatabase): Promise<unknown>;
  };
  /** Something was put into the outbox. */
  wakeSender(): void;
  /** Undefined when no runner has models of the provider. */
  hasModel(agent: ResolvedAgent, ref: ModelRef): Promise<boolean>;
}

/** One turn, for its tools. */
export class ToolScope {
  readonly parts: SessionToolParts;
  readonly session: ToolSession;
  readonly agent: ResolvedAgent;
  /** A name for what a call does, by kind and content. */
  readonly nameAction: ReturnType<typeof nameActions>;

  constructor(parts: SessionToolParts, session: ToolSession, agent: ResolvedAgent) {
    this.parts = parts;
    this.session = session;
    this.agent = agent;
    this.nameAction = nameActions(session.turnId);
  }

  get store(): SessionStore {
    return this.parts.state.storeOf(this.session.agentId);
  }

  /** The transcript of a session of this agent. */
  refOf(sessionKey: string, entry: StoredEntry): TranscriptRef {
    const { agentId } = this.session;
    const { stateDir, state } = this.parts;
    return {
      agentId,
      sessionKey,
      sessionId: entry.sessionId,
      sessionFile: locateTranscript({ stateDir, agentId, storePath: state.storePathOf(agentId) }, entry),
      cwd: this.agent.workspaceDir,
    };
  }
}

/** What a tool answers with: data, which models read well as JSON. */
export function answer(value: unknown): string {
  return JSON.stringify(value, null, 1);
}

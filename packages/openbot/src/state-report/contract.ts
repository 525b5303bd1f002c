import type { GatewayReport } from '../gateway-client/look-at-gateway.ts';
import type { KeptMessages, Letter } from '../kept-messages/look-into-messages.ts';
import type { SessionRow } from '../kept-sessions/contract.ts';

/** What is in a state folder and around it, at one moment. Nothing in it is a secret. */
export interface StatusReport {
  readonly stateDir: string;
  readonly exists: boolean;
  /** `openbot.json`, or OpenClaw's where that is missing. */
  readonly configPath?: string;
  readonly agents: readonly AgentStatus[];
  readonly sessions: { readonly count: number; readonly recent: readonly RecentSession[] };
  readonly runs: readonly RunStatus[];
  readonly messages?: Omit<KeptMessages, 'path'>;
  readonly deadLetters: readonly Letter[];
  readonly channels: readonly ChannelStatus[];
  readonly gateway: GatewayReport;
  readonly models: readonly ModelStatus[];
  readonly index?: IndexStatus;
  /** Thinking that providers left out of requests of sessions. Absent where there is none. */
  readonly droppedThinking?: DroppedThinking;
  /** What could not be read, and why. */
  readonly faults: readonly { readonly part: string; readonly code: string; readonly message: string }[];
}

export interface AgentStatus {
  readonly id: string;
  readonly isDefault: boolean;
  readonly store: string;
  /** For people: `a file`, `OpenClaw's database`. */
  readonly keptIn: string;
  /** Undefined where the store cannot be read. */
  readonly sessions?: number;
  /** Ms. */
  readonly lastUsedAt?: number;
}

export type RecentSession = SessionRow & { readonly label?: string };

/** A session that a process runs now. */
export interface RunStatus {
  readonly process: string;
  /** Ms. */
  readonly since?: number;
}

export interface ChannelStatus {
  readonly name: string;
  readonly enabled: boolean;
  readonly accounts: readonly string[];
  /** Whether this version can speak on it. */
  readonly hasDriver: boolean;
}

export interface ModelStatus {
  /** `provider/model` */
  readonly name: string;
  readonly agents: readonly string[];
  readonly isKnown: boolean;
  readonly credential: 'present' | 'missing' | 'unneeded' | 'unknown';
  /** Where it was found or how to set it. Never its value. */
  readonly credentialHint?: string;
}

export interface DroppedThinking {
  readonly blocks: number;
  readonly sessions: number;
  /** Ms, of the last one. */
  readonly at: number;
}

export interface IndexStatus {
  readonly path: string;
  readonly sizeBytes: number;
  readonly version?: number;
  /** Whether this version of the program can use it as it is. */
  readonly isCurrent: boolean;
  readonly sessions?: number;
  readonly messages?: number;
}

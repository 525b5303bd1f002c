import type { StoredSession } from '@openbot/sessions';
import type { SessionRef } from '../../session-address.ts';

/** A session as clients show it. `key` and `kind` are always there. */
export interface GatewayRow {
  readonly key: string;
  readonly kind: string;
  readonly agentId: string;
  readonly sessionId?: string;
  readonly [field: string]: unknown;
}

/** What is read from transcripts for a row. */
export interface RowExtras {
  /** `derivedTitle` */
  readonly title?: boolean;
  /** `lastMessagePreview` */
  readonly lastMessage?: boolean;
}

/** Which rows, in the words of `sessions.list`. */
export interface RowQuestion {
  /** Agents whose sessions may be seen. All when absent. */
  readonly agentIds?: ReadonlySet<string>;
  readonly agentId?: string;
  /** In keys, ids and names; in any case. */
  readonly search?: string;
  readonly label?: string;
  readonly spawnedBy?: string;
  readonly activeMinutes?: number;
  readonly activeOnly?: boolean;
  /** True: those alone that were archived. Otherwise those alone that were not, unless all are asked for. */
  readonly archived?: boolean | 'all';
  /** OpenClaw's dashboards. No session has one here. */
  readonly hasBoard?: boolean;
  readonly includeGlobal?: boolean;
  readonly includeUnknown?: boolean;
  readonly configuredAgentsOnly?: boolean;
  readonly sortBy?: RowOrder;
  readonly offset?: number;
  readonly limit: number;
  readonly extras?: RowExtras;
}

export const ROW_ORDERS = ['updatedAt', 'lastInteractionAt', 'activity'] as const;
export type RowOrder = (typeof ROW_ORDERS)[number];

export interface RowPage {
  readonly rows: readonly GatewayRow[];
  /** Without limit and offset. */
  readonly total: number;
}

/** A session of a store, under the key that clients know it by. */
export interface KnownSession {
  readonly ref: SessionRef;
  /** With the key of the store. */
  readonly stored: StoredSession;
}

/** Rows of sessions, with what runs now. */
export interface SessionRows {
  /** Undefined where there is no such session. */
  find(session: SessionRef, extras?: RowExtras): Promise<GatewayRow | undefined>;
  list(question: RowQuestion): Promise<RowPage>;
  /** All sessions of an agent, or of all agents. */
  known(agentId?: string): Promise<readonly KnownSession[]>;
  /** Gives back what is kept of stores and transcripts. */
  forget(): void;
}

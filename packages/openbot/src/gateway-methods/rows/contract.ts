import type { SessionRef } from '../../session-address.ts';

/** A session as clients show it. `key` and `kind` are always there. */
export interface GatewayRow {
  readonly key: string;
  readonly kind: string;
  readonly agentId: string;
  readonly sessionId?: string;
  readonly [field: string]: unknown;
}

/** Rows of sessions, with what runs now. */
export interface SessionRows {
  /** Undefined where there is no such session. */
  find(session: SessionRef): Promise<GatewayRow | undefined>;
}

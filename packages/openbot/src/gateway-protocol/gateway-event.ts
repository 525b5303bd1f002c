import type { Scope } from './scopes.ts';

/** Something that connections are told. The server gives each connection its own `seq`. */
export interface GatewayEvent {
  /** `chat`, `agent`, `sessions.changed`. */
  readonly event: string;
  readonly payload: unknown;
  /** Connections whose token is for other agents do not get it. Undefined: it is about no agent. */
  readonly agentId?: string;
  /** `operator.read` when absent. */
  readonly scope?: Scope;
  /** Only for connections that subscribed: to all sessions, or to the messages of the one at `address`. */
  readonly audience?: { readonly to: 'sessions' } | { readonly to: 'messages'; readonly address: string };
  /** Only for connections with this capability, such as `tool-events`. */
  readonly cap?: string;
  /** Left out for a connection that reads too slowly; its seq is used up. */
  readonly isDroppable?: boolean;
  readonly stateVersion?: { readonly presence: number; readonly health: number };
}

/** Where methods and what follows runs put events. */
export interface EventHub {
  publish(event: GatewayEvent): void;
  /** Whether a connection would get such an event: to make rows and read transcripts only for those who listen. */
  hasListener(event: Pick<GatewayEvent, 'audience' | 'cap' | 'agentId'>): boolean;
}

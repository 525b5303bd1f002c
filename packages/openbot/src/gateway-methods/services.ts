import type { Environment } from '@openbot/sessions/layout';
import type { AgentHost } from '../agent-host/contract.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { EventHub } from '../gateway-protocol/gateway-event.ts';
import { type Caller, declareMethod } from '../gateway-protocol/method.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import type { GatewayWorker } from '../gateway-worker/contract.ts';
import type { SessionRef } from '../session-address.ts';
import type { BotState } from '../state/open-state.ts';
import type { WatchedEventLoop } from './event-loop.ts';
import type { SessionRows } from './rows/contract.ts';
import type { GatewayRuns } from './runs/contract.ts';

/** What the methods of the gateway work with. */
export interface GatewayServices {
  readonly stateDir: string;
  readonly env: Environment;
  /** Always the present one. */
  readonly config: BotConfig;
  readonly configPath: string;
  /** Why the configuration is not used as it is now. */
  configFault?(): string | undefined;
  /** Of this process. What the host keeps is seen here too. */
  readonly state: BotState;
  readonly host: AgentHost;
  /** For what reads or rewrites whole transcripts: here it would hold up every connection. */
  readonly worker: Pick<GatewayWorker, 'run'>;
  readonly hub: EventHub;
  readonly runs: GatewayRuns;
  readonly rows: SessionRows;
  readonly logPath?: string;
  /** ms */
  readonly startedAt: number;
  now(): number;
  /** Of this process. */
  readonly eventLoop: Pick<WatchedEventLoop, 'read'>;
  /** Connections, as `system-presence` lists them. */
  presence(): readonly unknown[];
}

export const gatewayMethod = declareMethod<GatewayServices>();

/** A caller with a token for other agents is told what it would be told of an agent that does not exist. */
export function assertMayReach(caller: Caller, { agentId }: Pick<SessionRef, 'agentId'>): void {
  if (caller.agentIds === undefined || caller.agentIds.has(agentId)) return;
  throw refuse('INVALID_REQUEST', `Agent "${agentId}" no longer exists in configuration`);
}

export function mayReach({ agentIds }: Caller, agentId: string): boolean {
  return agentIds === undefined || agentIds.has(agentId);
}

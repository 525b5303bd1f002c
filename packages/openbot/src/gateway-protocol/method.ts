import type { ParamShape, ParamsOf } from './param-shapes.ts';
import type { Scope } from './scopes.ts';

/** Who asks, over a WebSocket or HTTP. */
export interface Caller {
  /** Of the connection; a new one for each HTTP request. */
  readonly connId: string;
  readonly scopes: ReadonlySet<string>;
  /** The agents that a token is for: the caller sees and reaches no other. Undefined: all. */
  readonly agentIds?: ReadonlySet<string>;
  /**
   * Whether chat commands in messages count: they do what methods for administrators do. For the token of the gateway,
   * whatever scopes were asked for, and for a device that was approved as an administrator's.
   */
  readonly mayCommand?: boolean;
  readonly client: {
    readonly id: string;
    readonly mode: string;
    readonly displayName?: string;
    readonly version?: string;
    readonly platform?: string;
  };
  readonly caps: ReadonlySet<string>;
  readonly deviceId?: string;
  /** A command of the owner, in a process on this machine. */
  readonly isCommand?: boolean;
  /** What the connection wants to hear; HTTP callers cannot. */
  readonly subscriptions?: Subscriptions;
}

export interface Subscriptions {
  /** `sessions.subscribe`: changes of sessions, and messages of all of them. */
  addSessions(): void;
  /** `sessions.messages.subscribe`: messages of one session, by its address. */
  addMessages(address: string): void;
  /** `sessions.messages.unsubscribe`. */
  removeMessages(address: string): void;
}

/** One request. `Services` is what the methods of a gateway work with. */
export interface MethodCall<Services> {
  readonly caller: Caller;
  readonly services: Services;
  /** Sends a response before that of the result, with the same id: `agent` has two. Over HTTP it does nothing. */
  respondFirst(payload: unknown): void;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

export interface GatewayMethod<Services> {
  readonly name: string;
  /** Checked before the params are. */
  readonly scope: Scope;
  readonly params: ParamShape;
  /** Whether hello-ok lists it. */
  readonly isListed: boolean;
  /** For commands of the owner alone: to others there is no such method. */
  readonly isForCommands: boolean;
  /** Whether the audit log has a call with these params, which are not checked yet. */
  isAudited(params: unknown): boolean;
  handle(params: never, call: MethodCall<Services>): unknown;
}

/** Declares a method with the types of its params. */
export function declareMethod<Services>() {
  return <const S extends ParamShape>(method: {
    readonly name: string;
    readonly scope: Scope;
    readonly params: S;
    readonly isListed?: boolean;
    readonly isForCommands?: boolean;
    /** All calls where the scope is that of the owner, else none. */
    isAudited?(params: unknown): boolean;
    handle(params: ParamsOf<S>, call: MethodCall<Services>): unknown;
  }): GatewayMethod<Services> => ({
    isListed: method.isForCommands !== true,
    isForCommands: false,
    isAudited: () => method.scope === 'operator.admin',
    ...method,
    handle: method.handle as GatewayMethod<Services>['handle'],
  });
}

import {
  type IContextFetchingStrategy,
  WebSocketShard,
  type WebSocketShardDestroyOptions,
} from '@discordjs/ws';
import type { WebSocket } from 'ws';

/** How a connection ended. */
export interface ConnectionEnd {
  /** That the socket was closed with. */
  readonly code?: number;
  /** Discord does not know the session any more. */
  readonly isSessionLost: boolean;
}

const INVALID_SEQUENCE = 4007;
/** A close with 1000 would end the session too. */
export const RESUMABLE_CLOSE = 4200;
/** Values of an enumeration of the library. */
const RECONNECT = 0;

/**
 * A connection to the gateway that does not connect again by itself. The library does so after half a second for ever,
 * and drops the session after any failure to connect; when to try and what to resume is decided in `gateway-link.ts`.
 */
export class OneConnection extends WebSocketShard {
  readonly #onEnd: (end: ConnectionEnd) => void;
  #ending: Promise<void> | undefined;

  constructor(strategy: IContextFetchingStrategy, onEnd: (end: ConnectionEnd) => void) {
    super(strategy, 0);
    this.#onEnd = onEnd;
  }

  /** Called by the library whenever it gives a connection up. It may do so twice for one end. */
  override destroy(options: WebSocketShardDestroyOptions = {}): Promise<void> {
    this.#ending ??= this.#end({ ...options });
    return this.#ending;
  }

  async #end({ recover, code, reason }: WebSocketShardDestroyOptions): Promise<void> {
    // The library has no code of its own here only when Discord declared the session invalid or asked to reconnect.
    const isSessionLost = recover === RECONNECT && (code === undefined || code === INVALID_SEQUENCE);
    const socket = Reflect.get(this, 'connection') as WebSocket | null;
    // The library takes its listeners off a socket that is still connecting, and leaves it open.
    socket?.on('error', () => {});
    const closed = super.destroy({
      code: code === undefined || code < 4000 ? RESUMABLE_CLOSE : code,
      reason,
    });
    if (socket?.readyState === socket?.CONNECTING) socket?.terminate();
    this.#onEnd({ code, isSessionLost });
    await closed;
  }
}

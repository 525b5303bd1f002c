import type { Clock } from '../../clock.ts';
import { HEALTH_MS } from '../../gateway-protocol/limits.ts';
import type { Caller } from '../../gateway-protocol/method.ts';
import type { Dispatcher } from '../dispatch.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';

/** The gateway itself, as one that reads. */
const SELF: Caller = {
  connId: 'gateway',
  scopes: new Set(['operator.read']),
  client: { id: 'gateway-client', mode: 'backend' },
  caps: new Set(),
};
/** Clients that connect at about the same time are told the same. */
const FRESH_MS = 5_000;

export interface HealthEvents {
  /** A connection is told at once, the others when they were last told long ago. */
  tell(connection: Connection): void;
  close(): void;
}

/** Sends what the method `health` says, to those that connect and from time to time to all. */
export function keepHealth({
  connections,
  dispatcher,
  clock,
}: {
  readonly connections: Connections;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
}): HealthEvents {
  let last: { readonly at: number; readonly payload: Promise<unknown> } | undefined;
  const ask = async () => {
    const { signal } = new AbortController();
    const respondFirst = () => {};
    const outcome = await dispatcher.call({
      method: 'health',
      params: {},
      caller: SELF,
      address: '',
      signal,
      respondFirst,
    });
    return outcome.ok ? outcome.payload : undefined;
  };
  const fresh = () => {
    if (last === undefined || clock.now() - last.at > FRESH_MS) last = { at: clock.now(), payload: ask() };
    return last.payload;
  };
  let cancel = () => {};
  const sleep = () => {
    cancel = clock.after(HEALTH_MS, () => {
      if (connections.open.length > 0)
        fresh().then((payload) => payload !== undefined && connections.tellHealth(payload));
      sleep();
    });
  };
  if (dispatcher.has('health')) sleep();
  return {
    tell(connection) {
      if (!dispatcher.has('health')) return;
      fresh().then((payload) => payload !== undefined && connections.tellHealth(payload, connection));
    },
    close: () => cancel(),
  };
}

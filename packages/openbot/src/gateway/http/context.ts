import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { DeviceBook } from '../../gateway-devices/device-book.ts';
import type { FailureLimits } from '../admission/failure-limits.ts';
import type { Peer } from '../admission/peer.ts';
import type { Dispatcher } from '../dispatch.ts';
import type { Figures } from '../figures.ts';
import type { GatewaySettings } from '../settings.ts';
import type { Connections } from '../sockets/connections.ts';

/** What answering one request needs. */
export interface HttpContext {
  readonly peer: Peer;
  readonly settings: GatewaySettings;
  readonly devices: DeviceBook;
  readonly failures: FailureLimits;
  readonly dispatcher: Dispatcher;
  readonly connections: Connections;
  readonly figures: Figures;
  readonly clock: Clock;
  readonly version: string;
  readonly uptimeMs: number;
  failing(): readonly string[];
  measure(): readonly string[];
  log(line: string): void;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the query, as it was sent. */
  readonly path: string;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(text);
}

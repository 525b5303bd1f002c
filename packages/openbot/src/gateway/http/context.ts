import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpAnswer, IncomingHttp } from '../../channels/contract.ts';
import type { Clock } from '../../clock.ts';
import type { DeviceBook } from '../../gateway-devices/device-book.ts';
import type { FailureLimits } from '../admission/failure-limits.ts';
import type { Peer } from '../admission/peer.ts';
import type { Dispatcher } from '../dispatch.ts';
import type { Figures } from '../figures.ts';
import type { GatewaySettings } from '../settings.ts';
import type { Shares } from '../shares.ts';
import type { Connections } from '../sockets/connections.ts';

/** A request for an account of a channel. */
export interface Webhook extends IncomingHttp {
  readonly channel: string;
  readonly accountId: string;
}

/** What answering one request needs. */
export interface HttpContext {
  readonly peer: Peer;
  readonly settings: GatewaySettings;
  readonly devices: DeviceBook;
  readonly failures: FailureLimits;
  /** Of requests to channels, which have signatures of their own. */
  readonly webhookFailures: FailureLimits;
  readonly dispatcher: Dispatcher;
  readonly connections: Connections;
  readonly figures: Figures;
  readonly incoming: Shares;
  /** Requests under way: those with a token, of chat networks, and of pages. */
  readonly requests: Shares;
  readonly webhooks: Shares;
  readonly pages: Shares;
  readonly clock: Clock;
  readonly version: string;
  readonly uptimeMs: number;
  failing(): readonly string[];
  measure(): readonly string[];
  /** Passes a request on to its channel. Never rejects. */
  readonly receiveWebhook?: (request: Webhook) => Promise<HttpAnswer>;
  log(line: string): void;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the query, as it was sent. */
  readonly path: string;
}

type Headers = Readonly<Record<string, string>>;

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Headers = {},
): void {
  response.end(beginJson(response, status, body, headers));
}

/** A place among those that are answered at the same time, until the response is over. False where there is none. */
export function takePlace(places: Shares, sender: string, response: ServerResponse): boolean {
  const place = places.open(sender);
  if (!place.hold(1)) return false;
  response.on('close', () => place.release());
  return true;
}

const MOST_DISCARDED = 8 * 1024 * 1024;
const DISCARD_MS = 1_000;

/**
 * Answers a request whose body is not read to its end, and closes the connection. What still comes is discarded for a
 * while: a close with unread bytes would take the answer away from the client.
 */
export function sendLastJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Headers = {},
): void {
  const { req: request } = response;
  response.write(beginJson(response, status, body, { ...headers, connection: 'close' }));
  let discarded = 0;
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, DISCARD_MS).unref();
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MOST_DISCARDED) end();
  });
  request.on('end', end);
  response.on('close', () => clearTimeout(timer));
}

function beginJson(response: ServerResponse, status: number, body: unknown, headers: Headers): string {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
  });
  return text;
}

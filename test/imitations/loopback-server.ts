/** An HTTP server on loopback that speaks JSON and remembers what it was asked: what imitations of APIs stand on. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RecordedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Parsed; undefined for a request without a body. */
  readonly body: unknown;
}

export interface LoopbackServer {
  readonly url: string;
  /** Every request, whatever its path and its answer; the oldest first. */
  readonly requests: RecordedRequest[];
  close(): Promise<void>;
}

export interface LoopbackHandlers {
  answer(request: RecordedRequest, response: ServerResponse): Promise<void>;
  /** Tells the client that `answer` threw, or that the body is no JSON. */
  refuse(response: ServerResponse, message: string): void;
}

export async function startLoopbackServer(handlers: LoopbackHandlers): Promise<LoopbackServer> {
  const requests: RecordedRequest[] = [];

  async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? '/', 'http://loopback').pathname;
    const raw = await text(incoming);
    const body: unknown = raw === '' ? undefined : JSON.parse(raw);
    const request = { method: incoming.method ?? 'GET', path, headers: incoming.headers, body };
    requests.push(request);
    await handlers.answer(request, response);
  }

  const server = createServer((incoming, response) => {
    receive(incoming, response).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (response.headersSent) response.destroy();
      else handlers.refuse(response, message);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close() {
      return new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      });
    },
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A text in two pieces, so that a client must join what is streamed. */
export function halves(whole: string): string[] {
  const middle = Math.ceil(whole.length / 2);
  return [whole.slice(0, middle), whole.slice(middle)].filter((half) => half !== '');
}

/** Leaves a stream without its end. @param fail writes an error to it */
export function breakOff<E extends object>(
  response: ServerResponse,
  how: 'cut' | 'stall' | E,
  fail: (error: E) => void,
): void {
  // What was written so far is sent before the connection is lost.
  if (how === 'cut') setImmediate(() => response.destroy());
  else if (how !== 'stall') {
    fail(how);
    response.end();
  }
}

/** About as a provider would count them. */
export function tokensOf(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? '').length / 4);
}

import { type Agent, type IncomingMessage, request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';

/** What grammY asks of a fetch. */
interface ApiRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a form with files. */
  readonly body?: string | Readable;
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
}

/** 100 updates, the most that Telegram gives at once, are a tenth of it. */
const MOST_BYTES = 10_000_000;

/**
 * The fetch that grammY's calls are made with: no more than they need of one. That which grammY brings costs as much for a
 * message as the inbox and the outbox together.
 */
export function apiFetch(url: string, asked: ApiRequest): Promise<{ json(): Promise<unknown> }> {
  const { method, headers, body, agent, signal } = asked;
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestSecurely : request;
    const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {};
    const options = { ...splitUrl(url), method, headers: { ...headers, ...length }, agent, signal };
    const call = send(options, (response) => resolve({ json: () => readJson(response) }));
    call.once('error', reject);
    if (body === undefined || typeof body === 'string') call.end(body);
    // grammY ends the call where the file cannot be read.
    else body.pipe(call);
  });
}

/** The parts of the last server: a bot has one. */
let server: { readonly origin: string; readonly options: object } | undefined;

function splitUrl(url: string): object {
  const at = url.indexOf('/', 'https://'.length);
  const origin = url.slice(0, at);
  if (server?.origin !== origin) {
    const { hostname, port, auth } = urlToHttpOptions(new URL(origin));
    server = { origin, options: { hostname, port, auth } };
  }
  return { ...server.options, path: url.slice(at) };
}

function readJson(response: IncomingMessage): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // By events: an iterator takes as long as all else of the answer.
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_BYTES) response.destroy(new Error(`the answer is longer than ${MOST_BYTES} bytes`));
      else chunks.push(chunk);
    });
    response.once('error', reject);
    response.once('close', () => reject(new Error('the answer is not whole')));
    response.once('end', () => {
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      } catch (cause) {
        reject(Object.assign(new Error('the answer is no JSON', { cause }), { type: 'invalid-json' }));
      }
    });
  });
}

import { type Agent, type IncomingMessage, request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { Readable } from 'node:stream';

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
    const call = send(url, { method, headers: { ...headers, ...length }, agent, signal }, (response) =>
      resolve({ json: () => readJson(response) }),
    );
    call.once('error', reject);
    if (body === undefined || typeof body === 'string') call.end(body);
    // grammY ends the call where the file cannot be read.
    else body.pipe(call);
  });
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`the answer is longer than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    throw Object.assign(new Error('the answer is no JSON', { cause }), { type: 'invalid-json' });
  }
}

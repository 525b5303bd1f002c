import { sendFailure } from '../send-failure.ts';
import { isNeverConnected } from './never-connected.ts';

export interface NetworkCall {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

export interface NetworkAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Answers of chat networks are short. */
const MOST_BYTES = 1_000_000;

/**
 * Calls a chat network, or what a person attached in its place. An answer of any status is returned; that there is none is
 * thrown as a failure of a send. Redirects are not followed: they would carry secrets to an address that was not configured.
 */
export async function callNetwork(call: NetworkCall): Promise<NetworkAnswer> {
  try {
    const response = await openNetwork(call);
    const { status, headers } = response;
    return { status, headers, text: await readText(response) };
  } catch (error) {
    throw networkFailure(error, call.url);
  }
}

/** As `callNetwork`, for an answer whose body is read by the caller. */
export function openNetwork({ url, method, headers, body, signal }: NetworkCall): Promise<Response> {
  return fetch(url, { method, headers, body, signal, redirect: 'manual' });
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new Error(`the answer is longer than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function networkFailure(error: unknown, url: string) {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  const code = cause?.code ?? '';
  const why = code || cause?.message || message;
  // Of the address only the host: its path and query may hold a secret.
  return sendFailure(`No answer from ${new URL(url).host}: ${why}`, {
    isPermanent: false,
    mayHaveArrived: !isNeverConnected(code),
    cause: error,
  });
}

/** `Retry-After` in seconds or as a date, in ms. */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after')?.trim();
  if (!text) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) && ms > 0 ? Math.min(Math.ceil(ms), 24 * 3_600_000) : undefined;
}

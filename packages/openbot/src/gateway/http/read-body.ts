import type { IncomingMessage } from 'node:http';

export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'too large' }
  | { readonly kind: 'no json' }
  /** The client went away. */
  | { readonly kind: 'cut off' };

/** An empty body is `{}`. Stops reading what is too large. */
export async function readJsonBody(request: IncomingMessage, mostBytes: number): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return { kind: 'too large' };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += (chunk as Buffer).length;
      if (size > mostBytes) return { kind: 'too large' };
      chunks.push(chunk as Buffer);
    }
  } catch {
    return { kind: 'cut off' };
  }
  if (size === 0) return { kind: 'json', value: {} };
  try {
    return { kind: 'json', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { kind: 'no json' };
  }
}

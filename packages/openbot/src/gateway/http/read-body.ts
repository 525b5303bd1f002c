import type { IncomingMessage } from 'node:http';
import type { Share } from '../shares.ts';

/** `crowded`: too much is being read at the same time. `cut off`: the client went away. */
type Unread = 'too large' | 'crowded' | 'cut off';

export type Body = { readonly kind: 'json'; readonly value: unknown } | { readonly kind: Unread | 'no json' };

export interface BodyLimits {
  readonly mostBytes: number;
  /** Of all that is being read. */
  readonly part: Share;
}

/** As it was sent. Stops reading what is too large. */
export async function readBody(
  request: IncomingMessage,
  { mostBytes, part }: BodyLimits,
): Promise<Buffer | Unread> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return 'too large';
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The connection lives on, for the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > mostBytes) return 'too large';
      if (!part.hold(size)) return 'crowded';
      chunks.push(chunk as Buffer);
    }
  } catch {
    return 'cut off';
  } finally {
    part.release();
  }
  return Buffer.concat(chunks);
}

/** An empty body is `{}`. */
export async function readJsonBody(request: IncomingMessage, limits: BodyLimits): Promise<Body> {
  const body = await readBody(request, limits);
  if (typeof body === 'string') return { kind: body };
  if (body.length === 0) return { kind: 'json', value: {} };
  try {
    return { kind: 'json', value: JSON.parse(body.toString('utf8')) };
  } catch {
    return { kind: 'no json' };
  }
}

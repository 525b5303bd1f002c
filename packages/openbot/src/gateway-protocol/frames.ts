/** What goes over a WebSocket: one JSON object in each frame. */
import type { WireError } from './wire-errors.ts';

export type ClientFrame =
  | { readonly kind: 'request'; readonly id: string; readonly method: string; readonly params: unknown }
  /** JSON, and no request. The answer has its id, or `invalid`. */
  | { readonly kind: 'malformed'; readonly id: string; readonly message: string }
  /** Not JSON: it gets no answer. */
  | { readonly kind: 'noise' };

export function parseFrame(text: string): ClientFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'noise' };
  }
  const frame = isObject(value) ? value : undefined;
  const id = isFilled(frame?.id) ? frame.id : undefined;
  const fault = frame === undefined ? 'must be object' : faultOf(frame);
  if (fault !== undefined || id === undefined)
    return { kind: 'malformed', id: id ?? 'invalid', message: `invalid request frame: ${fault}` };
  return { kind: 'request', id, method: frame!.method as string, params: frame!.params };
}

function faultOf(frame: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of ['id', 'type', 'method']) {
    if (frame[name] === undefined) return `must have required property '${name}'`;
    if (typeof frame[name] !== 'string') return `at /${name}: must be string`;
    if (frame[name] === '') return `at /${name}: must NOT have fewer than 1 characters`;
  }
  return frame.type === 'req' ? undefined : 'at /type: must be equal to constant';
}

/** Throws for a payload that JSON cannot hold. */
export function formatResponse(id: string, payload: unknown): string {
  return JSON.stringify({ type: 'res', id, ok: true, payload: payload ?? {} });
}

export function formatRefusal(id: string, error: WireError): string {
  return JSON.stringify({ type: 'res', id, ok: false, error });
}

export interface EventFrame {
  readonly event: string;
  readonly payload: unknown;
  readonly stateVersion?: { readonly presence: number; readonly health: number };
}

/** The text of an event for each connection, which differ by `seq` alone. */
export function formatEvent({ event, payload, stateVersion }: EventFrame): (seq: number) => string {
  const body = JSON.stringify({ type: 'event', event, payload, stateVersion }).slice(0, -1);
  return (seq) => `${body},"seq":${seq}}`;
}

/** The first frame of a connection. It has no seq. Clients with a device sign `ts`. */
export function formatChallenge(nonce: string, ts: number): string {
  return JSON.stringify({
    type: 'event',
    event: 'connect.challenge',
    payload: { nonce, ts, capabilities: [] },
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

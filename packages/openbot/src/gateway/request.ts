import type { Caller } from '../gateway-protocol/method.ts';
import type { WireError } from '../gateway-protocol/wire-errors.ts';

/** A request, however it came. */
export interface Request {
  readonly method: string;
  readonly params: unknown;
  readonly caller: Caller;
  readonly address: string;
  readonly signal: AbortSignal;
  respondFirst(payload: unknown): void;
}

export type Outcome =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly error: WireError };

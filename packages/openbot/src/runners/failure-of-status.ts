import type { ModelFailure } from './contract.ts';

const BY_STATUS: Readonly<Record<number, ModelFailure>> = {
  401: 'unauthorised',
  402: 'exhausted',
  403: 'unauthorised',
  408: 'unreachable',
  429: 'rate-limited',
};

/** What the status of a provider's answer says, under every runner. All that a server says of itself may pass. */
export function failureOfStatus(status: number): ModelFailure | undefined {
  return BY_STATUS[status] ?? (status >= 500 ? 'overloaded' : undefined);
}

const TRANSIENT: readonly (ModelFailure | undefined)[] = ['overloaded', 'rate-limited', 'unreachable'];

/** Whether the same request may succeed later. */
export function isTransient(failure: ModelFailure | undefined): boolean {
  return TRANSIENT.includes(failure);
}

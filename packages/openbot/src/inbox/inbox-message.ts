import type { Arrival, InboxMessage, InboxState } from './contract.ts';

/** Events of a session that wait for its next turn. */
export const MOST_EVENTS = 20;

/** What both drivers keep of a state beside its name. */
export interface StateParts {
  readonly turnId: string | null;
  /** Why it was dropped, how it failed, or what ended its run. */
  readonly reason: string | null;
}

export function partsOf(state: InboxState): StateParts {
  return {
    turnId: ('turnId' in state ? state.turnId : undefined) ?? null,
    reason: reasonOf(state) ?? null,
  };
}

function reasonOf(state: InboxState): string | undefined {
  switch (state.state) {
    case 'dropped':
      return state.reason;
    case 'failed':
      return state.error;
    case 'answered':
      return state.abortedBy;
    default:
      return undefined;
  }
}

export function toMessage(
  arrival: Arrival,
  kept: StateParts & { readonly seq: number; readonly state: InboxState['state']; readonly tries: number },
): InboxMessage {
  const { seq, tries } = kept;
  return { ...arrival, seq, tries, ...toState(kept) };
}

function toState({
  state,
  turnId,
  reason,
}: StateParts & { readonly state: InboxState['state'] }): InboxState {
  switch (state) {
    case 'running':
      return { state, turnId: turnId ?? '' };
    case 'answered':
      return { state, turnId: turnId ?? '', ...(reason !== null && { abortedBy: reason }) };
    case 'dropped':
      return { state, reason: reason ?? '' };
    case 'failed':
      return { state, error: reason ?? '', ...(turnId === null ? {} : { turnId }) };
    default:
      return { state };
  }
}

export function isWaiting({ state }: { readonly state: InboxState['state'] }): boolean {
  return state === 'received' || state === 'queued' || state === 'running';
}

/** No turn has begun, or has been begun before. */
export function isUntouched({
  state,
  tries,
}: {
  readonly state: InboxState['state'];
  readonly tries: number;
}): boolean {
  return (state === 'received' || state === 'queued') && tries === 0;
}

export function noMessages(): Record<InboxState['state'], number> {
  return { received: 0, queued: 0, running: 0, answered: 0, dropped: 0, failed: 0 };
}

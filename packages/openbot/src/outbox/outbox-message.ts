import type { DeliveryTarget, OutboundMessage, Outbox, OutboxMessage, OutboxState } from './contract.ts';

/** What both drivers keep of a message beside what was put. */
export interface Progress {
  readonly seq: number;
  readonly state: OutboxState['state'];
  /** When it is tried next (0 for a new one: a clock that is set back holds up none), when its sender is taken to have died, when it was sent, or when it died. */
  readonly at: number;
  readonly owner: string | null;
  readonly ids: readonly string[];
  readonly tries: number;
  readonly mayBeRepeat: boolean;
  /** Its first part went out with the mark of a possible repeat. */
  readonly isMarked: boolean;
  readonly error: string | null;
}

export function toMessage(put: OutboundMessage, progress: Progress): OutboxMessage {
  const { seq, tries, mayBeRepeat, error, ids, isMarked } = progress;
  const parts = progress.state === 'sent' || ids.length === 0 ? undefined : { ids, isMarked };
  return {
    ...put,
    seq,
    tries,
    mayBeRepeat,
    ...(parts && { parts }),
    ...(error === null ? {} : { error }),
    ...toState(progress),
  };
}

/** The ids after the network has named one, and whether the message is whole then. Undefined when nothing is new. */
export function addProof(
  { state, ids }: Pick<Progress, 'state' | 'ids'>,
  { id, part = { index: 0, count: 1 } }: Parameters<Outbox['prove']>[1],
): { readonly ids: readonly string[]; readonly isWhole: boolean } | undefined {
  // A proof of a later part without the earlier ones says nothing about those.
  if (!isOpen({ state }) || part.index !== ids.length || ids.includes(id)) return undefined;
  return { ids: [...ids, id], isWhole: part.index === part.count - 1 };
}

/** What is left of a message of which the network gave up a part. Undefined where it was not with the network. */
export function takeBack(
  { state, ids, mayBeRepeat }: Pick<Progress, 'state' | 'ids' | 'mayBeRepeat'>,
  { error, at, id, nextTryAt }: Parameters<Outbox['refuse']>[1],
): Pick<Progress, 'state' | 'at' | 'ids' | 'mayBeRepeat' | 'error'> | undefined {
  const index = ids.indexOf(id);
  // Of one that was sent, another id is that of an earlier try.
  if (state === 'sent' ? index < 0 : state !== 'sending') return undefined;
  const isTriedAgain = nextTryAt !== undefined;
  return {
    state: isTriedAgain ? 'waiting' : 'dead',
    at: isTriedAgain ? nextTryAt : at,
    error,
    // Of one that is being sent, the part that comes next.
    ids: index < 0 ? ids : ids.slice(0, index),
    // The parts behind it have arrived, and are sent again.
    mayBeRepeat: mayBeRepeat || (index >= 0 && index < ids.length - 1),
  };
}

function toState({ state, at, owner, ids }: Progress): OutboxState {
  switch (state) {
    case 'waiting':
      return { state, nextTryAt: at };
    case 'sending':
      return { state, owner: owner ?? '', until: at };
    case 'sent':
      return { state, sentAt: at, ids };
    case 'dead':
      return { state, diedAt: at };
  }
}

export function noMessages(): Record<OutboxState['state'], number> {
  return { waiting: 0, sending: 0, sent: 0, dead: 0 };
}

/** Gives one spelling to all targets that a network takes for one. */
export type CanonicalTarget = (target: DeliveryTarget) => Pick<DeliveryTarget, 'to' | 'threadId'>;

/** Messages of one account that agree in it keep their order. A thread may be named by a number or a text. */
export function recipientOf(target: Pick<DeliveryTarget, 'to' | 'threadId'>): string {
  return JSON.stringify(target.threadId === undefined ? [target.to] : [target.to, target.threadId]);
}

export function isOpen({ state }: Pick<Progress, 'state'>): boolean {
  return state === 'waiting' || state === 'sending';
}

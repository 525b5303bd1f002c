import type { QueueSettings } from '@openbot/sessions/policy';
import type { InboxMessage, MessageKind } from '../inbox/contract.ts';
import type { AbortCause } from '../runners/contract.ts';
import { type Drop, dropOverflow, WITHDRAWN } from './overflow.ts';

/** Must give the same answer for a message each time within one plan. */
export interface QueueRules {
  readonly now: number;
  settingsOf(message: InboxMessage): QueueSettings;
  kindOf(message: InboxMessage): MessageKind;
}

export type NextStep =
  | { readonly step: 'nothing' }
  | { readonly step: 'wait'; readonly until: number }
  | { readonly step: 'recover'; readonly turnId: string; readonly messages: readonly InboxMessage[] }
  | { readonly step: 'start'; readonly messages: readonly InboxMessage[]; readonly queue: readonly number[] };

/** A queue that people keep filling is answered after so many times its debounce at the latest. */
const MOST_DEBOUNCES = 10;

/** What to do for a session that has no run, given its messages without an end in order of arrival. */
export function planNext(
  waiting: readonly InboxMessage[],
  rules: QueueRules,
): { readonly drops: readonly Drop[]; readonly next: NextStep } {
  const begun = findBegun(waiting);
  if (begun !== undefined) return { drops: [], next: begun };

  const { drops, groups } = trim(waiting, rules, { isIdle: true });
  let until = Number.POSITIVE_INFINITY;
  for (const group of groups) {
    const dueAt = findDueTime(group, rules);
    if (dueAt <= rules.now) {
      const messages = chooseForTurn(group, rules);
      return { drops, next: { step: 'start', messages, queue: listLeft(groups.flat(), messages, rules) } };
    }
    until = Math.min(until, dueAt);
  }
  return { drops, next: groups.length === 0 ? { step: 'nothing' } : { step: 'wait', until } };
}

/** Asides are handled in order of arrival, one by one. */
export function planAsides(waiting: readonly InboxMessage[]): NextStep {
  const [first] = waiting;
  if (first === undefined) return { step: 'nothing' };
  return findBegun(waiting) ?? { step: 'start', messages: [first], queue: [] };
}

function findBegun(waiting: readonly InboxMessage[]): Extract<NextStep, { step: 'recover' }> | undefined {
  const begun = waiting.find((message) => message.state === 'running');
  if (begun?.state !== 'running') return undefined;
  const messages = waiting.filter((other) => other.state === 'running' && other.turnId === begun.turnId);
  return { step: 'recover', turnId: begun.turnId, messages };
}

/** A run in progress, as far as the plan is concerned. */
export interface RunningTurn {
  /** Of its messages: `targetOf`. */
  readonly target: string;
  /** Messages that its agent was offered. */
  readonly offered: ReadonlySet<number>;
  readonly steering: 'not yet' | 'open' | 'closed';
}

export interface ArrivalPlan {
  readonly drops: readonly Drop[];
  /** To be marked as waiting for the end of the run. */
  readonly queue: readonly number[];
  /** To be offered to the agent, in this order. */
  readonly steer: readonly { readonly message: InboxMessage; readonly joins: boolean }[];
  readonly abort?: Extract<AbortCause, 'interrupt' | 'person'>;
}

/** What to do with messages that arrived during a run. A message that is `queued` has been through this. */
export function planArrivals(
  waiting: readonly InboxMessage[],
  run: RunningTurn,
  rules: QueueRules,
): ArrivalPlan {
  const open = waiting.filter(({ state, seq }) => state !== 'running' && !run.offered.has(seq));
  const { drops, groups } = trim(open, rules, { isIdle: false });
  const queue: number[] = [];
  const steer: { message: InboxMessage; joins: boolean }[] = [];
  let abort: ArrivalPlan['abort'];

  for (const group of groups) {
    // A message is not offered while an earlier one of its target waits: their order would change.
    let isBlocked = targetOf(group[0]!) !== run.target || run.steering === 'closed';
    for (const message of group) {
      if (message.state === 'queued') {
        isBlocked ||= rules.settingsOf(message).mode !== 'steer-backlog';
        continue;
      }
      const { mode } = rules.settingsOf(message);
      const kind = rules.kindOf(message);
      if (kind === 'stop') abort = 'person';
      else if (mode === 'interrupt' && kind !== 'upkeep') abort ??= 'interrupt';
      const isSteered = kind === 'text' && (mode === 'steer' || mode === 'steer-backlog') && !isBlocked;
      if (!isSteered) {
        isBlocked = true;
        queue.push(message.seq);
      } else if (run.steering === 'open') {
        steer.push({ message, joins: mode === 'steer' });
      }
    }
  }
  return { drops, queue, steer, abort };
}

/** Messages with the same target are answered in the same place, and as their senders want it. */
export function targetOf({ identity, ctx, wish }: InboxMessage): string {
  const { channel, accountId, conversationId } = identity;
  return JSON.stringify([
    channel,
    accountId,
    conversationId,
    ctx.MessageThreadId ?? null,
    ctx.OriginatingChannel ?? null,
    ctx.OriginatingTo ?? null,
    wish === undefined ? null : describeWish(wish),
  ]);
}

/** Without what concerns the message alone. */
function describeWish({ queueMode: _, ...wish }: NonNullable<InboxMessage['wish']>): object | null {
  return Object.keys(wish).length === 0 ? null : wish;
}

/** Groups by target, the one with the oldest message first, and takes out what a stop or a full queue removes. */
function trim(
  messages: readonly InboxMessage[],
  { settingsOf, kindOf }: QueueRules,
  { isIdle }: { isIdle: boolean },
): { drops: Drop[]; groups: InboxMessage[][] } {
  const drops: Drop[] = [];
  const groups: InboxMessage[][] = [];
  for (const all of Map.groupBy(messages, targetOf).values()) {
    const stopAt = all.findLastIndex((message) => kindOf(message) === 'stop');
    if (stopAt > 0) drops.push({ seqs: all.slice(0, stopAt).map(({ seq }) => seq), reason: WITHDRAWN });
    const stop = stopAt < 0 ? [] : [all[stopAt]!];
    const queue = all.slice(stopAt + 1);
    const { cap, dropPolicy } = settingsOf(all.at(-1)!);
    // The first message of an idle session does not wait, so it takes no place in the queue.
    const extra = isIdle && stopAt < 0 && queue.every(({ state }) => state === 'received') ? 1 : 0;
    const overflow = dropOverflow(queue, { limit: cap + extra, policy: dropPolicy });
    drops.push(...overflow);
    const gone = new Set(overflow.flatMap(({ seqs }) => seqs));
    groups.push([...stop, ...queue.filter(({ seq }) => !gone.has(seq))]);
  }
  return { drops, groups };
}

function findDueTime(group: readonly InboxMessage[], { now, settingsOf, kindOf }: QueueRules): number {
  const head = group[0]!;
  const { mode, debounceMs, cap } = settingsOf(head);
  if (head.state === 'received' || mode === 'interrupt' || kindOf(head) !== 'text') return now;
  if (group.length >= cap) return now;
  const last = group.at(-1)!.receivedAt;
  // Far in the future: the clock was set back.
  if (last > now + debounceMs) return now;
  return Math.min(last + debounceMs, head.receivedAt + MOST_DEBOUNCES * debounceMs);
}

function chooseForTurn(
  group: readonly InboxMessage[],
  { settingsOf, kindOf }: QueueRules,
): readonly InboxMessage[] {
  const head = group[0]!;
  const { mode } = settingsOf(head);
  if (kindOf(head) !== 'text' || (mode !== 'collect' && mode !== 'interrupt')) return [head];
  const end = group.findIndex((message) => kindOf(message) !== 'text');
  return end < 0 ? group : group.slice(0, end);
}

/**
 * What waits from the start of the turn on. It did not arrive during the run, so it does not interrupt it. What can
 * join the run, or stops it, stays as it is and is looked at again during the run.
 */
function listLeft(
  all: readonly InboxMessage[],
  chosen: readonly InboxMessage[],
  { settingsOf, kindOf }: QueueRules,
): readonly number[] {
  const isChosen = new Set(chosen);
  return all
    .filter((message) => message.state === 'received' && !isChosen.has(message))
    .filter((message) => kindOf(message) !== 'stop' && !settingsOf(message).mode.startsWith('steer'))
    .map(({ seq }) => seq);
}

import { Listeners } from '../../listeners.ts';
import { addressOf } from '../../session-address.ts';
import type { Arrival, Inbox, InboxMessage, InboxState, MessageIdentity, SystemEvent } from '../contract.ts';
import {
  isUntouched,
  isWaiting,
  MOST_EVENTS,
  noMessages,
  partsOf,
  type StateParts,
  toMessage,
} from '../inbox-message.ts';

interface Kept extends StateParts {
  readonly arrival: Arrival;
  readonly seq: number;
  readonly state: InboxState['state'];
  readonly tries: number;
}

interface KeptEvent {
  readonly event: SystemEvent;
  readonly address: string;
  readonly turnId: string | undefined;
}

/** For tests, and for runs that keep nothing. */
export function openMemoryInbox(): Inbox {
  let seq = 0;
  let events: KeptEvent[] = [];
  const messages = new Map<number, Kept>();
  const seqs = new Map<string, number>();
  const listeners = new Listeners('of the inbox');

  const toPlain = (kept: Kept): InboxMessage => structuredClone(toMessage(kept.arrival, kept));
  const filter = (wanted: (kept: Kept) => boolean) => [...messages.values()].filter(wanted);
  const find = (identity: MessageIdentity) => messages.get(seqs.get(nameOf(identity)) ?? 0);
  const eventsOf = (address: string, turnId: string | undefined) =>
    events.filter((kept) => kept.address === address && kept.turnId === turnId);

  return {
    accept: async (arrival, as = { state: 'received' }) => {
      const known = find(arrival.identity);
      if (known !== undefined) return { message: toPlain(known), isNew: false };
      const copy = JSON.parse(JSON.stringify(arrival)) as Arrival;
      const kept = { arrival: copy, seq: ++seq, state: as.state, ...partsOf(as), tries: 0 };
      messages.set(seq, kept);
      seqs.set(nameOf(copy.identity), seq);
      listeners.call();
      return { message: toPlain(kept), isNew: true };
    },
    decideKinds: async (kinds) => {
      for (const [at, kind] of kinds) {
        const kept = messages.get(at);
        if (kept?.arrival.kind !== undefined) continue;
        if (kept !== undefined) messages.set(at, { ...kept, arrival: { ...kept.arrival, kind } });
      }
      listeners.call();
    },
    amend: async (identity, change) => {
      const kept = find(identity);
      if (kept === undefined || !isUntouched(kept)) return undefined;
      const arrival = { ...kept.arrival, ...(JSON.parse(JSON.stringify(change)) as typeof change) };
      const changed = { ...kept, arrival };
      messages.set(kept.seq, changed);
      listeners.call();
      return toPlain(changed);
    },
    get: async (wanted) => {
      const kept = messages.get(wanted);
      return kept && toPlain(kept);
    },
    find: async (identity) => {
      const kept = find(identity);
      return kept && toPlain(kept);
    },
    findInAccount: async ({ channel, accountId, messageId }) =>
      filter(
        ({ arrival: { identity } }) =>
          identity.channel === channel &&
          identity.accountId === accountId &&
          identity.messageId === messageId,
      ).map(toPlain),
    waiting: async (session) => {
      const address = addressOf(session);
      return filter((kept) => isWaiting(kept) && addressOf(kept.arrival) === address).map(toPlain);
    },
    waitingSessions: async () => {
      const sessions = Map.groupBy(filter(isWaiting), ({ arrival }) => addressOf(arrival));
      return [...sessions.values()].map((kept) => {
        const { arrival, seq: firstSeq } = kept[0]!;
        const { agentId, sessionKey } = arrival;
        return { agentId, sessionKey, firstSeq, count: kept.length };
      });
    },
    ofTurn: async (turnId) => filter((kept) => kept.turnId === turnId).map(toPlain),
    move: async (wanted, to, from) => {
      const moved: number[] = [];
      for (const at of new Set(wanted)) {
        const kept = messages.get(at);
        if (kept === undefined || !isWaiting(kept)) continue;
        if (from !== undefined && !from.some((state) => state === kept.state)) continue;
        const tries = kept.tries + (to.state === 'running' ? 1 : 0);
        messages.set(at, { ...kept, ...partsOf(to), state: to.state, tries });
        moved.push(at);
      }
      listeners.call();
      return moved;
    },
    recent: async (conversation, limit, { sessionKey, beforeSeq = Number.MAX_SAFE_INTEGER }) => {
      const name = nameOf({ ...conversation, messageId: '' });
      const same = filter(
        ({ arrival, seq }) =>
          nameOf({ ...arrival.identity, messageId: '' }) === name &&
          arrival.sessionKey === sessionKey &&
          seq < beforeSeq,
      );
      return same.slice(Math.max(0, same.length - limit)).map(toPlain);
    },
    counts: async () => {
      const counts = noMessages();
      for (const { state } of messages.values()) counts[state]++;
      return counts;
    },
    onChange: (listener) => listeners.add(listener),
    addEvent: async (address, { text, at }) => {
      const waiting = eventsOf(address, undefined);
      if (waiting.at(-1)?.event.text === text) return;
      if (events.some((kept) => kept.address === address && kept.event.at === at && kept.event.text === text))
        return;
      if (waiting.length === MOST_EVENTS) events = events.filter((kept) => kept !== waiting[0]);
      events.push({ event: { text, at }, address, turnId: undefined });
      listeners.call();
    },
    takeEvents: async (address, turnId) => {
      if (eventsOf(address, turnId).length === 0) {
        events = events.map((kept) =>
          kept.address === address && kept.turnId === undefined ? { ...kept, turnId } : kept,
        );
      }
      return eventsOf(address, turnId).map(({ event }) => ({ ...event }));
    },
    prune: async (before) => {
      const old = filter((kept) => !isWaiting(kept) && kept.arrival.receivedAt < before);
      for (const { seq: at, arrival } of old) {
        messages.delete(at);
        seqs.delete(nameOf(arrival.identity));
      }
      const running = new Set(filter(({ state }) => state === 'running').map(({ turnId }) => turnId));
      events = events.filter(
        ({ event, turnId }) => turnId === undefined || event.at >= before || running.has(turnId),
      );
      return old.length;
    },
    pruneUnheard: async ({ channel, accountId }, keep) => {
      const unheard = filter(
        ({ arrival: { identity, sessionKey } }) =>
          sessionKey === '' && identity.channel === channel && identity.accountId === accountId,
      );
      const old = unheard.slice(0, Math.max(0, unheard.length - keep));
      for (const { seq: at, arrival } of old) {
        messages.delete(at);
        seqs.delete(nameOf(arrival.identity));
      }
      return old.length;
    },
    close: async () => listeners.end(),
  };
}

function nameOf({ channel, accountId, conversationId, messageId }: MessageIdentity): string {
  return JSON.stringify([channel, accountId, conversationId, messageId]);
}

import { Listeners } from '../../listeners.ts';
import type { OutboundMessage, Outbox } from '../contract.ts';
import {
  addProof,
  type CanonicalTarget,
  isOpen,
  noMessages,
  type Progress,
  recipientOf,
  takeBack,
  toMessage,
} from '../outbox-message.ts';

type Kept = Progress & { readonly put: OutboundMessage };

/** For tests, and for runs that keep nothing. */
export function openMemoryOutbox(canonical: CanonicalTarget = (target) => target): Outbox {
  let seq = 0;
  const messages = new Map<string, Kept>();
  const listeners = new Listeners('of the outbox');

  const toPlain = (kept: Kept) => structuredClone(toMessage(kept.put, kept));
  const filter = (wanted: (kept: Kept) => boolean) => [...messages.values()].filter(wanted);
  const change = (kept: Kept, progress: Partial<Progress>) => {
    const changed = { ...kept, ...progress };
    messages.set(kept.put.key, changed);
    return changed;
  };
  /** The first open message to each recipient: the others wait for it. */
  const firsts = (channel: string, accountId: string) => {
    const open = filter(
      (kept) =>
        isOpen(kept) && kept.put.target.channel === channel && kept.put.target.accountId === accountId,
    );
    return [...Map.groupBy(open, ({ put }) => recipientOf(canonical(put.target))).values()].map(
      (line) => line[0]!,
    );
  };
  const end = (key: string, owner: string, progress: (kept: Kept) => Partial<Progress>) => {
    const kept = messages.get(key);
    if (kept?.state !== 'sending' || kept.owner !== owner) return false;
    change(kept, progress(kept));
    listeners.call();
    return true;
  };

  return {
    put: async (added) => {
      if (added.length === 0) return [];
      const copies = JSON.parse(JSON.stringify(added)) as OutboundMessage[];
      const fresh: string[] = [];
      for (const { isTold, ...put } of copies) {
        if (messages.has(put.key)) continue;
        fresh.push(put.key);
        const is = isTold
          ? ({ state: 'sent', at: put.createdAt } as const)
          : ({ state: 'waiting', at: 0 } as const);
        const start = { owner: null, ids: [], tries: 0, mayBeRepeat: false, isMarked: false, error: null };
        messages.set(put.key, { put, seq: ++seq, ...is, ...start });
      }
      listeners.call();
      return fresh;
    },
    claim: async ({ channel, accountId, owner, now, leaseMs, limit }) =>
      firsts(channel, accountId)
        .filter(({ at }) => at <= now)
        .toSorted((a, b) => a.seq - b.seq)
        .slice(0, Math.max(0, limit))
        .map((kept) => {
          const mayBeRepeat = kept.mayBeRepeat || kept.state === 'sending';
          const tries = kept.tries + 1;
          return toPlain(change(kept, { state: 'sending', owner, at: now + leaseMs, tries, mayBeRepeat }));
        }),
    release: async (isGone) => {
      const gone = filter(({ state, owner }) => state === 'sending' && owner !== null && isGone(owner));
      for (const kept of gone) change(kept, { at: 0 });
      if (gone.length > 0) listeners.call();
      return gone.length;
    },
    sent: async (key, owner, { at, ids, error = null }) =>
      end(key, owner, () => ({ state: 'sent', at, ids: [...ids], error })),
    addPart: async (key, owner, { id, isMarked, until }) =>
      end(key, owner, (kept) => ({
        at: until,
        ids: kept.ids.includes(id) ? kept.ids : [...kept.ids, id],
        isMarked: kept.ids.length === 0 ? isMarked : kept.isMarked,
      })),
    extend: async (key, owner, until) => end(key, owner, () => ({ at: until })),
    prove: async (key, proof) => {
      const kept = messages.get(key);
      const added = kept && addProof(kept, proof);
      if (added === undefined) return false;
      const { ids, isWhole } = added;
      change(kept!, isWhole ? { state: 'sent', at: proof.at, ids, error: null } : { ids });
      listeners.call();
      return true;
    },
    refuse: async (key, failure) => {
      const kept = messages.get(key);
      const left = kept && takeBack(kept, failure);
      if (left === undefined) return undefined;
      const changed = change(kept!, left);
      listeners.call();
      return toPlain(changed);
    },
    findSent: async ({ channel, accountId }, id) => {
      const [found] = filter(
        ({ state, ids, put: { target } }) =>
          state === 'sent' &&
          target.channel === channel &&
          target.accountId === accountId &&
          ids.includes(id),
      );
      return found && toPlain(found);
    },
    retry: async (key, owner, { error, nextTryAt, mayHaveArrived }) =>
      end(key, owner, ({ mayBeRepeat }) => ({
        state: 'waiting',
        at: nextTryAt,
        error,
        mayBeRepeat: mayBeRepeat || mayHaveArrived,
      })),
    dead: async (key, owner, { error, at }) => end(key, owner, () => ({ state: 'dead', at, error })),
    nextDue: async (channel, accountId) => {
      const due = firsts(channel, accountId).map(({ at }) => at);
      return due.length === 0 ? undefined : Math.min(...due);
    },
    waitingAccounts: async () => {
      const accounts = Map.groupBy(filter(isOpen), ({ put: { target } }) =>
        JSON.stringify([target.channel, target.accountId]),
      );
      return [...accounts.values()].map((open) => {
        const { channel, accountId } = open[0]!.put.target;
        return { channel, accountId, count: open.length };
      });
    },
    ofTurn: async (turnId) => filter(({ put }) => put.turnId === turnId).map(toPlain),
    get: async (key) => {
      const kept = messages.get(key);
      return kept && toPlain(kept);
    },
    listDead: async (limit) =>
      filter(({ state }) => state === 'dead')
        .toSorted((a, b) => b.at - a.at || b.seq - a.seq)
        .slice(0, limit)
        .map(toPlain),
    counts: async () => {
      const counts = noMessages();
      for (const { state } of messages.values()) counts[state]++;
      return counts;
    },
    onChange: (listener) => listeners.add(listener),
    prune: async ({ sent, dead, deadIn = {} }) => {
      const old = filter(
        ({ state, at, put }) =>
          (state === 'sent' && at < sent) ||
          (state === 'dead' && at < Math.max(dead, deadIn[put.target.channel] ?? 0)),
      );
      for (const { put } of old) messages.delete(put.key);
      return old.length;
    },
    close: async () => listeners.end(),
  };
}

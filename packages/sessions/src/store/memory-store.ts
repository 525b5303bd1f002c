import { runLocked, takeTurn } from '../disk/lock-queue.ts';
import type { SessionEntry } from '../entry/session-entry.ts';
import { callListener } from '../listeners.ts';
import { applyChanges } from './change-document.ts';
import { assertUntouched } from './commit-changes.ts';
import type { SessionStore, StoreChange, StoreDraft } from './contract.ts';
import { getEntry, listEntries, listUnreadable, parseDocument } from './document.ts';
import { changeOne, openDraft } from './draft.ts';
import { STORE_LISTENERS } from './watch-store.ts';

let count = 0;

/** A store that is gone with the process. For tests, and for agents that are not to remember. */
export function openMemorySessionStore(initial: Record<string, SessionEntry> = {}): SessionStore {
  const name = `memory:${++count}`;
  const listeners = new Set<(change: StoreChange) => void>();
  let document = parseDocument(Buffer.from(JSON.stringify(initial)), name);

  const acquire = async () => {
    const endTurn = await takeTurn(name, Number.POSITIVE_INFINITY, undefined, () => new Error('unreachable'));
    return { release: async () => endTurn() };
  };
  const changeMany = <T>(change: (draft: StoreDraft) => T | Promise<T>): Promise<T> =>
    runLocked(name, acquire, async () => {
      const base = document;
      const { draft, finish } = openDraft(base);
      const result = await change(draft);
      const changes = finish();
      if (changes.size > 0) {
        assertUntouched(name, base, document, changes);
        document = applyChanges(document, changes);
        const updated = [...changes].filter(([, entry]) => entry !== undefined).map(([key]) => key);
        const deleted = [...changes].filter(([, entry]) => entry === undefined).map(([key]) => key);
        for (const listener of listeners)
          queueMicrotask(
            () => listeners.has(listener) && callListener(listener, { updated, deleted }, STORE_LISTENERS),
          );
      }
      return result;
    });

  return {
    get: async (key) => getEntry(document, key),
    list: async () => listEntries(document),
    listUnreadable: async () => listUnreadable(document),
    update: (key, change) => changeMany((draft) => changeOne(draft, key, change)),
    updateMany: changeMany,
    delete: (key) => changeMany((draft) => draft.delete(key)),
    watch: (listener) => {
      const own = (change: StoreChange) => listener(change);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close: async () => listeners.clear(),
  };
}

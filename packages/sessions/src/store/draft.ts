import type { SessionEntry } from '../entry/session-entry.ts';
import { OpenBotError } from '../errors.ts';
import type { EntryChanges } from './change-document.ts';
import type { Change, StoreDraft, StoredEntry, StoredSession } from './contract.ts';
import { entryOf, getEntry, listEntries, type StoreDocument } from './document.ts';
import { freezeJson, printEntry } from './json-value.ts';

/** A draft over one version of a document, and what was changed in it so far. */
export function openDraft(base: StoreDocument): { draft: StoreDraft; finish(): EntryChanges } {
  const changes = new Map<string, SessionEntry | undefined>();
  let finished = false;
  const assertOpen = () => {
    if (finished) {
      throw new OpenBotError('INVALID_ARGUMENT', 'This draft was already written', {
        hint: 'Make all changes before the callback of updateMany returns.',
      });
    }
  };
  const get = (key: string): StoredEntry | undefined =>
    changes.has(key) ? changes.get(key) : getEntry(base, key);
  const draft: StoreDraft = {
    get,
    list: () => {
      const kept: StoredSession[] = listEntries(base).flatMap(({ key, entry }) => {
        const now = changes.has(key) ? changes.get(key) : entry;
        return now === undefined ? [] : [{ key, entry: now }];
      });
      const added = [...changes].flatMap(([key, entry]) =>
        entry === undefined || base.index.has(key) ? [] : [{ key, entry }],
      );
      return [...kept, ...added];
    },
    set: (key, entry) => {
      assertOpen();
      if (entry === get(key)) return;
      // A copy, so that what the caller does with its object later changes nothing.
      changes.set(key, freezeJson(printEntry(key, entry).value) as unknown as SessionEntry);
    },
    delete: (key) => {
      assertOpen();
      const there = changes.has(key) ? changes.get(key) !== undefined : base.index.has(key);
      if (base.index.has(key)) changes.set(key, undefined);
      else changes.delete(key);
      return there;
    },
  };
  return {
    draft,
    finish: () => {
      finished = true;
      return withoutRepeats(base, changes);
    },
  };
}

/** What `update` of a store does; at once, when the change does not have to be waited for. */
export function changeOne(
  draft: StoreDraft,
  key: string,
  change: (entry: StoredEntry | undefined) => Change | Promise<Change>,
): StoredEntry | undefined | Promise<StoredEntry | undefined> {
  const put = (changed: Change) => {
    if (changed !== undefined && changed !== null) draft.set(key, changed);
    return draft.get(key);
  };
  const changed = change(draft.get(key));
  return changed instanceof Promise ? changed.then(put) : put(changed);
}

/** Drops changes that change nothing. */
function withoutRepeats(base: StoreDocument, changes: EntryChanges): EntryChanges {
  const real = new Map(changes);
  for (const [key, entry] of changes) {
    const at = base.index.get(key);
    if (at === undefined || entry === undefined) continue;
    const member = base.members[at]!;
    if (entryOf(member) === entry || JSON.stringify(member.value) === JSON.stringify(entry)) real.delete(key);
  }
  return real;
}

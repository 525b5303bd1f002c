import type { SessionEntry } from '../entry/session-entry.ts';
import { OpenBotError } from '../errors.ts';
import type { Change, StoreDraft, StoredEntry, StoredSession } from './contract.ts';
import { entryOf, getEntry, listEntries, type StoreDocument } from './document.ts';
import { isSameJson } from './json-value.ts';
import { printEntry } from './print-entry.ts';

/**
 * A draft over one version of a document, and what was changed in it so far.
 * @param before changes of that document which count as made
 */
export function openDraft(
  base: StoreDocument,
  before: ReadonlyMap<string, SessionEntry | undefined> = new Map(),
): { draft: StoreDraft; finish(): ReadonlyMap<string, SessionEntry | undefined> } {
  const changes = new Map<string, SessionEntry | undefined>();
  let finished = false;
  const assertOpen = () => {
    if (finished) {
      throw new OpenBotError('INVALID_ARGUMENT', 'This draft was already written', {
        hint: 'Make all changes before the callback of updateMany returns.',
      });
    }
  };
  const getBefore = (key: string) => (before.has(key) ? before.get(key) : getEntry(base, key));
  const hasBefore = (key: string) => (before.has(key) ? before.get(key) !== undefined : base.index.has(key));
  const get = (key: string): StoredEntry | undefined =>
    changes.has(key) ? changes.get(key) : getBefore(key);
  const draft: StoreDraft = {
    get,
    list: () => {
      const kept: StoredSession[] = listEntries(base).flatMap(({ key, entry }) => {
        const now = changes.has(key) ? changes.get(key) : before.has(key) ? before.get(key) : entry;
        return now === undefined ? [] : [{ key, entry: now }];
      });
      const added = [...new Map([...before, ...changes])].flatMap(([key, entry]) =>
        entry === undefined || base.index.has(key) ? [] : [{ key, entry }],
      );
      return [...kept, ...added];
    },
    set: (key, entry) => {
      assertOpen();
      if (entry === get(key)) return;
      // A copy, so that what the caller does with its object later changes nothing.
      changes.set(key, printEntry(key, entry).value as unknown as SessionEntry);
    },
    delete: (key) => {
      assertOpen();
      const there = changes.has(key) ? changes.get(key) !== undefined : hasBefore(key);
      if (hasBefore(key)) changes.set(key, undefined);
      else changes.delete(key);
      return there;
    },
  };
  return {
    draft,
    finish: () => {
      finished = true;
      return withoutRepeats(base, before, changes);
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
function withoutRepeats(
  base: StoreDocument,
  before: ReadonlyMap<string, SessionEntry | undefined>,
  changes: ReadonlyMap<string, SessionEntry | undefined>,
): ReadonlyMap<string, SessionEntry | undefined> {
  const real = new Map(changes);
  for (const [key, entry] of changes) {
    if (entry === undefined) continue;
    const member = base.members[base.index.get(key) ?? -1];
    const was = before.has(key) ? before.get(key) : member?.value;
    if (was === undefined) continue;
    const isSame = was === entry || (member !== undefined && entryOf(member) === entry && !before.has(key));
    // The first look ends at the first difference; the second minds the order of fields.
    if (isSame || (isSameJson(was, entry) && JSON.stringify(was) === JSON.stringify(entry))) real.delete(key);
  }
  return real;
}

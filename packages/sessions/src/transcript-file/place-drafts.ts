import { composeEntry, composeLine, type EntryDraft } from '../transcript/compose.ts';

export interface AppendedEntry {
  type: EntryDraft['type'];
  /** Undefined in a version 1 transcript. */
  id: string | undefined;
  parentId: string | null | undefined;
  timestamp: string;
}

/** Each draft as the child of the one before it, the first one after the tail. */
export function placeDrafts(
  drafts: readonly EntryDraft[],
  tail: { readonly leafId: string | null | undefined; readonly linear: boolean },
  timestamp: string,
  makeId: () => string,
): { entries: AppendedEntry[]; lines: string } {
  const entries: AppendedEntry[] = [];
  let lines = '';
  let parentId = tail.leafId;
  for (const draft of drafts) {
    const id = tail.linear ? undefined : makeId();
    const entry = { type: draft.type, id, parentId: tail.linear ? undefined : parentId, timestamp };
    lines += composeLine(composeEntry(draft, entry));
    entries.push(entry);
    parentId = id;
  }
  return { entries, lines };
}

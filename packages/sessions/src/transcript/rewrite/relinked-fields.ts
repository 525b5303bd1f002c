import { FLAG } from '../entry.ts';
import { listStretch } from '../list-stretch.ts';
import type { Transcript } from '../transcript.ts';
import { withoutPreserved } from './preserved-messages.ts';
import { isCheckpoint, type Relinking } from './relink.ts';
import { asciiJson, type FieldValue } from './splice.ts';

const TARGET_FIELDS: Readonly<Record<string, string>> = {
  compaction: 'firstKeptEntryId',
  reset: 'firstKeptEntryId',
  leaf: 'targetId',
  'branch-summary': 'fromId',
  label: 'targetId',
  'context-edit': 'targetId',
  sidecar: 'leafUuid',
};

/** The top-level fields of a line that stays that must say something else when others go; undefined when none must. */
export function relinkedFieldsOf(
  transcript: Transcript,
  relinking: Relinking,
  index: number,
  isRemoved: (index: number) => boolean,
): Map<string, FieldValue> | undefined {
  const isClaudeCode = transcript.dialect === 'claude-code';
  const parent = relinking.parents.get(index);
  const target = relinking.targets.get(index);
  const number = relinking.targetNumbers.get(index);
  const appendParent = relinking.appendParents.get(index);
  const kind = transcript.kindOf(index);
  const keeps = isClaudeCode && kind === 'compaction';
  const isSame = parent === undefined && target === undefined && number === undefined;
  if (isSame && appendParent === undefined && !keeps) return undefined;
  const fields = new Map<string, FieldValue>();
  if (parent !== undefined) {
    const field = !isClaudeCode
      ? 'parentId'
      : transcript.has(index, FLAG.logicalParent)
        ? 'logicalParentUuid'
        : 'parentUuid';
    fields.set(field, asciiJson(parent));
  }
  const targetField = keeps ? undefined : isCheckpoint(transcript, index) ? 'messageId' : TARGET_FIELDS[kind];
  if (target !== undefined && targetField !== undefined) fields.set(targetField, asciiJson(target));
  if (appendParent !== undefined) fields.set('appendParentId', asciiJson(appendParent));
  if (number !== undefined) fields.set('firstKeptEntryIndex', String(number));
  if (keeps) {
    const isGone = (id: string) => {
      const at = transcript.indexOf(id);
      return at !== undefined && isRemoved(at);
    };
    const stretch = (head: string, tail: string) => listStretch(transcript, { head, tail }) ?? [];
    fields.set('compactMetadata', (json) => withoutPreserved(json, isGone, stretch, target ?? undefined));
  }
  return fields.size === 0 ? undefined : fields;
}

import { planRelinking } from '../../transcript/relink.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import type { Cut } from './plan-cut.ts';
import type { FieldValue } from './replace-fields.ts';

const TARGET_FIELDS: Readonly<Record<string, string>> = {
  compaction: 'firstKeptEntryId',
  'branch-summary': 'fromId',
  label: 'targetId',
  'context-edit': 'targetId',
};

/** By index of a line that stays: the fields that must say something else now. */
export function planRelinkedFields(
  transcript: Transcript,
  { keeps }: Cut,
): Map<number, Map<string, FieldValue>> {
  const relinking = planRelinking(transcript, (index) => keeps[index] === 0);
  const changes = new Map<number, Map<string, FieldValue>>();
  const change = (index: number, field: string, value: unknown) => {
    const fields = changes.get(index) ?? new Map<string, FieldValue>();
    changes.set(index, fields.set(field, JSON.stringify(value)));
  };
  for (const [index, parent] of relinking.parents) change(index, 'parentId', parent);
  for (const [index, target] of relinking.targets) {
    const field = TARGET_FIELDS[transcript.kindOf(index)];
    if (field !== undefined) change(index, field, target);
  }
  for (const [index, number] of relinking.targetNumbers) change(index, 'firstKeptEntryIndex', number);
  return changes;
}

import { FLAG } from '../transcript/entry.ts';
import { planRelinking, type Relinking } from '../transcript/relink.ts';
import type { Transcript } from '../transcript/transcript.ts';
import type { Cut } from './plan-cut.ts';

const TARGET_FIELDS: Readonly<Record<string, string>> = {
  compaction: 'firstKeptEntryId',
  'branch-summary': 'fromId',
  label: 'targetId',
  'context-edit': 'targetId',
};

/** By index of a line that stays: the fields that must say something else now, as JSON texts. */
export function planRelinkedFields(transcript: Transcript, { keeps }: Cut): Map<number, Map<string, string>> {
  const relinking = planRelinking(transcript, (index) => keeps[index] === 0);
  const changes = new Map<number, Map<string, string>>();
  const change = (index: number, field: string, value: unknown) => {
    const fields = changes.get(index) ?? new Map<string, string>();
    changes.set(index, fields.set(field, JSON.stringify(value)));
  };
  for (const [index, parent] of relinking.parents) change(index, 'parentId', parent);
  for (const [index, target] of relinking.targets) {
    const field = TARGET_FIELDS[transcript.kindOf(index)];
    if (field !== undefined) change(index, field, target);
  }
  renumberTargets(transcript, keeps, relinking, change);
  return changes;
}

/** The oldest compactions name the first kept line by its number among the lines that are JSON, the header being 0. */
function renumberTargets(
  transcript: Transcript,
  keeps: Uint8Array,
  { targets }: Relinking,
  change: (index: number, field: string, value: number) => void,
): void {
  const numbers = new Int32Array(transcript.length);
  let next = 0;
  for (let i = 0; i < transcript.length; i++) {
    numbers[i] = next;
    const kind = transcript.kindOf(i);
    if (keeps[i] && kind !== 'broken' && kind !== 'blank' && kind !== 'oversize') next++;
  }
  for (let i = 0; i < transcript.length; i++) {
    if (!keeps[i] || transcript.kindOf(i) !== 'compaction' || transcript.targetOf(i) !== undefined) continue;
    const target = transcript.targetIndexOf(i);
    if (target === undefined || targets.has(i) || !transcript.has(i, FLAG.noParentField)) continue;
    // A removed line has the number of the next one that stays.
    change(i, 'firstKeptEntryIndex', Math.min(numbers[target]!, numbers[i]!));
  }
}

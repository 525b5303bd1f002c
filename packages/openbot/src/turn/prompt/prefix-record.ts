import type { SessionSystemPromptReport } from '@openbot/sessions';
import type { OwnSettings } from '../../runners/contract.ts';
import type { DeclaredTool } from '../../tools/contract.ts';
import { type PathEntry, PREFIX_AGAIN_MARK, PREFIX_MARK, TOLD_MARK } from '../../transcripts/contract.ts';
import type { PromptFacts } from './facts.ts';
import { applyChanges, type KnownChanges } from './known-changes.ts';

/** What the model is told before the conversation, from this line on. */
export interface PrefixRecord {
  /** Its name: another runner says the same in other words. */
  readonly runner: string;
  /** Of its own program. Absent where it has none, and in a prefix of an earlier version. */
  readonly ownTools?: OwnSettings['tools'];
  readonly system: string;
  /** In their order. */
  readonly tools: readonly DeclaredTool[];
  /** What the conversation knows. */
  readonly facts: PromptFacts;
  readonly report: SessionSystemPromptReport;
}

export interface FoundPrefix {
  readonly record: PrefixRecord;
  /** With what the conversation came to know since. */
  readonly known: PromptFacts;
  /** Of the record's line, and of what was written behind it and has to be read to find it. */
  readonly bytes: { readonly record: number; readonly behind: number };
  /**
   * What was said since is not all behind it: `compacted`, a summary has taken the place of what was said; `foreign`, another
   * program went on with the conversation.
   */
  readonly state: 'holds' | 'compacted' | 'foreign';
}

/** @param entries the last one first */
export async function findPrefix(entries: AsyncIterable<PathEntry>): Promise<FoundPrefix | undefined> {
  const changes: KnownChanges[] = [];
  let behind = 0;
  let state: FoundPrefix['state'] = 'holds';
  /** A message of a person has a line of ours before it. */
  let isUnmarked = false;
  for await (const entry of entries) {
    const { type, customType = '', message } = entry;
    // What lies before it may be of another branch.
    if (type === 'leaf') return undefined;
    if (isUnmarked && !customType.startsWith('openbot.')) state = 'foreign';
    isUnmarked = type === 'message' && message?.role === 'user';
    if (customType === PREFIX_MARK || customType === PREFIX_AGAIN_MARK) {
      const record = entry.data as PrefixRecord;
      if (!isRecord(record)) return undefined;
      const known = changes.reverse().reduce(applyChanges, record.facts);
      return { record, known, bytes: { record: entry.bytes ?? 0, behind }, state };
    }
    behind += entry.bytes ?? 0;
    if (customType === TOLD_MARK) changes.push(entry.data as KnownChanges);
    else if (type === 'compaction') state = 'compacted';
  }
  return undefined;
}

function isRecord(data: Partial<PrefixRecord> | undefined): data is PrefixRecord {
  return (
    typeof data?.system === 'string' && Array.isArray(data.tools) && typeof data.facts?.files === 'object'
  );
}

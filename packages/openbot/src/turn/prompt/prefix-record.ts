import type { SessionSystemPromptReport } from '@openbot/sessions';
import type { Tool } from '../../tools/contract.ts';
import { type PathEntry, PREFIX_AGAIN_MARK, PREFIX_MARK, TOLD_MARK } from '../../transcripts/contract.ts';
import { factsInPrompt, type PromptFacts } from './facts.ts';
import { applyChanges, type KnownChanges } from './known-changes.ts';

/** What a tool is to a model. */
export type DeclaredTool = Pick<Tool, 'name' | 'description' | 'parameters' | 'changes'>;

/** What the model is told before the conversation, from this line on. */
export interface PrefixRecord {
  /** Its name: another runner says the same in other words. */
  readonly runner: string;
  readonly system: string;
  /** In their order. */
  readonly tools: readonly DeclaredTool[];
  /** What the conversation knows. */
  readonly facts: PromptFacts;
  /** Those of them that `system` contains, where it knows others too. */
  readonly inPrompt?: PromptFacts;
  readonly report: SessionSystemPromptReport;
}

export interface FoundPrefix {
  readonly record: PrefixRecord;
  /** With what the conversation came to know since. */
  readonly known: PromptFacts;
  /** That were read for it. */
  readonly bytes: number;
  /**
   * What was said since is not all behind it: `compacted`, everything was summarised and nothing said since; `foreign`,
   * another program went on with the conversation.
   */
  readonly state: 'holds' | 'compacted' | 'foreign';
}

/** @param entries the last one first */
export async function findPrefix(entries: AsyncIterable<PathEntry>): Promise<FoundPrefix | undefined> {
  const changes: KnownChanges[] = [];
  let bytes = 0;
  let hasAnswer = false;
  let isSummarised = false;
  let state: FoundPrefix['state'] = 'holds';
  /** A message of a person has a line of ours before it. */
  let isUnmarked = false;
  for await (const entry of entries) {
    bytes += entry.bytes ?? 0;
    const { type, customType = '', message } = entry;
    // What lies before it may be of another branch.
    if (type === 'leaf') return undefined;
    if (isUnmarked && !customType.startsWith('openbot.')) state = 'foreign';
    isUnmarked = type === 'message' && message?.role === 'user';
    if (customType === PREFIX_MARK || customType === PREFIX_AGAIN_MARK) {
      const record = entry.data as PrefixRecord;
      if (!isRecord(record)) return undefined;
      const known = changes
        .reverse()
        .reduce(applyChanges, isSummarised ? factsOfPrompt(record) : record.facts);
      return { record, known, bytes, state };
    }
    // What was told before a summary may be missing in it, and is told again.
    if (customType === TOLD_MARK && !isSummarised) changes.push(entry.data as KnownChanges);
    else if (type === 'compaction') {
      isSummarised = true;
      if (!hasAnswer) state = 'compacted';
    } else if (message?.role === 'assistant' && message.model !== 'delivery-mirror') hasAnswer = true;
  }
  return undefined;
}

/** What a conversation knows of which nothing but the prompt is left. */
export function factsOfPrompt({ inPrompt, facts }: PrefixRecord): PromptFacts {
  return factsInPrompt(inPrompt ?? facts);
}

function isRecord(data: Partial<PrefixRecord> | undefined): data is PrefixRecord {
  return (
    typeof data?.system === 'string' && Array.isArray(data.tools) && typeof data.facts?.files === 'object'
  );
}

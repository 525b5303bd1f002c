import { formatQuantity, roundCount } from '@openbot/sessions/terminal-text';
import type { CleanChoice, TranscriptRef } from '../transcripts/contract.ts';
import type { CommandScope } from './contract.ts';

const PRESETS = ['default', 'aggressive', 'extreme'] as const;
const NO_SESSION = 'Nothing was said in this session yet.';

export async function cleanContext(scope: CommandScope, argument: string): Promise<string> {
  const { transcript, transcripts, entry, turnId, recovering, now } = scope;
  const preset = PRESETS.find((name) => name === argument.toLowerCase());
  if (argument !== '' && preset === undefined)
    return `There is no preset ${JSON.stringify(argument)}. Presets: ${PRESETS.join(', ')}.`;
  if (transcript === undefined) return NO_SESSION;
  // Done before the process ended; another clean would find nothing and say so.
  if (recovering && entry?.lastClean?.turnId === turnId) return describeClean(entry.lastClean.savedTokens);
  const choice: CleanChoice = { preset: preset ?? 'default' };
  const { changed, savedTokens } = await transcripts.clean(transcript, choice);
  if (!changed) return describeNothing(choice);
  await scope.change({ lastClean: { at: now(), savedTokens, preset: choice.preset, turnId } });
  return describeClean(savedTokens);
}

function describeClean(savedTokens: number): string {
  return `Cleaned: about ${roundCount(savedTokens)} tokens of old tool calls and results are out of the context. What was said stays. To undo it, send /restore.`;
}

function describeNothing({ preset }: CleanChoice): string {
  const more = preset === 'extreme' ? '' : ' /clean extreme takes more.';
  return `Nothing was cleaned: there are no old tool calls or results that would go.${more}`;
}

export async function restoreContext(scope: CommandScope, argument: string): Promise<string> {
  const { transcript, transcripts, entry, turnId } = scope;
  if (argument !== '') return '/restore takes nothing behind it: it undoes the last clean.';
  if (transcript === undefined) return NO_SESSION;
  const { generation } = await transcripts.lookBack(transcript);
  const last = entry?.lastRestore;
  // Done before the process ended: a second restore would undo the first.
  const isDone = last?.turnId === turnId && last.generation !== generation;
  let lost = '';
  if (!isDone) {
    await scope.change({ lastRestore: { turnId, generation } });
    const { restored, thinkingUnbound = 0 } = await transcripts.restore(transcript);
    if (thinkingUnbound > 0) lost = ` ${describeLostThinking(thinkingUnbound)}`;
    if (!restored) return 'There is no clean of this session to undo.';
  }
  await scope.change({ lastClean: undefined });
  return `Restored: the context is as it was before the last clean, and what was said since follows it.${lost} To take this back, send /restore again.`;
}

function describeLostThinking(blocks: number): string {
  return `The model's thinking since then (${formatQuantity(blocks, 'block')}) is removed, because the provider would refuse it behind other messages.`;
}

export async function compactContext(scope: CommandScope, argument: string): Promise<string> {
  const { transcript, turnId, entry } = scope;
  if (transcript === undefined) return NO_SESSION;
  const summaries = await countSummaries(scope, transcript);
  const last = entry?.lastCompact;
  // Written before the process ended. The entry may not have counted it.
  if (last?.turnId === turnId && summaries > last.summaries) {
    if (summaries > (entry?.compactionCount ?? 0)) await scope.change({ compactionCount: summaries });
    return 'Compacted: old messages are replaced by a summary.';
  }
  await scope.change({ lastCompact: { turnId, summaries } });
  const result = await scope.compact(argument === '' ? undefined : argument);
  if (!result.isDone) return `Not compacted: ${result.reason}`;
  const after =
    result.tokensAfter === undefined
      ? ''
      : ` The context has about ${roundCount(result.tokensAfter)} tokens now.`;
  return `Compacted: old messages are replaced by a summary.${after}`;
}

async function countSummaries({ transcripts }: CommandScope, transcript: TranscriptRef): Promise<number> {
  const { entries } = await transcripts.lookBack(transcript);
  let summaries = 0;
  for await (const { type } of entries) if (type === 'compaction') summaries++;
  return summaries;
}

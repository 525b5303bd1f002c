import type { EntryDraft } from '@openbot/sessions/transcript';
import { keptTokensOf, reserveOf } from '../../config/compaction-reserve.ts';
import type { ContextMessage } from '../../transcripts/contract.ts';
import { MustStop } from '../compaction-point.ts';
import type { RunEvent, RunRequest, WhenFull } from '../contract.ts';
import { tokensOf } from './messages.ts';

const MOST_LINES = 40;

/** Returns the tokens afterwards; undefined when nothing was compacted. Throws MustStop. */
export async function* compactConversation(
  request: RunRequest,
  window: number,
  { failsFirst = false, when = 'compact' }: { readonly failsFirst?: boolean; readonly when?: WhenFull } = {},
): AsyncGenerator<RunEvent, number | undefined, undefined> {
  if (when === 'go-on') return undefined;
  const plan = planCompaction(await request.readContext(), window, request);
  if (plan === undefined) return undefined;
  if (when === 'stop') throw new MustStop();
  if (failsFirst) {
    yield { type: 'compaction', phase: 'start' };
    yield { type: 'compaction', phase: 'end', willRetry: true };
  }
  yield { type: 'compaction', phase: 'start' };
  request.signal.throwIfAborted();
  await request.append([plan.draft]);
  yield { type: 'compaction', phase: 'end', willRetry: false, tokensAfter: plan.tokensAfter };
  return plan.tokensAfter;
}

interface CompactionPlan {
  readonly draft: EntryDraft;
  readonly tokensAfter: number;
}

/** Undefined when there are no older messages that a summary could replace. */
function planCompaction(
  context: readonly ContextMessage[],
  window: number,
  { instructions, reserveTokens }: RunRequest,
): CompactionPlan | undefined {
  const sizes = context.map(({ message }) => tokensOf(message));
  const tokensBefore = sizes.reduce((sum, size) => sum + size, 0);
  const limit = Math.min(
    keptTokensOf(window - reserveOf(window, reserveTokens)),
    Math.floor(tokensBefore / 4),
  );
  const first = findFirstKept(context, sizes, limit);
  if (first === undefined) return undefined;
  const summary = summarise(context.slice(0, first), instructions);
  const kept = sizes.slice(first).reduce((sum, size) => sum + size, 0);
  return {
    draft: { type: 'compaction', summary, tokensBefore, firstKeptEntryId: context[first]!.entryId },
    tokensAfter: tokensOf(summary) + kept,
  };
}

/** The first of the newest messages that are within the limit; the last message that can be one if none is. */
function findFirstKept(
  context: readonly ContextMessage[],
  sizes: readonly number[],
  limit: number,
): number | undefined {
  let first: number | undefined;
  let kept = 0;
  for (let index = context.length - 1; index > 0; index--) {
    kept += sizes[index]!;
    if (first !== undefined && kept > limit) break;
    if (canBeFirst(context[index]!)) first = index;
  }
  const isOnlySummary = context.slice(0, first).every(({ message }) => message.role === 'compactionSummary');
  return isOnlySummary ? undefined : first;
}

/** A result must not be parted from its call. */
function canBeFirst({ entryId, message: { role } }: ContextMessage): boolean {
  return entryId !== undefined && (role === 'user' || role === 'assistant');
}

function summarise(context: readonly ContextMessage[], instructions: string | undefined): string {
  const lines = context.flatMap(({ message }) => {
    const { role, summary } = message;
    const words = typeof summary === 'string' ? summary : spokenIn(message.content);
    if (role === 'toolResult' || words === '') return [];
    return `- ${role === 'user' ? 'The person' : role === 'assistant' ? 'The assistant' : 'Before'}: ${clip(words)}`;
  });
  const left = lines.length - MOST_LINES;
  const shown = left > 0 ? [...lines.slice(0, 5), `- … ${left} more …`, ...lines.slice(left + 5)] : lines;
  return [
    `The scripted model shortened ${context.length} earlier messages to their beginnings:`,
    ...(instructions === undefined ? [] : [`(asked for: ${clip(instructions)})`]),
    ...shown,
  ].join('\n');
}

/** The words of a message, without calls, results and thinking. */
export function spokenIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((block) => (block?.type === 'text' ? [String(block.text)] : [])).join('\n');
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 160 ? line : `${line.slice(0, 159).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

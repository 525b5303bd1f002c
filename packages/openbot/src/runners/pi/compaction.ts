import type { AgentMessage, StreamFn } from '@earendil-works/pi-agent-core';
import type { Api, AssistantMessage, Model } from '@earendil-works/pi-ai';
import type { SessionEntry } from '@earendil-works/pi-coding-agent';
import { keptTokensOf, reserveOf } from '../../config/compaction-reserve.ts';
import type { Conversation } from './conversation.ts';
import type { Pi } from './load-pi.ts';

export interface CompactionMeans {
  readonly pi: Pi;
  readonly model: Model<Api>;
  readonly window: number;
  readonly reserveTokens: number | undefined;
  /** Of the prompt and the tools. */
  readonly prefixTokens: number;
  readonly streamFn: StreamFn;
  readonly signal: AbortSignal;
}

type Preparation = Parameters<Pi['coding']['compact']>[0];

/** pi's own figures, but no more than a part of a small conversation. `reserveTokens` bounds the length of a summary. */
function settingsFor({ pi, window, reserveTokens: configured, prefixTokens }: CompactionMeans) {
  const { reserveTokens, enabled } = pi.coding.DEFAULT_COMPACTION_SETTINGS;
  const compactsAt = window - reserveOf(window, configured, prefixTokens);
  const conversation = Math.max(0, compactsAt - prefixTokens);
  return {
    enabled,
    reserveTokens: Math.min(reserveTokens, Math.floor(window / 10), Math.floor(conversation / 5)),
    keepRecentTokens: keptTokensOf(compactsAt, prefixTokens),
  };
}

/** The next request would leave too little of the window. */
export function isNearlyFull(means: CompactionMeans, messages: readonly AgentMessage[]): boolean {
  const { pi, window, reserveTokens, prefixTokens } = means;
  const settings = {
    ...settingsFor(means),
    reserveTokens: reserveOf(window, reserveTokens, prefixTokens),
  };
  return pi.coding.shouldCompact(measure(pi, messages), window, settings);
}

/** Tokens: the figure of the last answer after the last summary, and an estimate of what follows it. */
export function measure({ coding }: Pi, messages: readonly AgentMessage[]): number {
  const estimate = (some: readonly AgentMessage[]) =>
    some.reduce((sum, message) => sum + coding.estimateTokens(message), 0);
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!;
    if (message.role !== 'assistant' || !isWhole(message)) continue;
    const tokens = coding.calculateContextTokens(message.usage);
    // The figures of messages that a compaction kept are those of the conversation before it.
    if (tokens > 0 && !isBeforeSummary(messages[0], message))
      return tokens + estimate(messages.slice(index + 1));
  }
  return estimate(messages);
}

function isWhole({ usage, stopReason }: AssistantMessage): boolean {
  return usage !== undefined && stopReason !== 'aborted' && stopReason !== 'error';
}

function isBeforeSummary(first: AgentMessage | undefined, { timestamp }: AssistantMessage): boolean {
  return first?.role === 'compactionSummary' && timestamp <= first.timestamp;
}

/**
 * Replaces old messages by a summary of the model and writes that to the transcript.
 * @param always also where the conversation is far from full: a larger part of it is replaced then
 * @returns tokens afterwards; undefined when there are no older messages. Throws where the model gives no summary.
 */
export async function compactConversation(
  conversation: Conversation,
  means: CompactionMeans,
  onStart: () => Promise<void>,
  { always = false, instructions }: { readonly always?: boolean; readonly instructions?: string } = {},
): Promise<number | undefined> {
  const { pi, model, streamFn, signal } = means;
  const preparation = prepare(conversation, means, always);
  if (preparation === undefined) return undefined;
  await onStart();
  signal.throwIfAborted();
  const { summary, firstKeptEntryId, tokensBefore, details, usage } = await pi.coding.compact(
    preparation,
    model,
    undefined,
    undefined,
    instructions,
    signal,
    'off',
    streamFn,
  );
  signal.throwIfAborted();
  if (summary.trim() === '') throw new Error('The model gave no summary');
  await conversation.append([
    { type: 'compaction', summary, firstKeptEntryId, tokensBefore, details, usage },
  ]);
  return measure(pi, conversation.messages());
}

function prepare(
  conversation: Conversation,
  means: CompactionMeans,
  always: boolean,
): Preparation | undefined {
  const { coding } = means.pi;
  const entries = conversation.manager().buildContextEntries();
  const [first] = entries;
  const previousSummary = first?.type === 'compaction' ? first.summary : undefined;
  const start = previousSummary === undefined ? 0 : 1;
  const tokensBefore = measure(means.pi, conversation.messages());
  const settings = settingsFor(means);
  const keep = always
    ? Math.min(settings.keepRecentTokens, Math.floor(sizeOf(entries, means.pi) / 4))
    : settings.keepRecentTokens;
  const cutAt = (tokens: number) => coding.findCutPoint(entries, start, entries.length, tokens);
  const wide = cutAt(keep);
  // The message that brings the kept part over its measure is in it, however long it is.
  const isTooMuch = sizeOf(entries.slice(wide.firstKeptEntryIndex), means.pi) > 2 * keep;
  const cut = isTooMuch ? cutAt(1) : wide;
  const historyEnd = cut.isSplitTurn ? cut.turnStartIndex : cut.firstKeptEntryIndex;
  const messagesIn = (from: number, to: number) =>
    entries.slice(from, to).flatMap(coding.sessionEntryToContextMessages);
  const messagesToSummarize = messagesIn(start, historyEnd);
  const turnPrefixMessages = cut.isSplitTurn ? messagesIn(cut.turnStartIndex, cut.firstKeptEntryIndex) : [];
  const firstKept = entries[cut.firstKeptEntryIndex];
  if (firstKept === undefined || messagesToSummarize.length + turnPrefixMessages.length === 0)
    return undefined;
  return {
    firstKeptEntryId: firstKept.id,
    messagesToSummarize,
    turnPrefixMessages,
    isSplitTurn: cut.isSplitTurn,
    tokensBefore,
    previousSummary,
    fileOps: { read: new Set(), written: new Set(), edited: new Set() },
    settings,
  };
}

function sizeOf(entries: readonly SessionEntry[], { coding }: Pi): number {
  const messages = entries.flatMap(coding.sessionEntryToContextMessages);
  return messages.reduce((sum, message) => sum + coding.estimateTokens(message), 0);
}

import type { RunOutcome } from '@openbot/sessions';
import type { ModelChoice, RunEnd, RunEvent, RunUsage, SystemPrompt } from '../runners/contract.ts';
import type { SentByTool } from '../tools/contract.ts';
import type { ToolReport } from './reply/session-extras.ts';

/** What the events of a run add up to. */
export interface RunTally {
  /** What the model wrote, a text per message, without the empty ones. */
  readonly texts: readonly string[];
  readonly thinking: string;
  readonly tools: readonly ToolReport[];
  /** What a tool sent to a person by itself. */
  readonly sent: { readonly texts: readonly string[]; readonly mediaUrls: readonly string[] };
  /** Of the last request, which tells how full the context is. */
  readonly usage?: RunUsage;
  /** Of all requests together. */
  readonly totalUsage?: RunUsage;
  readonly compactions: NonNullable<RunOutcome['compactions']>;
  /** Tokens of old tool calls that were removed because the conversation had become too long. */
  readonly cleanedTokens?: number;
  /** Blocks of thinking that the provider left out of requests. */
  readonly droppedThinking?: number;
  readonly end: RunEnd;
}

/** Takes a run to its end. `onEvent` sees every event first. */
export async function tallyRun(
  events: AsyncIterable<RunEvent>,
  onEvent: (event: RunEvent) => void = () => {},
): Promise<RunTally> {
  const texts: string[] = [];
  const tools = new Map<string, ToolReport>();
  const sent = { texts: [] as string[], mediaUrls: [] as string[] };
  let thinking = '';
  let usage: RunUsage | undefined;
  let totalUsage: RunUsage | undefined;
  let cleanedTokens: number | undefined;
  let droppedThinking: number | undefined;
  let compactions: RunTally['compactions'] = { count: 0, isNewerThanUsage: false };
  let end: RunEnd = {
    type: 'end',
    reason: 'error',
    error: 'The run ended without a result',
    isTransient: false,
  };
  for await (const event of events) {
    onEvent(event);
    switch (event.type) {
      case 'message-end':
        if (event.text.trim() !== '') texts.push(event.text);
        break;
      case 'thinking':
        thinking += event.delta;
        break;
      case 'tool-call':
        tools.set(event.id, { name: event.name, arguments: event.arguments });
        break;
      case 'tool-result': {
        const call = tools.get(event.id) ?? { name: event.name, arguments: {} };
        tools.set(event.id, { ...call, result: event.text, isError: event.isError });
        break;
      }
      case 'sent':
        sent.texts.push(event.text);
        sent.mediaUrls.push(...(event.mediaUrls ?? []));
        break;
      case 'usage':
        usage = event.usage;
        totalUsage = addUsage(totalUsage, usage);
        compactions = { ...compactions, isNewerThanUsage: false };
        break;
      case 'cleaned':
        cleanedTokens = (cleanedTokens ?? 0) + event.savedTokens;
        break;
      case 'thinking-dropped':
        droppedThinking = (droppedThinking ?? 0) + event.paths.length;
        break;
      case 'compaction':
        if (event.phase === 'start' || event.willRetry) break;
        compactions = {
          count: compactions.count + 1,
          isNewerThanUsage: true,
          ...(event.tokensAfter !== undefined && { tokensAfter: event.tokensAfter }),
        };
        break;
      case 'end':
        end = event;
        break;
    }
  }
  const figures = {
    ...(usage !== undefined && { usage, totalUsage }),
    ...(cleanedTokens !== undefined && { cleanedTokens }),
    ...(droppedThinking !== undefined && { droppedThinking }),
  };
  return { texts, thinking, tools: [...tools.values()], sent, compactions, end, ...figures };
}

/** A run without events, such as one whose end was found after a crash. */
export function tallyOf(texts: readonly string[], end: RunEnd): RunTally {
  const compactions = { count: 0, isNewerThanUsage: false };
  return { texts, thinking: '', tools: [], sent: { texts: [], mediaUrls: [] }, compactions, end };
}

/** With what tools sent in an earlier run of the same turn. */
export function addSent(tally: RunTally, sent: readonly SentByTool[]): RunTally {
  return {
    ...tally,
    sent: {
      texts: [...tally.sent.texts, ...sent.map(({ text }) => text)],
      mediaUrls: [...tally.sent.mediaUrls, ...sent.flatMap(({ mediaUrls = [] }) => mediaUrls)],
    },
  };
}

function addUsage(sum: RunUsage = {}, one: RunUsage): RunUsage {
  const parts = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
  return Object.fromEntries(parts.map((part) => [part, (sum[part] ?? 0) + (one[part] ?? 0)]));
}

/** What a person's run changes in the entry of its session. */
export function outcomeOfRun(
  tally: RunTally,
  run: {
    readonly model: ModelChoice;
    /** The transcript has a line that names the model, also if it did not answer. */
    readonly hasChanged?: boolean;
    readonly thinkingLevel?: string;
    /** Unknown for a run whose end was found after a crash. */
    readonly systemPrompt?: SystemPrompt;
    /** ms */
    readonly startedAt: number;
    readonly endedAt: number;
  },
): RunOutcome {
  const { usage, compactions, cleanedTokens, droppedThinking, end } = tally;
  const { model, thinkingLevel = 'off', systemPrompt, startedAt, endedAt } = run;
  const abortedBy = end.reason === 'aborted' ? (end.cause ?? 'person') : null;
  // A run that failed before the model answered carried nothing to it.
  const hasAnswered = tally.texts.length > 0 || usage !== undefined;
  return {
    ...(usage !== undefined && { usage }),
    compactions,
    ...(cleanedTokens !== undefined && { lastClean: { at: endedAt, savedTokens: cleanedTokens } }),
    ...(droppedThinking !== undefined && { droppedThinking }),
    status: statusOf(end),
    abortedBy,
    startedAt,
    endedAt,
    ...((hasAnswered || run.hasChanged === true) && {
      modelUsed: model.model,
      providerUsed: model.provider,
    }),
    ...(hasAnswered && {
      systemSent: true,
      thinkingLevel,
      ...(systemPrompt !== undefined && { systemPromptReport: systemPrompt.report }),
      ...(model.contextWindow !== undefined && { contextTokensUsed: model.contextWindow }),
    }),
  };
}

function statusOf(end: RunEnd): string {
  if (end.reason === 'stop') return 'done';
  if (end.reason !== 'aborted') return 'failed';
  return end.cause === 'timeout' ? 'timeout' : 'killed';
}

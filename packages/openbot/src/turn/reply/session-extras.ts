import { redactSecrets, type SessionEntry } from '@openbot/sessions';
import { oneLine, roundCount, shorten } from '@openbot/sessions/terminal-text';
import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import type { RunUsage } from '../../runners/contract.ts';

export interface ToolReport {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the tool returned; absent while it runs. */
  readonly result?: string;
  readonly isError?: boolean;
}

/** What the person wants to see besides the answer, and what there is to see. */
export interface SessionExtras {
  /** `on`, `stream`, anything else is off. */
  readonly reasoningLevel?: string;
  readonly reasoning?: string;
  /** The reasoning was shown while the model was thinking. */
  readonly wasReasoningStreamed?: boolean;
  readonly verboseLevel?: string;
  readonly tools?: readonly ToolReport[];
  /** The lines about tools were shown while they ran. */
  readonly wereToolsStreamed?: boolean;
  readonly responseUsage?: SessionEntry['responseUsage'];
  readonly usage?: RunUsage;
  /** `provider/model` */
  readonly model?: string;
  readonly contextTokens?: number;
  readonly contextWindow?: number;
  /** A line of our own behind the answer. */
  readonly notice?: string;
}

/** Adds tool calls and reasoning in front of the replies and the usage behind them. A silent run stays silent. */
export function addSessionExtras(
  replies: readonly ReplyPayload[],
  extras: SessionExtras,
  { isSilent }: { isSilent: boolean },
): ReplyPayload[] {
  if (isSilent) return [...replies];
  const said = [...toolPayload(extras), ...reasoningPayload(extras), ...replies];
  const out = extras.notice === undefined ? said : appendLine(said, extras.notice);
  // A failed run has the sentence about its failure as its last line.
  const usage = replies.some((reply) => reply.isError === true) ? undefined : formatUsageLine(extras);
  return usage === undefined ? out : appendLine(out, usage);
}

function toolPayload({ verboseLevel, tools = [], wereToolsStreamed }: SessionExtras): ReplyPayload[] {
  if ((verboseLevel !== 'on' && verboseLevel !== 'full') || tools.length === 0 || wereToolsStreamed === true)
    return [];
  return [{ text: tools.map((tool) => formatToolLine(tool, verboseLevel)).join('\n') }];
}

const MAX_ARGUMENTS = 120;
const MAX_RESULT = 1000;

/** `🛠️ read_file notes.md`, with `full` also the result. Without secrets. */
export function formatToolLine(tool: ToolReport, level: 'on' | 'full'): string {
  const values = Object.values(tool.arguments).map((value) =>
    typeof value === 'string' ? value.slice(0, 2 * MAX_ARGUMENTS) : (JSON.stringify(value) ?? ''),
  );
  const call =
    `${tool.isError === true ? '❌' : '🛠️'} ${oneLine(tool.name)} ${hide(values.join(' '), MAX_ARGUMENTS)}`.trimEnd();
  if (level !== 'full' || tool.result === undefined || tool.result.trim() === '') return call;
  const result = shorten(redactSecrets(tool.result.slice(0, 8 * MAX_RESULT)), MAX_RESULT);
  return `${call}\n\`\`\`\n${result.replaceAll('```', "'''").trimEnd()}\n\`\`\``;
}

function hide(text: string, limit: number): string {
  return shorten(oneLine(redactSecrets(text.slice(0, 16 * limit))), limit);
}

function reasoningPayload({
  reasoningLevel,
  reasoning = '',
  wasReasoningStreamed,
}: SessionExtras): ReplyPayload[] {
  const isWanted = reasoningLevel === 'on' || reasoningLevel === 'stream';
  if (!isWanted || wasReasoningStreamed === true || reasoning.trim() === '') return [];
  return [{ text: `Reasoning:\n${reasoning.trim()}` }];
}

/** `Usage: 1,204 in, 340 out`; `full` also has the cache, the model and how full its context is. */
export function formatUsageLine(extras: SessionExtras): string | undefined {
  const { responseUsage, usage, model, contextTokens, contextWindow } = extras;
  if (responseUsage === undefined || responseUsage === 'off' || usage === undefined) return undefined;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage;
  const parts = [`${roundCount(input + cacheRead + cacheWrite)} in`, `${roundCount(output)} out`];
  if (responseUsage === 'full') {
    if (cacheRead + cacheWrite > 0) {
      parts.push(`cache ${roundCount(cacheRead)} read, ${roundCount(cacheWrite)} written`);
    }
    if (contextTokens !== undefined) {
      const window = contextWindow === undefined ? '' : ` of ${roundCount(contextWindow)}`;
      parts.push(`context ${roundCount(contextTokens)}${window}`);
    }
    if (model !== undefined) parts.push(model);
  }
  return `Usage: ${parts.join(' · ')}`;
}

function appendLine(payloads: readonly ReplyPayload[], line: string): ReplyPayload[] {
  const at = payloads.findLastIndex((payload) => payload.text !== undefined);
  const last = payloads[at];
  if (last === undefined) return [...payloads, { text: line }];
  return payloads.with(at, { ...last, text: `${last.text}\n\n${line}` });
}

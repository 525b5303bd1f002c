import { isJsonObject } from '../../entry/json-object.ts';
import { isMachineText } from '../formats/machine-text.ts';
import { splitSystemPart } from '../system-part.ts';
import { type MessageBlock, readBlocks } from './blocks.ts';

/**
 * `user` is a person, `tool` the output of tools, `system` what a program wrote by itself, `summary` what took the place of
 * older messages.
 */
export type Speaker = 'user' | 'assistant' | 'tool' | 'system' | 'summary';

/** Figures of one request to a model. Lines of Claude Code that share a `messageId` repeat them. */
export interface LineUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** As recorded. */
  readonly costUsd?: number;
}

/** One line of a transcript as a reader understands it, in any dialect. */
export interface LineMessage {
  readonly speaker: Speaker;
  readonly blocks: readonly MessageBlock[];
  /** What the runtime of the agent told in front of the words of a person. */
  readonly told?: string;
  readonly id?: string;
  /** Milliseconds. */
  readonly at?: number;
  readonly provider?: string;
  readonly model?: string;
  readonly usage?: LineUsage;
  /** Of the provider: lines of one message share it. */
  readonly messageId?: string;
  readonly requestId?: string;
  /** Of a subagent, off the main conversation. */
  readonly isSidechain?: boolean;
  /** The model failed, or the run was ended early. */
  readonly failure?: string;
}

/**
 * What one parsed line says: messages of OpenClaw and pi, flat lines, lines of Claude Code, summaries, and notes that are
 * shown to people. Undefined for lines that say nothing: headers, settings, marks.
 */
export function readLineMessage(line: unknown): LineMessage | undefined {
  if (!isJsonObject(line)) return undefined;
  const message = isJsonObject(line.message) ? line.message : undefined;
  const place = {
    id: textOf(line.uuid) ?? textOf(line.id),
    at: timeOf(line.timestamp ?? message?.timestamp),
  };
  const speaker = speakerOf(line, message ?? line);
  if (speaker === undefined) return undefined;
  const content = message?.content ?? line.content ?? line.summary;
  const found = readBlocks(message ?? line, content);
  const { by, blocks, told } = attribute(speaker, found);
  if (blocks.length === 0 && speaker !== 'assistant') return undefined;
  const of = message ?? line;
  return leaveOutAbsent({
    speaker: by,
    blocks,
    told,
    ...place,
    ...(speaker === 'assistant' && describeAnswer(line, of)),
    isSidechain: line.isSidechain === true || undefined,
  });
}

function speakerOf(
  line: Readonly<Record<string, unknown>>,
  message: Readonly<Record<string, unknown>>,
): Speaker | undefined {
  const { type } = line;
  if (type === 'compaction' || type === 'branch_summary' || line.isCompactSummary === true) return 'summary';
  if (type === 'custom_message') return 'system';
  if (type === 'system')
    return typeof line.content === 'string' && line.content !== '' ? 'system' : undefined;
  const isMessage = type === undefined || type === 'message' || type === 'user' || type === 'assistant';
  if (!isMessage && type !== 'toolResult') return undefined;
  const role = message.role ?? type;
  if (role === 'user') return line.isMeta === true ? 'system' : 'user';
  if (role === 'assistant') return 'assistant';
  if (role === 'toolResult' || role === 'bashExecution') return 'tool';
  return role === 'custom' || role === 'hookMessage' || role === 'system' ? 'system' : undefined;
}

/** Claude Code puts results of tools, and notes of its own, into lines of a person; runtimes put what they tell there. */
function attribute(
  speaker: Speaker,
  blocks: readonly MessageBlock[],
): { by: Speaker; blocks: readonly MessageBlock[]; told?: string } {
  if (speaker !== 'user') return { by: speaker, blocks };
  const told: string[] = [];
  const own = blocks.flatMap((block) => {
    if (block.kind === 'result' || isNote(block)) return [];
    const part = block.kind === 'text' ? splitSystemPart(block.text) : undefined;
    if (part === undefined) return [block];
    told.push(part.told);
    return part.words === '' ? [] : [{ ...block, text: part.words }];
  });
  if (own.some(({ kind }) => kind === 'text' || kind === 'image'))
    return { by: 'user', blocks: own, told: told.length === 0 ? undefined : told.join('\n') };
  return { by: blocks.some(({ kind }) => kind === 'result') ? 'tool' : 'system', blocks };
}

function isNote(block: MessageBlock): boolean {
  return block.kind === 'text' && isMachineText(block.text);
}

function describeAnswer(line: Readonly<Record<string, unknown>>, message: Readonly<Record<string, unknown>>) {
  const { stopReason } = message;
  const isFailed = line.isApiErrorMessage === true || stopReason === 'error' || stopReason === 'aborted';
  return {
    provider: textOf(message.provider),
    model: textOf(message.model),
    usage: readUsage(message.usage ?? line.usage, line.costUSD),
    messageId: textOf(message.id) ?? textOf(message.responseId),
    requestId: textOf(line.requestId),
    failure: isFailed ? (textOf(message.errorMessage) ?? textOf(stopReason) ?? 'error') : undefined,
  };
}

/** In the words of pi and OpenClaw, or in those of Anthropic. */
function readUsage(usage: unknown, costUsd: unknown): LineUsage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const figure = (...names: string[]) =>
    names.map((name) => usage[name]).find((value) => typeof value === 'number') ?? 0;
  const cost = isJsonObject(usage.cost) ? usage.cost.total : costUsd;
  return {
    input: figure('input', 'input_tokens') as number,
    output: figure('output', 'output_tokens') as number,
    cacheRead: figure('cacheRead', 'cache_read_input_tokens') as number,
    cacheWrite: figure('cacheWrite', 'cache_creation_input_tokens') as number,
    ...(typeof cost === 'number' && { costUsd: cost }),
  };
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function leaveOutAbsent<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;
}

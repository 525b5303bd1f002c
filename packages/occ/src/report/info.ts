import {
  barLines,
  formatCount,
  formatPercent,
  formatQuantity,
  percentOf,
  printable,
  wrapText,
} from '@openbot/sessions/terminal-text';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import { shortenText } from '../errors.ts';
import type { SessionInfo } from '../operations/results.ts';
import { sourceOf } from '../storage/all.ts';
import type { FoundBy, FoundSession } from '../storage/contract/found-session.ts';
import { commandFor, describeChoice } from './chosen-session.ts';
import { formatMinute, formatSize } from './figures.ts';
import { recommendPreset } from './recommendation.ts';
import type { ReportOptions } from './report-options.ts';
import { scheduledEditLines } from './scheduled-edit.ts';
import { shortenPath } from './short-path.ts';
import { describeRemoval } from './turn-analysis.ts';

const KIND_TITLES: Readonly<Record<string, string>> = {
  user: 'people',
  assistant: 'assistant',
  thinking: 'thinking',
  toolCalls: 'tool calls',
  toolResults: 'tool results',
  other: 'other messages',
  overhead: 'system prompt, tools',
};
const TOOLS_SHOWN = 8;

/** What `info` was made from. */
interface InfoSubject {
  readonly session: FoundSession;
  readonly foundBy: FoundBy;
  /** The rules of the presets that were tried. */
  readonly presets: Readonly<Record<string, ResolvedToolRemovalOptions>>;
}

export function formatInfo(info: SessionInfo, subject: InfoSubject, options: ReportOptions): string {
  const sections = [
    [...headLines(info, subject, options), ...countLines(info)],
    kindLines(info, options),
    toolLines(info, options),
    presetLines(info, subject, options),
    thinkingLines(info, subject, options),
    recommendationLines(info, subject, options),
    info.lastScheduledEdit === undefined ? [] : scheduledEditLines(info.lastScheduledEdit, options),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headLines(
  info: SessionInfo,
  { session, foundBy }: InfoSubject,
  { palette, home, verbose }: ReportOptions,
): string[] {
  const choice = describeChoice(foundBy, session);
  const { label, displayName, sessionKey, agentId, cwd } = session;
  const agent = agentId === null ? '' : `, agent ${printable(agentId)}`;
  return [
    `Session: ${palette.bold(printable(info.sessionId))}`,
    ...(choice === undefined ? [] : [`  Chosen: ${choice}`]),
    `  Source: ${sourceOf(info.source).title}${agent}`,
    ...(sessionKey === undefined ? [] : [`  Key: ${printable(shortenText(sessionKey))}`]),
    ...(label === undefined ? [] : [`  Label: ${printable(shortenText(label))}`]),
    ...(displayName === undefined ? [] : [`  Name: ${printable(shortenText(displayName))}`]),
    `  Path: ${shortenPath(info.path, home)}`,
    ...(verbose && cwd !== null ? [`  Working folder: ${shortenPath(cwd, home)}`] : []),
    ...(verbose ? [`  Last change: ${formatMinute(session.updatedAt)}`] : []),
  ];
}

function countLines({ messages, turns, toolCalls, tokens, ...info }: SessionInfo): string[] {
  const roles = [
    `${formatCount(messages.user)} user`,
    `${formatCount(messages.assistant)} assistant`,
    formatQuantity(messages.toolResult, 'tool result'),
    ...(messages.other === 0 ? [] : [`${formatCount(messages.other)} other`]),
  ];
  return [
    `  Size: ${formatSize(info.sizeBytes)}`,
    `  Messages: ${formatCount(messages.total)} (${roles.join(', ')})`,
    `  Turns: ${formatCount(turns.total)} (${formatCount(turns.withTools)} with tools)`,
    `  Tool calls: ${formatCount(toolCalls.total)}`,
    `  Compactions: ${formatCount(info.compactions)}`,
    `  Context: ${formatCount(tokens.context)} tokens (${tokens.basis})${describeWindow({ tokens, window: info.window })}`,
    ...(info.brokenLines === undefined
      ? []
      : [`  Broken lines: ${formatCount(info.brokenLines)} (kept as they are)`]),
  ];
}

function describeWindow({ tokens, window }: Pick<SessionInfo, 'tokens' | 'window'>): string {
  return window === undefined
    ? ''
    : `, ${formatPercent(tokens.context, window.tokens)} of the window of ${formatCount(window.tokens)}`;
}

function kindLines({ tokens }: SessionInfo, options: ReportOptions): string[] {
  const rows = Object.entries(tokens.byKind)
    .filter(([, value]) => value > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, value]) => ({ label: KIND_TITLES[kind] ?? kind, value }));
  if (rows.length === 0) return [];
  return [
    options.palette.bold('Where the context goes (tokens)'),
    ...barLines(rows, tokens.context, options),
  ];
}

function toolLines({ tokens, toolCalls }: SessionInfo, options: ReportOptions): string[] {
  const calls = new Map(Object.entries(toolCalls.byTool));
  const tools = Object.entries(tokens.byTool).sort(([, a], [, b]) => b - a);
  if (tools.length === 0) return [];
  const shown = options.verbose ? tools : tools.slice(0, TOOLS_SHOWN);
  const rows = shown.map(([label, value]) => {
    const count = calls.get(label);
    return count === undefined ? { label, value } : { label, value, detail: formatQuantity(count, 'call') };
  });
  const rest = tools.length - shown.length;
  return [
    options.palette.bold('By tool (calls and their results)'),
    ...barLines(rows, tokens.context, options),
    ...(rest === 0 ? [] : [options.palette.dim(`  and ${formatQuantity(rest, 'more tool')} (--verbose)`)]),
  ];
}

function presetLines(
  { tokens, toolCalls, presets }: SessionInfo,
  subject: InfoSubject,
  options: ReportOptions,
): string[] {
  if (toolCalls.total === 0) return [];
  const rows = Object.entries(presets).map(([label, { tokensAfter, ...calls }]) => ({
    label,
    value: tokensAfter,
    detail: describeEffect(calls, percentOf(tokens.context - tokensAfter, tokens.context)),
  }));
  return [
    options.palette.bold('What each preset would leave (tokens)'),
    ...barLines(rows, tokens.context, options),
    ...(options.verbose ? ruleLines(subject, options) : []),
  ];
}

function thinkingLines(
  { staleThinking, droppedThinking, turns }: SessionInfo,
  { session }: InfoSubject,
  options: ReportOptions,
): string[] {
  const lines: string[] = [];
  if (staleThinking !== undefined) {
    const [blocks, it] = [formatQuantity(staleThinking, 'block'), staleThinking === 1 ? 'it' : 'them'];
    // Keeps each turn as it is.
    const rules = ['--keep', String(Math.max(1, turns.withTools)), '--truncate', '0'];
    const command = options.palette.cyan(commandFor('edit', session, options, ...rules));
    lines.push(
      ...sentenceLines(
        `Stale thinking: ${blocks}. An earlier rewrite changed what comes before ${it}, so the provider refuses ${it} or leaves ${it} out of every request. This removes ${it}, and no tool call:`,
        '',
        options,
      ),
      `  ${command}`,
    );
  }
  if (droppedThinking !== undefined) {
    const { answers, blocks } = droppedThinking;
    const text = `Dropped thinking: ${formatQuantity(answers, 'answer')} of this session ${answers === 1 ? 'records' : 'record'} that the provider left thinking out of the request; the newest of them, ${formatQuantity(blocks, 'block')}.`;
    lines.push(...sentenceLines(text, '', options));
  }
  return lines;
}

function ruleLines({ presets }: InfoSubject, options: ReportOptions): string[] {
  return Object.entries(presets).flatMap(([name, rules]) =>
    sentenceLines(`${printable(name)}: ${describeRemoval(rules, undefined)}`, '  ', options),
  );
}

function sentenceLines(text: string, indent: string, { maxLineWidth = Infinity }: ReportOptions): string[] {
  return wrapText(text, maxLineWidth - indent.length).map((line) => indent + line);
}

type Effect = Pick<SessionInfo['presets'][string], 'toolCallsRemoved' | 'toolCallsTruncated'>;

function describeEffect({ toolCallsRemoved, toolCallsTruncated }: Effect, percent: number): string {
  if (toolCallsRemoved + toolCallsTruncated === 0)
    return percent === 0 ? 'nothing to clean' : `${percent}% less, outside of tool calls`;
  return `${percent}% less: ${formatCount(toolCallsRemoved)} removed, ${formatCount(toolCallsTruncated)} truncated`;
}

function recommendationLines(
  info: SessionInfo,
  { session, presets }: InfoSubject,
  options: ReportOptions,
): string[] {
  const { preset, truncateOver, reason } = recommendPreset(info, presets);
  if (preset === undefined) {
    const verdict = info.staleThinking === undefined ? 'do not clean' : 'clean nothing else';
    return sentenceLines(`Recommendation: ${verdict}; ${reason}.`, '', options);
  }
  const limit = truncateOver === undefined ? [] : ['--truncate-over', String(truncateOver)];
  const command = commandFor('edit', session, options, `--strip-tools=${preset}`, ...limit);
  return [
    `Recommendation: ${options.palette.cyan(command)}`,
    ...sentenceLines(
      `It ${reason}, and can be undone with ${options.again?.calledAs ?? 'occ'} restore.`,
      '  ',
      options,
    ),
  ];
}

import { formatQuantity, oneLine } from '@openbot/sessions/terminal-text';
import { summarizeCall, summarizeResult } from '../call-summary.ts';
import type { CallResult, HistoryMessage, HistoryNote, HistoryPart } from '../history-item.ts';
import { cleanLines, formatArguments } from './clean-lines.ts';
import {
  type HistoryHead,
  type HistoryRenderer,
  type RenderOptions,
  SPEAKER_NAMES,
  titleOf,
} from './contract.ts';
import { describeGap, formatUtcTime } from './times.ts';

/**
 * A conversation as GitHub shows it. What was said is in quotes: a code fence, a heading or a tag that it opens ends with
 * the quote.
 */
export function renderAsMarkdown(options: RenderOptions): HistoryRenderer {
  let turn = 0;
  let speaker = '';
  let model: string | undefined;
  let before: number | undefined;
  return {
    begin(head) {
      return `# ${escapeText(titleOf(head))}\n\n${describe(head)}\n`;
    },
    item(item) {
      const blocks: string[] = [];
      const gap = describeGap(before, item.at);
      if (gap !== undefined) blocks.push(`*${gap}*`);
      if (item.turn !== undefined && item.turn !== turn) {
        turn = item.turn;
        speaker = '';
        blocks.push(`## Turn ${turn}`);
      }
      before = item.at ?? before;
      const bodies = item.kind === 'note' ? renderNote(item, options) : renderMessage(item, options);
      const named = item.kind === 'note' ? '' : item.speaker;
      if (bodies.length === 0) return blocks.map((block) => `\n${block}\n`).join('');
      if (item.kind === 'message') {
        const isNewModel = item.model !== undefined && item.model !== model;
        if (named !== speaker || isNewModel) blocks.push(nameSpeaker(item, isNewModel));
        model = item.model ?? model;
      }
      speaker = named;
      return [...blocks, ...bodies].map((block) => `\n${block}\n`).join('');
    },
    end: () => '',
  };
}

function describe({ sessionId, sessionKey, source, turns, otherBranches }: HistoryHead): string {
  const facts = [
    `Session \`${inCode(sessionId)}\``,
    ...(sessionKey === undefined ? [] : [`key \`${inCode(sessionKey)}\``]),
    source,
    formatQuantity(turns, 'turn'),
    ...(otherBranches === 0
      ? []
      : [`${formatQuantity(otherBranches, 'message')} on other branches left out`]),
  ];
  return facts.join(' · ');
}

function nameSpeaker({ speaker, model, at }: HistoryMessage, showsModel: boolean): string {
  const facts = [
    ...(showsModel && model !== undefined ? [escapeText(model)] : []),
    ...(at === undefined ? [] : [formatUtcTime(at)]),
  ];
  return [`**${SPEAKER_NAMES[speaker]}**`, ...facts].join(' · ');
}

function renderNote({ about, text, detail }: HistoryNote, { tools }: RenderOptions): string[] {
  const isSetting = about === 'model' || about === 'thinking' || about === 'name';
  const title = isSetting ? `*${escapeText(text)}*` : `**~ ${escapeText(text)} ~**`;
  if (detail === undefined) return [title];
  const body = quote(cleanLines(detail));
  return tools ? [title, body] : [title, fold('Summary', body)];
}

function renderMessage({ parts, failure, speaker }: HistoryMessage, options: RenderOptions): string[] {
  const blocks = parts.flatMap((part) => renderPart(part, speaker, options));
  return [...blocks, ...(failure === undefined ? [] : [`**✗ ${escapeText(failure)}**`])];
}

function renderPart(part: HistoryPart, speaker: HistoryMessage['speaker'], options: RenderOptions): string[] {
  switch (part.kind) {
    case 'text': {
      const lines = cleanLines(part.text);
      if (lines.length === 0) return [];
      const isNote = speaker === 'system' && !options.tools;
      return [isNote ? `*${escapeText(part.text.slice(0, 300))}*` : quote(lines)];
    }
    case 'thinking':
      return options.thinking && part.text.trim() !== ''
        ? [fold('Thinking', quote(cleanLines(part.text)))]
        : [];
    case 'call': {
      const { name, given, outcome, isFailed } = summarizeCall(part);
      const title = `${isFailed ? '✗' : '⚙'} ${name} ${given}`.trimEnd();
      if (!options.tools) return [`- ${codeSpan(title)} → ${escapeText(outcome)}`];
      return [
        fold(`${title} → ${outcome}`, fence(formatArguments(part.arguments)), ...outputOf(part.result)),
      ];
    }
    case 'result': {
      const { outcome, isFailed } = summarizeResult(part);
      const title = `${isFailed ? '✗' : '↳'} ${part.name ?? 'result'} → ${outcome}`;
      return options.tools ? [fold(title, ...outputOf(part))] : [`- ${codeSpan(title)}`];
    }
    case 'image':
      return ['*[image]*'];
    case 'other':
      return [`*[${escapeText(part.type || 'content')}]*`];
  }
}

function outputOf(result: CallResult | undefined): string[] {
  return result === undefined || result.text.trim() === '' ? [] : ['Result:', fence(result.text)];
}

function quote(lines: readonly string[]): string {
  let marks: string | undefined;
  const quoted = lines.map((line) => {
    const found = FENCE.exec(line)?.[1];
    const isFence =
      found !== undefined && (marks === undefined || (found.startsWith(marks) && line.trim() === found));
    const shown = marks === undefined && !isFence ? withoutTags(line) : line;
    if (isFence) marks = marks === undefined ? found : undefined;
    return shown === '' ? '>' : `> ${shown}`;
  });
  return quoted.join('\n');
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/;

/** Not every reader of Markdown leaves out what a tag could do. */
function withoutTags(line: string): string {
  return line
    .split(/((?<![\\`])`[^`]+`(?!`))/)
    .map((piece, at) => (at % 2 === 1 ? piece : piece.replace(/<(?=[a-z/!?])/gi, '&lt;')))
    .join('');
}

function fold(title: string, ...blocks: readonly string[]): string {
  const shown = oneLine(title).replace(/[&<>]/g, (sign) => ENTITIES[sign]!);
  return [`<details><summary>${shown}</summary>`, ...blocks, '</details>'].join('\n\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Longer than every row of backticks in the text, so that none of them ends it. */
function fence(text: string): string {
  const lines = cleanLines(text);
  const longest = Math.max(2, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map((row) => row.length)));
  const marks = '`'.repeat(longest + 1);
  return [marks, ...lines, marks].join('\n');
}

function codeSpan(text: string): string {
  const line = oneLine(text);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((row) => row.length));
  const marks = '`'.repeat(longest + 1);
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${marks}${space}${line}${space}${marks}`;
}

function inCode(text: string): string {
  return oneLine(text).replaceAll('`', "'");
}

function escapeText(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>|~&]|^[#+-]/g, (sign) => `\\${sign}`);
}

import { createHash } from 'node:crypto';
import { formatQuantity, oneLine } from '@openbot/sessions/terminal-text';
import { summarizeCall, summarizeResult } from '../call-summary.ts';
import type { CallResult, HistoryItem, HistoryMessage, HistoryNote, HistoryPart } from '../history-item.ts';
import { cleanLines, formatArguments } from './clean-lines.ts';
import {
  type HistoryHead,
  type HistoryRenderer,
  type RenderOptions,
  SPEAKER_NAMES,
  titleOf,
} from './contract.ts';
import { escapeHtml, formatCode, formatText } from './html-text.ts';
import { PAGE_STYLE } from './page-style.ts';
import { describeGap, formatUtcTime } from './times.ts';

/** A page that needs nothing else: no script, no other file, no network. */
export function renderAsHtml(options: RenderOptions): HistoryRenderer {
  let turn = 0;
  let speaker = '';
  let model: string | undefined;
  let before: number | undefined;
  let isOpen = false;
  const endTurn = () => {
    const end = isOpen ? '</section>\n' : '';
    isOpen = false;
    return end;
  };
  return {
    begin: (head) => beginPage(head),
    item(item) {
      let out = '';
      const gap = describeGap(before, item.at);
      if (item.turn !== undefined && item.turn !== turn) {
        turn = item.turn;
        speaker = '';
        out += endTurn() + gapLine(gap) + beginTurn(turn, item);
        isOpen = true;
      } else out += gapLine(gap);
      before = item.at ?? before;
      if (item.kind === 'note') {
        speaker = '';
        return out + renderNote(item, options);
      }
      const body = renderMessage(item, options);
      if (body === '') return out;
      const isNewModel = item.model !== undefined && item.model !== model;
      const isSame = speaker === item.speaker && !isNewModel;
      const name = isSame ? '' : nameSpeaker(item.speaker, isNewModel ? item.model : undefined);
      speaker = item.speaker;
      model = item.model ?? model;
      return `${out}<article class="${speaker}">${name}\n${body}</article>\n`;
    },
    end: () => `${endTurn()}</main>\n</body>\n</html>\n`,
  };
}

function beginPage(head: HistoryHead): string {
  const { sessionId, sessionKey, source, turns, otherBranches } = head;
  const hash = createHash('sha256').update(PAGE_STYLE).digest('base64');
  const title = escapeHtml(oneLine(titleOf(head)));
  const facts = [
    ...(sessionKey === undefined || sessionKey === titleOf(head) ? [] : [sessionKey]),
    ...(sessionId === titleOf(head) ? [] : [sessionId]),
    source,
    formatQuantity(turns, 'turn'),
    ...(otherBranches === 0
      ? []
      : [`${formatQuantity(otherBranches, 'message')} on other branches left out`]),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>${facts.map((fact) => `<span>${escapeHtml(oneLine(fact))}</span>`).join(' · ')}</p>
</header>
<main>
`;
}

function beginTurn(turn: number, { at }: HistoryItem): string {
  const time = at === undefined ? '' : ` <time datetime="${isoOf(at)}">${formatUtcTime(at)}</time>`;
  return `<section id="turn-${turn}">\n<h2><a href="#turn-${turn}">Turn ${turn}</a>${time}</h2>\n`;
}

function isoOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

function gapLine(gap: string | undefined): string {
  return gap === undefined ? '' : `<p class="gap">${gap}</p>\n`;
}

function nameSpeaker(speaker: HistoryMessage['speaker'], model: string | undefined): string {
  const remark = model === undefined ? '' : ` <small>${escapeHtml(oneLine(model))}</small>`;
  return `<h3>${SPEAKER_NAMES[speaker]}${remark}</h3>`;
}

function renderNote({ about, text, detail }: HistoryNote, { tools }: RenderOptions): string {
  const title = escapeHtml(oneLine(text));
  if (about === 'model' || about === 'thinking' || about === 'name') return `<p class="note">${title}</p>\n`;
  if (detail === undefined) return `<p class="mark">${title}</p>\n`;
  return `<details class="mark"${tools ? ' open' : ''}><summary>${title}</summary>\n${formatText(detail)}\n</details>\n`;
}

function renderMessage({ parts, failure, speaker }: HistoryMessage, options: RenderOptions): string {
  const bodies = parts.map((part) => renderPart(part, speaker, options));
  if (failure !== undefined) bodies.push(`<p class="failed">✗ ${escapeHtml(oneLine(failure))}</p>`);
  return bodies
    .filter((body) => body !== '')
    .map((body) => `${body}\n`)
    .join('');
}

function renderPart(part: HistoryPart, speaker: HistoryMessage['speaker'], options: RenderOptions): string {
  switch (part.kind) {
    case 'text':
      if (speaker !== 'system' || options.tools) return formatText(part.text);
      return `<p class="note">${escapeHtml(oneLine(part.text.slice(0, 300)))}</p>`;
    case 'thinking':
      if (!options.thinking || part.text.trim() === '') return '';
      return `<details class="thinking"><summary>Thinking</summary>\n${formatText(part.text)}\n</details>`;
    case 'call': {
      const { name, given, outcome, isFailed } = summarizeCall(part);
      const title = `<span class="sign">${isFailed ? '✗' : '⚙'}</span> <b>${escapeHtml(name)}</b> <code>${escapeHtml(given)}</code> <span class="outcome">→ ${escapeHtml(outcome)}</span>`;
      const state = isFailed ? 'call failed' : 'call';
      if (!options.tools) return `<p class="${state}">${title}</p>`;
      const shown = formatCode(cleanLines(formatArguments(part.arguments)));
      return `<details class="${state}"><summary>${title}</summary>\n${shown}\n${outputOf(part.result)}</details>`;
    }
    case 'result': {
      const { outcome, isFailed } = summarizeResult(part);
      const title = `<span class="sign">${isFailed ? '✗' : '↳'}</span> <b>${escapeHtml(oneLine(part.name ?? 'result'))}</b> <span class="outcome">→ ${escapeHtml(outcome)}</span>`;
      const state = isFailed ? 'call failed' : 'call';
      if (!options.tools) return `<p class="${state}">${title}</p>`;
      return `<details class="${state}"><summary>${title}</summary>\n${outputOf(part)}</details>`;
    }
    case 'image':
      return '<p class="note">[image]</p>';
    case 'other':
      return `<p class="note">[${escapeHtml(oneLine(part.type) || 'content')}]</p>`;
  }
}

function outputOf(result: CallResult | undefined): string {
  if (result === undefined || result.text.trim() === '') return '';
  return `<h4>Result</h4>\n${formatCode(cleanLines(result.text))}\n`;
}

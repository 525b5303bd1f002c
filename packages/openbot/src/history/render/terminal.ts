import {
  cutEnd,
  cutMiddle,
  formatQuantity,
  oneLine,
  type Palette,
  shorten,
  textWidth,
} from '@openbot/sessions/terminal-text';
import { summarizeCall, summarizeResult } from '../call-summary.ts';
import type { HistoryItem, HistoryMessage, HistoryNote, HistoryPart } from '../history-item.ts';
import { cleanLines, formatArguments } from './clean-lines.ts';
import { type HistoryHead, type HistoryRenderer, type RenderOptions, titleOf } from './contract.ts';
import { describeGap, formatLocalTime } from './times.ts';
import { wrapLine } from './wrap-line.ts';

export interface TerminalOptions extends RenderOptions {
  readonly palette: Palette;
  /** Infinity where lines are not to be broken. */
  readonly columns: number;
  /** It is shown while it goes on: a call without a result has none yet. */
  readonly isLive?: boolean;
  /** Nobody named the session. */
  readonly isMostRecent?: boolean;
}

const INDENT = '  ';
/** Before the lines of the entry that was asked for. */
const MARK = '▌ ';
/** Of a rule where lines have no end. */
const USUAL_WIDTH = 80;
/** A summary of what was said before is long, and rarely what a reader looks for. */
const SUMMARY_LINES = 3;

const NAMES: Readonly<Record<HistoryMessage['speaker'], string>> = {
  user: 'you',
  assistant: 'assistant',
  tool: 'tool',
  system: 'note',
  summary: 'summary',
};

/** A conversation for a terminal, or for a pipe that wants what a terminal would show. */
export function renderForTerminal(options: TerminalOptions): HistoryRenderer {
  return new TerminalRenderer(options);
}

class TerminalRenderer implements HistoryRenderer {
  readonly #options: TerminalOptions;
  readonly #width: number;
  #turn = 0;
  #speaker = '';
  #model = '';
  #at: number | undefined;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#width = Number.isFinite(options.columns) ? Math.max(20, options.columns) : options.columns;
  }

  begin(head: HistoryHead): string {
    const { palette, isMostRecent } = this.#options;
    const { turns, shown, otherBranches, sessionId } = head;
    const title = oneLine(titleOf(head));
    const range =
      shown === undefined || (shown.first === 1 && shown.last === turns)
        ? formatQuantity(turns, 'turn')
        : shown.first === shown.last
          ? `turn ${shown.first} of ${turns}`
          : `turns ${shown.first}-${shown.last} of ${turns}`;
    const facts = [...(title === sessionId ? [] : [sessionId]), range].map(oneLine).join(' · ');
    const isOneLine = textWidth(title) + 3 + textWidth(facts) <= this.#width;
    const above = isOneLine
      ? [`${palette.bold(title)} ${palette.dim(`· ${facts}`)}`]
      : [palette.bold(cutMiddle(title, this.#width)), ...this.#wrap(facts, '').map(palette.dim)];
    const note =
      otherBranches === 0
        ? []
        : this.#wrap(
            `${formatQuantity(otherBranches, 'message')} on other branches ${otherBranches === 1 ? 'is' : 'are'} not shown; --all shows everything.`,
            '',
          ).map(palette.dim);
    const which = isMostRecent ? [palette.dim('The most recently active session.')] : [];
    return `${[...above, ...which, ...note].join('\n')}\n`;
  }

  item(item: HistoryItem): string {
    const lines = [...this.#above(item)];
    lines.push(...(item.kind === 'note' ? this.#note(item) : this.#message(item)));
    this.#at = item.at ?? this.#at;
    return lines.map((line) => `${line}\n`).join('');
  }

  end(): string {
    return '';
  }

  /** The beginning of a turn, or a pause. */
  #above({ turn = 0, at }: HistoryItem): string[] {
    const { palette } = this.#options;
    const gap = describeGap(this.#at, at);
    const pause = gap === undefined ? [] : ['', palette.dim(`${INDENT}··· ${gap} ···`)];
    if (turn === 0 || turn === this.#turn) {
      if (gap !== undefined) this.#speaker = '';
      return pause;
    }
    this.#turn = turn;
    this.#speaker = '';
    const title = [`Turn ${turn}`, ...(at === undefined ? [] : [formatLocalTime(at)])].join(' · ');
    return [...pause, '', palette.dim(this.#rule(title))];
  }

  #rule(title: string): string {
    const width = Number.isFinite(this.#width) ? this.#width : USUAL_WIDTH;
    return cutEnd(`── ${title} ${'─'.repeat(Math.max(0, width - textWidth(title) - 4))}`, width);
  }

  #note({ about, text, detail, isMarked, isOffPath }: HistoryNote): string[] {
    const { palette, tools } = this.#options;
    const isSetting = about === 'model' || about === 'thinking' || about === 'name';
    const above = isSetting || this.#speaker === '' ? [] : [''];
    this.#speaker = isSetting ? this.#speaker : 'none';
    if (about === 'model') this.#model = text.replace(/^Model: (?:.*\/)?/, '');
    const indent = isMarked ? palette.yellow(MARK) : INDENT;
    const paint = about === 'unreadable' ? palette.red : isSetting ? palette.dim : palette.yellow;
    const all = detail === undefined ? [] : cleanLines(detail);
    const shown = tools ? all : all.slice(0, SUMMARY_LINES);
    const rest = all.length - shown.length;
    return [
      ...above,
      ...this.#wrap(`~~ ${oneLine(text)}${isOffPath ? ' (other branch)' : ''} ~~`, '').map(
        (line) => indent + paint(line),
      ),
      ...shown.flatMap((line) => this.#wrap(line, INDENT)).map((line) => palette.dim(line)),
      ...(rest === 0
        ? []
        : [palette.dim(INDENT + this.#cut(`… ${formatQuantity(rest, 'more line')}, shown by --tools`))]),
    ];
  }

  #message(message: HistoryMessage): string[] {
    const { palette } = this.#options;
    const bodies = message.parts.flatMap((part) => this.#part(part, message));
    const failure = message.failure === undefined ? [] : [palette.red(`✗ ${oneLine(message.failure)}`)];
    const body = [...bodies, ...failure.flatMap((line) => this.#wrap(line, ''))];
    if (body.length === 0) return [];
    const indent = message.isMarked ? palette.yellow(MARK) : INDENT;
    return [
      ...this.#speakerLine(message),
      ...body.map((line) => (line === '' && !message.isMarked ? '' : indent + line)),
    ];
  }

  /** Not repeated for a speaker who goes on. */
  #speakerLine({ speaker, model, isMarked, isOffPath }: HistoryMessage): string[] {
    const { palette } = this.#options;
    const isNewModel = model !== undefined && model !== this.#model;
    const named = `${speaker}${isOffPath ? ' off' : ''}`;
    if (this.#speaker === named && !isNewModel && !isMarked) return [];
    const isFirst = this.#speaker === '';
    this.#speaker = named;
    if (model !== undefined) this.#model = model;
    const paint = speaker === 'user' ? palette.cyan : speaker === 'assistant' ? palette.green : palette.dim;
    const remarks = [
      ...(isNewModel ? [cutEnd(oneLine(model), this.#modelWidth())] : []),
      ...(isOffPath ? ['other branch'] : []),
    ];
    const name = [
      palette.bold(paint(NAMES[speaker])),
      ...remarks.map((remark) => palette.dim(remark)),
      ...(isMarked ? [palette.yellow('◀ here')] : []),
    ].join('  ');
    return isFirst ? [name] : ['', name];
  }

  /** Beside the name and the remarks of a speaker. */
  #modelWidth(): number {
    return Number.isFinite(this.#width) ? Math.max(6, this.#width - 36) : 100;
  }

  #part(part: HistoryPart, { speaker }: HistoryMessage): string[] {
    const { palette, tools, thinking } = this.#options;
    switch (part.kind) {
      case 'text': {
        if (speaker !== 'system' || tools) return this.#text(part.text);
        return [palette.dim(this.#cut(shorten(oneLine(part.text.slice(0, 4000)), 200)))];
      }
      case 'thinking': {
        if (!thinking) return [];
        const lines = part.text.trim() === '' ? ['(kept by the provider)'] : cleanLines(part.text);
        return lines.flatMap((line) => this.#wrap(line, '┊ ')).map((line) => palette.dim(line));
      }
      case 'call':
        return this.#call(part);
      case 'result': {
        const { outcome, isFailed } = summarizeResult(part);
        const name = part.name === undefined ? '' : `${oneLine(part.name)} `;
        const line = this.#cut(`${isFailed ? '✗' : '↳'} ${name}→ ${outcome}`);
        return [isFailed ? palette.red(line) : palette.dim(line), ...(tools ? this.#output(part.text) : [])];
      }
      case 'image':
        return [palette.dim(this.#cut(`[image ${oneLine(part.mimeType ?? '')}`.trimEnd().concat(']')))];
      case 'other':
        return [palette.dim(this.#cut(`[${oneLine(part.type) || 'content'}]`))];
    }
  }

  #call(call: Extract<HistoryPart, { kind: 'call' }>): string[] {
    const { palette, tools, isLive } = this.#options;
    const { name, given, outcome, isFailed } = summarizeCall(call);
    const sign = isFailed ? '✗' : '⚙';
    const after = isLive && call.result === undefined ? ' …' : ` → ${outcome}`;
    if (tools) {
      const head = `${sign} ${name}${after}`;
      const result = call.result === undefined ? [] : this.#output(call.result.text);
      return [
        isFailed ? palette.red(this.#cut(head)) : palette.cyan(this.#cut(head)),
        ...cleanLines(formatArguments(call.arguments)).flatMap((line) => this.#wrap(line, INDENT)),
        ...(result.length > 0 ? [palette.dim(`${INDENT}→`)] : []),
        ...result,
      ];
    }
    const room = Number.isFinite(this.#width) ? this.#width - INDENT.length : 160;
    const before = cutEnd(`${sign} ${name}`, room);
    const left = room - textWidth(before) - textWidth(after) - 1;
    // Rather a part of what came of it than nothing of what was done.
    const shown = left >= 8 && given !== '' ? ` ${cutEnd(given, left)}` : '';
    const line = cutEnd(`${before}${shown}${after}`, room);
    return [isFailed ? palette.red(line) : palette.dim(line)];
  }

  #output(text: string): string[] {
    const { palette } = this.#options;
    return cleanLines(text)
      .flatMap((line) => this.#wrap(line, INDENT))
      .map((line) => palette.dim(line));
  }

  #text(text: string): string[] {
    return cleanLines(text).flatMap((line) => this.#wrap(line, ''));
  }

  #wrap(line: string, indent: string): string[] {
    return wrapLine(line, this.#width - INDENT.length - indent.length).map((piece) =>
      piece === '' ? '' : indent + piece,
    );
  }

  #cut(line: string): string {
    return Number.isFinite(this.#width) ? cutEnd(line, this.#width - INDENT.length) : line;
  }
}

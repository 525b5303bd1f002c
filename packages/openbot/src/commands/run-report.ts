import { printable, type RunEvent, type RunOutcome } from '@openbot/claude-code';
import { suggestRule } from './allow-rules.ts';
import type { Terminal } from './command.ts';
import type { MessageEvent } from './held-messages.ts';
import { showBeginning, showLines, summarizeCall } from './tool-call.ts';

/** Tells a person what happens in a run, an event at a time. */
export class RunReport {
  readonly #palette: Terminal['palette'];
  /** What was asked for by the id of its question. */
  readonly #asked = new Map<string, { toolUseId: string; rule: string }>();
  /** Calls whose failure was told already, by the id of the call. */
  readonly #refused = new Set<string>();
  readonly #toldCalls = new Set<string>();
  /** Answers to questions that overtook their calls. */
  readonly #early = new Map<string, string>();

  constructor({ palette }: Pick<Terminal, 'palette'>) {
    this.#palette = palette;
  }

  /** Undefined where there is nothing to say. */
  format(event: RunEvent | MessageEvent): string | undefined {
    const palette = this.#palette;
    switch (event.type) {
      case 'queued':
        return this.#note(`… waiting for ${event.behind}`);
      case 'leftover':
        return this.#note(`… ended what a crashed run left at work (process ${event.pid})`);
      case 'selected':
        return this.#note(`${event.selection.action}: ${event.selection.reason}`);
      case 'fallback':
        return this.#note(`fresh: session ${event.sessionId} is gone (${event.reason})`);
      case 'started':
        return `${palette.bold(`Session ${printable(event.sessionId)}`)} ${palette.dim(describeStart(event))}\n`;
      case 'text':
        return event.inSubagent ? this.#noteLines(event.text) : `${showLines(event.text)}\n`;
      case 'message':
        return `${palette.bold('Message:')} ${showLines(event.text).replaceAll('\n', `\n${MESSAGE_INDENT}`)}\n`;
      case 'tool':
        return this.#formatCall(event);
      case 'tool-result':
        return event.isError && !this.#refused.has(event.toolUseId)
          ? `${palette.red(`  failed: ${showBeginning(event.output)}`)}\n`
          : undefined;
      case 'permission': {
        const { requestId, toolUseId, toolName, input } = event.request;
        this.#asked.set(requestId, { toolUseId, rule: suggestRule(toolName, input) });
        return undefined;
      }
      case 'permission-settled':
        return this.#formatSettled(event);
      case 'warning':
        return `${palette.yellow(printable(`Warning: ${event.message}`))}\n`;
      default:
        return undefined;
    }
  }

  #formatCall({ toolUseId, name, input, inSubagent }: Extract<RunEvent, { type: 'tool' }>): string {
    this.#toldCalls.add(toolUseId);
    const note = this.#note(`${inSubagent ? '  ' : ''}> ${summarizeCall(name, input)}`);
    return note + (this.#early.get(toolUseId) ?? '');
  }

  #formatSettled(event: Extract<RunEvent, { type: 'permission-settled' }>): string | undefined {
    if (event.settlement === 'allowed') return undefined;
    const asked = this.#asked.get(event.requestId);
    const text = `  ${SETTLEMENTS[event.settlement]}`;
    if (asked === undefined) return this.#note(text);
    this.#refused.add(asked.toolUseId);
    const rule = event.settlement === 'nobody-listens' ? `; --allow '${asked.rule}' would` : '';
    const note = this.#note(`${text}${rule}`);
    if (this.#toldCalls.has(asked.toolUseId)) return note;
    this.#early.set(asked.toolUseId, note);
    return undefined;
  }

  #note(text: string): string {
    return `${this.#palette.dim(printable(text))}\n`;
  }

  #noteLines(text: string): string {
    const lines = showLines(text).split('\n');
    return lines.map((line) => `${this.#palette.dim(`  ${line}`)}\n`).join('');
  }
}

const MESSAGE_INDENT = ' '.repeat('Message: '.length);

const SETTLEMENTS = {
  denied: 'not allowed',
  'timed-out': 'not allowed: nobody answered in time',
  'nobody-listens': 'not allowed: no rule allows it, and nobody is there to ask',
  withdrawn: 'not asked any more',
} as const;

/** The last line: how it ended, the session's id, and what it cost. */
export function formatOutcome(outcome: RunOutcome, { palette }: Pick<Terminal, 'palette'>): string {
  const { sessionId, result, costUsd, totalCostUsd, maxBudgetUsd, turns } = outcome;
  const mark = result === 'success' ? palette.green('✓') : palette.red('✗');
  if (sessionId === undefined) return `${mark} ${result}  nothing was started\n`;
  const total = totalCostUsd > costUsd ? `, $${totalCostUsd.toFixed(4)} in all` : '';
  const budget = maxBudgetUsd === undefined ? '' : ` of ${showBudget(maxBudgetUsd)}`;
  const words = `${turns} ${turns === 1 ? 'turn' : 'turns'}, $${costUsd.toFixed(4)}${total}${budget}`;
  return `${mark} ${result}  ${printable(sessionId)}  ${words}\n`;
}

function describeStart(event: Extract<RunEvent, { type: 'started' }>): string {
  const spent = event.action === 'resume' ? `, $${event.spentUsd.toFixed(4)} so far` : '';
  const budget = event.maxBudgetUsd === undefined ? '' : `, may cost ${showBudget(event.maxBudgetUsd)}`;
  return `${event.action}, ${printable(event.model)}${spent}${budget}`;
}

/** Whole cents, unless it is a part of one. */
function showBudget(usd: number): string {
  return `$${Number.isInteger(Math.round(usd * 1e6) / 1e4) ? usd.toFixed(2) : usd.toFixed(4)}`;
}

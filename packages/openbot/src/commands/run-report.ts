import { printable, type RunEvent, type RunOutcome } from '@openbot/claude-code';
import type { Terminal } from './command.ts';

/** Enough to see what a call is about. */
const MOST_INPUT = 120;

/** One event for a person; undefined where there is nothing to say. */
export function formatEvent(event: RunEvent, { palette }: Pick<Terminal, 'palette'>): string | undefined {
  const note = (text: string) => `${palette.dim(printable(text))}\n`;
  switch (event.type) {
    case 'queued':
      return note(`… waiting for ${event.behind}`);
    case 'leftover':
      return note(`… ended what a crashed run left at work (process ${event.pid})`);
    case 'selected':
      return note(`${event.selection.action}: ${event.selection.reason}`);
    case 'fallback':
      return note(`fresh: session ${event.sessionId} is gone (${event.reason})`);
    case 'started':
      return `${palette.bold(`Session ${printable(event.sessionId)}`)} ${palette.dim(describeStart(event))}\n`;
    case 'text':
      return `${showLines(event.text)}\n`;
    case 'tool':
      return note(`> ${event.name} ${shorten(JSON.stringify(event.input) ?? '')}`);
    case 'tool-result':
      return event.isError ? `${palette.red(printable(`  failed: ${shorten(event.output)}`))}\n` : undefined;
    case 'permission-settled':
      return event.settlement === 'allowed' ? undefined : note(`  ${SETTLEMENTS[event.settlement]}`);
    case 'warning':
      return `${palette.yellow(printable(`Warning: ${event.message}`))}\n`;
    default:
      return undefined;
  }
}

const SETTLEMENTS = {
  denied: 'not allowed',
  'timed-out': 'not allowed: nobody answered in time',
  'nobody-listens': 'not allowed: no rule allows it, and nobody is there to ask (--allow)',
  withdrawn: 'not asked any more',
} as const;

export function formatOutcome(outcome: RunOutcome, { palette }: Pick<Terminal, 'palette'>): string {
  const { sessionId, result, costUsd, totalCostUsd, maxBudgetUsd, turns } = outcome;
  const mark = result === 'success' ? palette.green('✓') : palette.red('✗');
  const total = totalCostUsd > costUsd ? `, $${totalCostUsd.toFixed(4)} in all` : '';
  const budget = maxBudgetUsd === undefined ? '' : ` of ${showBudget(maxBudgetUsd)}`;
  const words = `${turns} ${turns === 1 ? 'turn' : 'turns'}, $${costUsd.toFixed(4)}${total}${budget}`;
  return `${mark} ${result}  ${printable(sessionId ?? 'no session')}  ${words}\n`;
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

function showLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function shorten(text: string): string {
  return text.length <= MOST_INPUT ? text : `${text.slice(0, MOST_INPUT - 1).toWellFormed()}…`;
}

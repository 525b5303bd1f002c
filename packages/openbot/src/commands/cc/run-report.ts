import type { PermissionRequest, RunEvent, RunOutcome, SessionSelection } from '@openbot/claude-code';
import type { Progress } from '@openbot/sessions';
import type { Terminal } from '@openbot/sessions/command-line';
import { formatAge, formatUsd, printable, shorten } from '@openbot/sessions/terminal-text';
import { explainDenial, type RunRules } from '../../permissions/explain-denial.ts';
import type { MessageEvent } from './held-messages.ts';

/** Formats the events of a run for a person. */
export class RunReport {
  readonly #palette: Terminal['palette'];
  readonly #rules: RunRules;
  /** Requests by their id. */
  readonly #asked = new Map<string, PermissionRequest>();
  /** Calls with an open question. They fail when the run ends, which is not reported as a failure. */
  readonly #open = new Set<string>();
  /** Calls whose denial was reported. */
  readonly #refused = new Set<string>();
  readonly #reportedCalls = new Set<string>();
  /** Denials that arrived before their calls. */
  readonly #early = new Map<string, string>();

  constructor({ palette }: Pick<Terminal, 'palette'>, rules: RunRules) {
    this.#palette = palette;
    this.#rules = rules;
  }

  /** Undefined if the event is not shown. */
  format(event: RunEvent | MessageEvent): string | undefined {
    const palette = this.#palette;
    switch (event.type) {
      case 'queued':
        return this.#note(`… waiting for ${describeHolder(event.behind)}`);
      case 'leftover':
        return this.#note(`… ended process ${event.pid}, left over from a crashed run`);
      case 'selected':
        return this.#formatSelected(event.selection);
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
        return event.isError && !this.#refused.has(event.toolUseId) && !this.#open.has(event.toolUseId)
          ? `${palette.red(`  failed: ${showBeginning(event.output)}`)}\n`
          : undefined;
      case 'permission':
        this.#asked.set(event.request.requestId, event.request);
        this.#open.add(event.request.toolUseId);
        return undefined;
      case 'permission-settled':
        return this.#formatSettled(event);
      case 'retrying':
        return this.#note(describeRetry(event));
      case 'warning':
        return `${palette.yellow(printable(`Warning: ${event.message}`))}\n`;
      default:
        return undefined;
    }
  }

  /** What goes on behind an event; undefined where it does not change that. */
  progressAfter(event: RunEvent | MessageEvent): Progress | undefined {
    switch (event.type) {
      case 'queued':
        return { waitingFor: describeHolder(event.behind) };
      case 'selected':
        return { step: 'run', text: 'Starting Claude Code' };
      case 'leftover':
      case 'fallback':
      case 'warning':
        return undefined;
      default:
        return this.#open.size > 0 ? undefined : { step: 'run', text: 'Claude Code is working' };
    }
  }

  #formatSelected({ action, reason, relevanceFallback }: SessionSelection): string {
    const note = this.#note(`${action}: ${reason}`);
    return relevanceFallback === undefined
      ? note
      : note + this.#note(`words were compared: ${relevanceFallback}`);
  }

  #formatCall({ toolUseId, name, input, inSubagent }: Extract<RunEvent, { type: 'tool' }>): string {
    this.#reportedCalls.add(toolUseId);
    const note = this.#note(`${inSubagent ? '  ' : ''}> ${summarizeCall(name, input)}`);
    return note + (this.#early.get(toolUseId) ?? '');
  }

  #formatSettled(event: Extract<RunEvent, { type: 'permission-settled' }>): string | undefined {
    const asked = this.#asked.get(event.requestId);
    if (asked !== undefined) this.#open.delete(asked.toolUseId);
    if (event.settlement === 'allowed') return undefined;
    const text = `  ${SETTLEMENTS[event.settlement]}`;
    if (asked === undefined) return this.#note(text);
    this.#refused.add(asked.toolUseId);
    const why = event.settlement === 'nobody-listens' ? `: ${explainDenial(asked, this.#rules)}` : '';
    const note = this.#note(`${text}${why}`);
    if (this.#reportedCalls.has(asked.toolUseId)) return note;
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
  'timed-out': 'not allowed: no answer in time',
  'nobody-listens': 'not allowed',
  withdrawn: 'question withdrawn',
} as const;

/** The last line: result, session id and cost. */
export function formatOutcome(outcome: RunOutcome, { palette }: Pick<Terminal, 'palette'>): string {
  const { sessionId, result, costUsd, totalCostUsd, maxBudgetUsd, turns } = outcome;
  const mark = result === 'success' ? palette.green('✓') : palette.red('✗');
  if (sessionId === undefined) return `${mark} ${result}  nothing was started\n`;
  const total = totalCostUsd > costUsd ? `, $${totalCostUsd.toFixed(4)} in all` : '';
  const budget = maxBudgetUsd === undefined ? '' : ` of ${formatUsd(maxBudgetUsd)}`;
  const words = `${turns} ${turns === 1 ? 'turn' : 'turns'}, $${costUsd.toFixed(4)}${total}${budget}`;
  return `${mark} ${result}  ${printable(sessionId)}  ${words}\n`;
}

/** The holder of a lock, with an age instead of a time. */
function describeHolder(holder: string): string {
  const [, who, time] = /^(.*), since (\S+)$/s.exec(holder) ?? [];
  const at = Date.parse(time ?? '');
  if (who === undefined || Number.isNaN(at)) return holder;
  return `${who.replace(' (node)', '')}, which began ${formatAge(at, Date.now())}`;
}

function describeRetry({ status, attempt, maxRetries }: Extract<RunEvent, { type: 'retrying' }>): string {
  const what = status === undefined ? 'the API does not answer' : `the API answers with ${status}`;
  return `… ${what}, trying again: ${attempt} of ${maxRetries}`;
}

function describeStart(event: Extract<RunEvent, { type: 'started' }>): string {
  const spent = event.action !== 'fresh' ? `, $${event.spentUsd.toFixed(4)} so far` : '';
  const budget = event.maxBudgetUsd === undefined ? '' : `, may cost ${formatUsd(event.maxBudgetUsd)}`;
  return `${event.action}, ${printable(event.model)}${spent}${budget}`;
}

/** Enough to recognise a call. */
const MOST = 120;
/** The parameters of Claude Code's tools that say what a call is about. */
const TELLING = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'description'];
/** The message itself is printed, so its call needs no summary. */
const SHOWN_AS_MESSAGE = new Set(['openclaw_send_message']);

/** A call on one line: `Bash git status`, `Write /project/a.txt`. */
function summarizeCall(name: string, input: unknown): string {
  const parts = (input ?? {}) as Readonly<Record<string, unknown>>;
  const telling = TELLING.map((key) => parts[key]).find((part) => typeof part === 'string' && part !== '');
  const whole = typeof telling === 'string' ? telling : (JSON.stringify(input) ?? '');
  // Tools of MCP servers have long names; the last part identifies the tool.
  const short = name.replace(/^mcp__.*?__/, '');
  const about = whole === '{}' || SHOWN_AS_MESSAGE.has(short) ? '' : whole;
  return showBeginning(`${short} ${about}`.trim());
}

/** The beginning of a text, on one line. */
function showBeginning(text: string): string {
  return printable(shorten(text.replace(/\s+/g, ' '), MOST));
}

/** Text of a model or a tool, with its line ends kept. */
function showLines(text: string): string {
  const lines = text.split(/\r?\n/);
  return lines.map((line) => printable(line.replaceAll('\t', '    '))).join('\n');
}

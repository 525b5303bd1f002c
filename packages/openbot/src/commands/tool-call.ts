import { printable, shorten } from '@openbot/sessions/terminal-text';

/** Enough to see what a call is about. */
const MOST = 120;
/** What a call is about, by the names that Claude Code's tools give it. */
const TELLING = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'description'];

/** What is sent is shown as the message that it is. */
const TOLD_ELSEWHERE = new Set(['openclaw_send_message']);

/** A call on one line: `Bash git status`, `Write /project/a.txt`. */
export function summarizeCall(name: string, input: unknown): string {
  const parts = (input ?? {}) as Readonly<Record<string, unknown>>;
  const telling = TELLING.map((key) => parts[key]).find((part) => typeof part === 'string' && part !== '');
  const whole = typeof telling === 'string' ? telling : (JSON.stringify(input) ?? '');
  // The tools of servers have long names; the last part says which it is.
  const short = name.replace(/^mcp__.*?__/, '');
  const about = whole === '{}' || TOLD_ELSEWHERE.has(short) ? '' : whole;
  return showBeginning(`${short} ${about}`.trim());
}

/** The beginning of a text, on one line. */
export function showBeginning(text: string): string {
  return printable(shorten(text.replace(/\s+/g, ' '), MOST));
}

/** Text of a model or a tool on the lines that it has. */
export function showLines(text: string): string {
  return text.split(/\r?\n/).map(showLine).join('\n');
}

export function showLine(line: string): string {
  return printable(line.replaceAll('\t', '    '));
}

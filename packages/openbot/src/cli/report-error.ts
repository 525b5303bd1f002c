import { printable, toJsonText } from '@openbot/sessions/terminal-text';
import type { Terminal } from '../commands/command.ts';
import { OutputLost } from '../errors.ts';
import { explainInstall } from './install-hint.ts';

/** Says on stderr what went wrong and what to do, as text or as one JSON object. Returns the exit code. */
export function reportError(error: unknown, terminal: Terminal, asJson: boolean): number {
  // A command is a bundle with classes of its own.
  if ((error as Error | undefined)?.name === OutputLost.name) return 1;
  const { code, message, hint } = describe(error);
  const text = asJson
    ? toJsonText({ success: false, error: { code, message, hint } })
    : `Error: ${printable(message)}\n  ${printable(hint)}`;
  terminal.writeError(`${text}\n`);
  return 1;
}

function describe(error: unknown): { code: string; message: string; hint: string } {
  if (!(error instanceof Error)) return { code: 'UNEXPECTED', message: String(error), hint: FAULT };
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  // What Node and the system refuse has codes too, which nobody documents here.
  const isOurs = typeof code === 'string' && !/^(?:ERR_|E[A-Z0-9]+$)/.test(code);
  if (!isOurs) return { code: 'UNEXPECTED', message: error.message, hint: FAULT };
  return {
    code,
    message: error.message,
    hint: adviseHere(code, typeof hint === 'string' ? hint : undefined),
  };
}

const FAULT = 'This was not foreseen; please report it.';

function adviseHere(code: string, hint = 'See: openbot --help'): string {
  const [, missing] = /^npm install (\S+)$/.exec(hint) ?? [];
  return missing === undefined ? (HINTS[code] ?? hint) : explainInstall(missing);
}

/** What the library advises its callers to do is done by flags here. */
const HINTS: Readonly<Record<string, string>> = {
  BUDGET_SPENT: 'Give it a larger budget with --budget <usd>, or start a fresh session with --fresh.',
  SESSION_BUSY: 'Wait for the end of that run, or start a fresh session with --fresh.',
  CLAUDE_NOT_STARTED:
    'Check the path that --claude names, or the installation of @anthropic-ai/claude-agent-sdk.',
};

import { OpenBotError } from '@openbot/sessions';

/** Commands of Claude Code by which it leaves the session for another one, which nobody would have a lock on. */
const LEAVES_SESSION = /^\s*\/(?:clear|new|reset|resume|continue)(?=\s|$)/i;

/** @throws OpenBotError INVALID_ARGUMENT for a text that cannot be said in a run */
export function assertSayable(text: string, what: 'task' | 'follow-up'): void {
  if (text.trim() === '') throw new OpenBotError('INVALID_ARGUMENT', `the ${what} is empty`);
  const command = LEAVES_SESSION.exec(text)?.[0].trim();
  if (command === undefined) return;
  throw new OpenBotError('INVALID_ARGUMENT', `${command} would leave the session of the run`, {
    hint: 'End the run, and start a fresh one instead.',
  });
}

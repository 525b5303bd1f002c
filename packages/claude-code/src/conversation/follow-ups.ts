import { OpenBotError } from '@openbot/sessions';

/** The messages that Claude Code gets after the task. */
export class FollowUps {
  readonly #waiting: string[] = [];
  #isClosed = false;
  /** Called when a message was added, or when no more will come. */
  onChange: () => void = () => {};

  get count(): number {
    return this.#waiting.length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  add(text: string): void {
    this.#waiting.push(text);
    this.onChange();
  }

  take(): string | undefined {
    return this.#waiting.shift();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onChange();
  }

  list(): string[] {
    return [...this.#waiting];
  }
}

/** Commands of Claude Code that leave the session for another one, which the run does not have locked. */
const LEAVES_SESSION = /^\s*\/(?:clear|new|reset|resume|continue)(?=\s|$)/i;

/** @throws OpenBotError INVALID_ARGUMENT for a text that cannot be said in a run */
export function assertSayable(text: string, what: 'task' | 'follow-up'): void {
  if (text.trim() === '') throw new OpenBotError('INVALID_ARGUMENT', `the ${what} is empty`);
  const command = LEAVES_SESSION.exec(text)?.[0].trim();
  if (command === undefined) return;
  throw new OpenBotError('INVALID_ARGUMENT', `${command} would switch the run to another session`, {
    hint: 'End the run, and start a fresh one instead.',
  });
}

import type { PermissionAnswer } from '@openbot/claude-code';

/** What stands on the screen until a line is typed. */
export interface Prompt {
  readonly text: string;
  readonly prompt: string;
}

/** Asks, is given the line that was typed, and asks again or has the answer. */
export type Dialog = Generator<Prompt, PermissionAnswer, string>;

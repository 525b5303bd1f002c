import type { ToolUse } from './rules.ts';

/** What an agent may do without a question, in rules of Claude Code's syntax. */
export interface PermissionSettings {
  allow?: readonly string[];
  /** Win over `allow` and over what people answer. */
  deny?: readonly string[];
  /** `on-miss`, the default, asks about what no rule allows; `always` about everything; `off` denies what no rule allows. */
  ask?: 'on-miss' | 'always' | 'off';
  /** Without an answer within this time it is denied. 300. */
  timeoutSeconds?: number;
}

export interface PermissionRequest extends ToolUse {
  readonly callId: string;
}

export type Permission =
  | { readonly isAllowed: true }
  /** The reason is for the model. */
  | { readonly isAllowed: false; readonly reason: string };

export interface Question extends ToolUse {
  /** The rule that the answer `always` adds to the session. Undefined where that answer is not offered. */
  readonly always?: string;
  readonly timeoutMs: number;
}

export type Answer = 'yes' | 'always' | 'no';

/** A question that a person has before them. */
export interface OpenQuestion {
  /** Does not resolve after `close`. */
  readonly answer: Promise<Answer>;
  /** Nothing is answered any more: takes the question back and tells the person. */
  close(why: 'timeout' | 'withdrawn'): Promise<void>;
}

/** A way to ask a person: at a terminal, in a conversation. It knows no time limits. */
export interface Asker {
  /** Resolves when the question is certain to reach the person. Questions may be open side by side. */
  ask(question: Question): Promise<OpenQuestion>;
}

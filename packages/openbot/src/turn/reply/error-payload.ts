import { redactSecrets } from '@openbot/sessions';
import { oneLine, shorten } from '@openbot/sessions/terminal-text';
import type { ReplyPayload } from '../../outbox/reply-payload.ts';

export type RunFailure =
  | { readonly kind: 'error'; readonly error: string; readonly hint?: string; readonly isTransient: boolean }
  /** Several models were tried. The error names each. */
  | { readonly kind: 'no-model'; readonly error: string; readonly hint?: string }
  /** No model could be reached for as long as the message may wait. */
  | { readonly kind: 'waited'; readonly summary: string }
  /** No model can be reached, and the sender waits for an answer. */
  | { readonly kind: 'no-wait'; readonly summary: string }
  | { readonly kind: 'overflow'; readonly error: string }
  | { readonly kind: 'timeout'; readonly seconds: number }
  /** The process died in every run of the turn. */
  | { readonly kind: 'gave-up' }
  | { readonly kind: 'no-agent'; readonly agentId: string };

const MAX_ERROR = 500;

/** Tells a person that a run failed, why, and what to do. Never has a key or a token that the error contained. */
export function buildErrorPayload(failure: RunFailure): ReplyPayload {
  return { text: describe(failure), isError: true };
}

function describe(failure: RunFailure): string {
  switch (failure.kind) {
    case 'error': {
      const advice =
        failure.hint ??
        (failure.isTransient
          ? 'Your message is kept in the conversation; send another one to try again.'
          : 'Choose another model with /new <model>, or look at the configuration.');
      return `⚠️ The model failed: ${endSentence(plain(failure.error))} ${plain(advice)}`;
    }
    case 'no-model':
      return `⚠️ ${plain(failure.error, 2 * MAX_ERROR)} ${plain(failure.hint ?? '')}`.trimEnd();
    case 'waited':
      return `⚠️ Your message was given up: ${plain(failure.summary)}, and that for too long. Send it again if it still matters.`;
    case 'no-wait':
      return `⚠️ ${endSentence(plain(failure.summary))} Your message gets no answer; send it again later.`;
    case 'overflow':
      return '⚠️ This conversation no longer fits into the context window of the model, also after shortening it. Nothing was deleted. Send /new to begin a new session, or choose a model with a larger window.';
    case 'timeout':
      return `⚠️ The run was stopped after ${failure.seconds} seconds, before it was finished. Ask for a smaller step, or raise agents.defaults.timeoutSeconds.`;
    case 'gave-up':
      return `⚠️ Your message could not be answered: its run was cut off again and again. Send it again if it still matters.`;
    case 'no-agent':
      return `⚠️ There is no agent ${plain(failure.agentId)} to answer your message. The owner of this bot can add it.`;
  }
}

function plain(text: string, limit = MAX_ERROR): string {
  return shorten(oneLine(redactSecrets(text.slice(0, 8 * limit))), limit);
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

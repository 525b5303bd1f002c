import { OpenBotError } from '@openbot/sessions';
import type { AbortCause } from './contract.ts';

const REASONS = {
  person: { code: 'RUN_STOPPED', message: 'A person stopped the run.' },
  interrupt: { code: 'RUN_INTERRUPTED', message: 'A newer message interrupted the run.' },
  timeout: { code: 'RUN_TIMED_OUT', message: 'The run took too long.' },
  shutdown: { code: 'BOT_STOPPING', message: 'The process ends.' },
} as const satisfies Record<AbortCause, { code: string; message: string }>;

/** For `AbortController.abort`: `abortCauseOf` tells the cause from the signal. */
export function abortReason(cause: AbortCause): OpenBotError {
  const { code, message } = REASONS[cause];
  return new OpenBotError(code, message);
}

/** A signal that was aborted without a reason of ours was aborted by a person: Ctrl-C, or a command. */
export function abortCauseOf({ reason }: AbortSignal): AbortCause {
  const code: unknown = reason?.code;
  // The turn goes on in another process, as after a shutdown.
  if (code === 'RUN_LOCK_LOST') return 'shutdown';
  if (reason?.name === 'TimeoutError') return 'timeout';
  return (Object.keys(REASONS) as AbortCause[]).find((cause) => REASONS[cause].code === code) ?? 'person';
}

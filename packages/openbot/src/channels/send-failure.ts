import { OpenBotError } from '@openbot/sessions';
import type { ReplyPayload } from '../outbox/reply-payload.ts';
import type { SendFailure, SendFailureReason } from './contract.ts';

/** The error that `send` of a channel throws. */
export function sendFailure(
  message: string,
  fields: {
    readonly isPermanent: boolean;
    readonly mayHaveArrived: boolean;
    readonly retryAfterMs?: number;
    readonly reason?: SendFailureReason;
    readonly cause?: unknown;
  },
): SendFailure {
  const { cause, ...rest } = fields;
  const error = new OpenBotError('SEND_FAILED', message, { cause });
  for (const [name, value] of Object.entries(rest)) {
    // Not by assignment: an OpenBotError has a `reason` of its own, which cannot be set.
    Object.defineProperty(error, name, { value, enumerable: true });
  }
  return error as Error as SendFailure;
}

/** Throws for data of a network without what it belongs to, such as buttons without a text: it must not count as sent. */
export function assertShown(
  parts: readonly unknown[],
  { channelData }: Pick<ReplyPayload, 'channelData'>,
  network: string,
): void {
  if (parts.length > 0 || channelData === undefined) return;
  throw sendFailure(`${network} shows no message without a text or a file`, {
    isPermanent: true,
    mayHaveArrived: false,
  });
}

/** Reads what a channel threw. What it does not say is assumed so that no reply is lost and no repeat goes unmarked. */
export function readSendFailure(error: unknown): {
  readonly text: string;
  readonly isPermanent: boolean;
  readonly mayHaveArrived: boolean;
  readonly retryAfterMs: number;
} {
  const fields = (typeof error === 'object' && error !== null ? error : {}) as Partial<SendFailure>;
  const { isPermanent, mayHaveArrived, retryAfterMs } = fields;
  return {
    text: error instanceof Error ? error.message : String(error),
    isPermanent: isPermanent === true,
    mayHaveArrived: mayHaveArrived !== false,
    retryAfterMs: typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : 0,
  };
}

import type { ReplyPayload } from '../outbox/reply-payload.ts';
import type { TurnResult } from './turn-tools.ts';

/** Of a turn that the bot answered itself: no model was asked. */
export function resultWithoutRun(
  session: { readonly sessionId: string; readonly provider: string; readonly model: string },
  payloads: readonly ReplyPayload[],
): TurnResult {
  const outcome = payloads.length === 0 ? 'silent' : 'answered';
  return { outcome: { end: 'answered' }, report: { ...session, payloads, compactions: 0, outcome } };
}

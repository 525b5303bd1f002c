import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import { findSession } from '../../session-address.ts';
import { deliver } from '../deliver.ts';
import type { Turn } from '../open-turn.ts';
import type { TurnResult } from '../turn-tools.ts';

/**
 * The answer to `/stop`. The queue has acted before its turn begins: it has ended the run and withdrawn what waited. No
 * model is asked.
 */
export async function answerStop(turn: Turn): Promise<TurnResult> {
  const { work, message, models, sessions } = turn;
  const [found] = await Promise.all([findSession(sessions, work.sessionKey), work.begun]);
  const entry = found?.entry;
  const wasRunning = entry?.abortedBy === 'person' && (entry.endedAt ?? 0) >= message.receivedAt;
  const payloads = [{ text: wasRunning ? 'Stopped.' : 'Nothing was running.' }];
  await deliver(turn, { entry, sessionKey: work.sessionKey }, payloads, () => true);
  const { defaultProvider: provider, defaultModel: model } = models;
  return resultWithoutRun({ sessionId: entry?.sessionId ?? '', provider, model }, payloads);
}

/** Of a turn that the bot answered itself: no model was asked. */
export function resultWithoutRun(
  session: { readonly sessionId: string; readonly provider: string; readonly model: string },
  payloads: readonly ReplyPayload[],
): TurnResult {
  const outcome = payloads.length === 0 ? 'silent' : 'answered';
  return { outcome: { end: 'answered' }, report: { ...session, payloads, compactions: 0, outcome } };
}

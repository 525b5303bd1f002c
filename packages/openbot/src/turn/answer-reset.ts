import type { ModelChoice } from '../runners/contract.ts';
import { deliver } from './deliver.ts';
import type { TurnSession } from './init-session.ts';
import type { Turn } from './open-turn.ts';
import { resultWithoutRun } from './result-without-run.ts';
import type { TurnResult } from './turn-tools.ts';

/**
 * The answer to `/new` without a text. The session has begun anew already, and there is nothing that a model could be
 * given: providers refuse an empty message.
 */
export async function answerReset(
  turn: Turn,
  { entry, sessionKey, sessionId, written }: TurnSession,
  { provider, model }: ModelChoice,
): Promise<TurnResult> {
  const payloads = [{ text: `A new session has begun, with ${provider}/${model}.` }];
  await written;
  await deliver(turn, { entry, sessionKey }, payloads, () => false);
  return resultWithoutRun({ sessionId, provider, model }, payloads);
}

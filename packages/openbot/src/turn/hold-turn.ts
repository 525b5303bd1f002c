import { persistRunOutcome } from '@openbot/sessions';
import type { ModelChoice, Outage, RunEnd } from '../runners/contract.ts';
import { END_MARK, HELD } from '../transcripts/contract.ts';
import type { TurnSession } from './init-session.ts';
import type { Turn } from './open-turn.ts';
import { outcomeOfRun, type RunTally } from './run-tally.ts';
import type { TurnResult } from './turn-tools.ts';

/** Why the turn waits for a model instead of failing; undefined where its sender does not wait, or has waited too long. */
export function findHold({ tools, work }: Turn, end: RunEnd): Outage | undefined {
  if (end.reason !== 'error' || end.outage === undefined || work.signal.aborted) return undefined;
  const newest = work.messages.at(-1)!;
  return tools.now() - newest.receivedAt < tools.patienceOf(newest) ? end.outage : undefined;
}

/** Leaves the turn so that it can go on: what was said is in the transcript, and nothing of it is sent yet. */
export async function holdTurn(
  turn: Turn,
  session: TurnSession,
  {
    tally,
    model,
    outage,
  }: { readonly tally: RunTally; readonly model: ModelChoice; readonly outage: Outage },
): Promise<TurnResult> {
  const { tools, work, startedAt } = turn;
  const { sessionKey, sessionId, entry } = session;
  const ref = turn.refOf(entry);
  const before = await tools.transcripts.findTurn(ref, work.turnId);
  const data = { turnId: work.turnId, cause: HELD };
  if (before?.abortedBy !== HELD)
    await tools.transcripts.append(ref, [{ type: 'custom', customType: END_MARK, data }]);
  await session.written;
  await persistRunOutcome({
    ...outcomeOfRun(tally, { model, hasChanged: true, startedAt, endedAt: tools.now() }),
    ...turn.sessions,
    sessionKey,
    sessionId,
    now: tools.now,
  });
  const error = `${outage.summary}. The message waits for it.`;
  const { retryAfterMs } = tally.end as Extract<RunEnd, { readonly reason: 'error' }>;
  return {
    outcome: { end: 'held', outage, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    report: {
      sessionId,
      provider: model.provider,
      model: model.model,
      payloads: [],
      compactions: tally.compactions.count,
      outcome: 'failed',
      error: { message: error },
    },
  };
}

import { setImmediate } from 'node:timers/promises';
import { persistRunOutcome, type SessionSkillSnapshot } from '@openbot/sessions';
import type { ModelChoice, SystemPrompt } from '../runners/contract.ts';
import { END_MARK } from '../transcripts/contract.ts';
import type { ChosenRun } from './choose-run.ts';
import { deliver, listSentBefore } from './deliver.ts';
import type { TurnSession } from './init-session.ts';
import type { Turn } from './open-turn.ts';
import { buildReplies } from './reply/build-replies.ts';
import { addSent, outcomeOfRun, type RunTally } from './run-tally.ts';
import { chooseThinkingLevel } from './session-fields/lines-for-changes.ts';
import type { TurnReport, TurnResult } from './turn-tools.ts';

interface EndedRun extends Pick<ChosenRun, 'model'>, Partial<Pick<ChosenRun, 'thinkingLevel'>> {
  readonly tally: RunTally;
  readonly systemPrompt?: SystemPrompt;
  readonly skills?: SessionSkillSnapshot;
}

/** Keeps what the run changed in its session's entry, and puts the replies into the outbox. */
export async function finishTurn(turn: Turn, session: TurnSession, run: EndedRun): Promise<TurnResult> {
  const { tools, startedAt } = turn;
  const { thinkingDefault } = turn.agent;
  const { entry, sessionKey, sessionId, isGroup } = session;
  const { tally, model, systemPrompt, thinkingLevel = chooseThinkingLevel({ entry, thinkingDefault }) } = run;
  const outcome = outcomeOfRun(tally, {
    model,
    thinkingLevel,
    systemPrompt,
    startedAt,
    endedAt: tools.now(),
  });
  const knowsGroup = isGroup && outcome.systemSent === true && entry.groupActivationNeedsSystemIntro === true;
  const [result] = await Promise.all([
    reply(turn, session, model, tally),
    // A person waits for the reply: the work for the entry begins after it was given to the outbox.
    setImmediate().then(() =>
      persistRunOutcome({
        ...outcome,
        ...turn.sessions,
        ...(knowsGroup && { groupIntroSent: true }),
        sessionKey,
        sessionId,
        skillsSnapshot: run.skills,
        now: tools.now,
      }),
    ),
    session.written,
  ]);
  return result;
}

/** What the model said becomes replies in the outbox. A turn that another process will finish sends nothing yet. */
async function reply(
  turn: Turn,
  session: TurnSession,
  model: ModelChoice,
  tally: RunTally,
): Promise<TurnResult> {
  const { end } = tally;
  const payloads = buildReplies(turn, session.entry, model, addSent(tally, await listSentBefore(turn)));
  const report: TurnReport = {
    sessionId: session.sessionId,
    provider: model.provider,
    model: model.model,
    payloads,
    usage: tally.totalUsage,
    lastUsage: tally.usage,
    compactions: tally.compactions.count,
    ...describeEnd(tally, payloads.length),
  };
  if (end.reason === 'aborted') {
    // Without it a process that dies now would leave a run that looks cut off, and it would be continued.
    const noted = noteAbort(turn, session, end.cause);
    if (end.cause === 'shutdown') {
      // Continued all the same; the line says that the run is not to blame.
      await noted.catch(() => {});
      return { outcome: { end: 'later' }, report };
    }
    await noted;
  }
  await deliver(turn, session, payloads);
  const isFailed = end.reason === 'error' || end.reason === 'overflow';
  return { outcome: isFailed ? { end: 'failed', error: end.error } : { end: 'answered' }, report };
}

async function noteAbort(turn: Turn, { entry }: TurnSession, cause = 'person'): Promise<void> {
  const data = { turnId: turn.work.turnId, cause };
  await turn.tools.transcripts.append(turn.refOf(entry), [{ type: 'custom', customType: END_MARK, data }]);
}

function describeEnd(
  { end }: RunTally,
  replies: number,
): Pick<TurnReport, 'outcome' | 'abortedBy' | 'error'> {
  switch (end.reason) {
    case 'stop':
      return { outcome: replies === 0 ? 'silent' : 'answered' };
    case 'aborted':
      return { outcome: 'aborted', abortedBy: end.cause ?? 'person' };
    default:
      return { outcome: 'failed', error: { message: end.error, hint: end.hint } };
  }
}

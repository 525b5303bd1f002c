import { setImmediate } from 'node:timers/promises';
import { persistRunOutcome, type SessionEntry, type SessionSkillSnapshot } from '@openbot/sessions';
import type { ReplyPayload } from '../outbox/reply-payload.ts';
import type { ModelChoice, SystemPrompt } from '../runners/contract.ts';
import { END_MARK, HELD } from '../transcripts/contract.ts';
import type { ChosenRun } from './choose-run.ts';
import { answerInside } from './commands/hints.ts';
import { deliver, listBlocks, listSentBefore, WEB_CHANNEL } from './deliver.ts';
import { type FailedModel, noticeOfChange } from './failover/describe-failover.ts';
import { nameOfModel } from './failover/list-candidates.ts';
import { isHeartbeat } from './heartbeat/heartbeat-message.ts';
import { noteAlert } from './heartbeat/heartbeat-replies.ts';
import { findHold, holdTurn } from './hold-turn.ts';
import type { TurnSession } from './init-session.ts';
import type { Turn } from './open-turn.ts';
import { buildReplies } from './reply/build-replies.ts';
import { addSent, outcomeOfRun, type RunTally } from './run-tally.ts';
import { chooseThinkingLevel } from './session-fields/lines-for-changes.ts';
import type { TurnReport, TurnResult } from './turn-tools.ts';

interface EndedRun extends Pick<ChosenRun, 'model'>, Partial<Pick<ChosenRun, 'thinkingLevel' | 'models'>> {
  readonly tally: RunTally;
  readonly failed?: readonly FailedModel[];
  readonly systemPrompt?: SystemPrompt;
  readonly skills?: SessionSkillSnapshot;
}

/** Keeps what the run changed in its session's entry, and puts the replies into the outbox. */
export async function finishTurn(turn: Turn, session: TurnSession, run: EndedRun): Promise<TurnResult> {
  const { tools, startedAt } = turn;
  const { thinkingDefault } = turn.agent;
  const { entry, sessionKey, sessionId, isGroup } = session;
  const outage = findHold(turn, run.tally.end);
  if (outage !== undefined) return holdTurn(turn, session, { ...run, outage });
  const { tally, model, systemPrompt, thinkingLevel = chooseThinkingLevel({ entry, thinkingDefault }) } = run;
  // A heartbeat that has nothing to say is not sent, so the notice would be lost.
  const change = isHeartbeat(turn.message) ? undefined : describeModelChange(entry, run);
  await turn.watcher.settle?.();
  const said = addSent(tally, await listSentBefore(turn));
  const built = buildReplies(turn, entry, {
    ...run,
    tally: said,
    thinkingLevel,
    notice: change?.text,
    streamedBlocks: await listStreamed(turn),
  });
  const outcome = outcomeOfRun(tally, {
    model,
    hasChanged: (run.failed ?? []).length > 0,
    thinkingLevel,
    systemPrompt,
    startedAt,
    endedAt: tools.now(),
  });
  const knowsGroup = isGroup && outcome.systemSent === true && entry.groupActivationNeedsSystemIntro === true;
  const [result] = await Promise.all([
    reply(turn, session, model, tally, [...(await answerInside(turn, session)), ...built.payloads]),
    // A person waits for the reply: the work for the entry begins after it was given to the outbox.
    setImmediate().then(() =>
      persistRunOutcome({
        ...outcome,
        lastRunId: nameOfRun(turn),
        ...turn.sessions,
        ...(knowsGroup && { groupIntroSent: true }),
        ...(change !== undefined && built.hasNotice && { fallbackNotice: change.notice }),
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

/** A client names the run of its message; of several that share a turn it is the last one. */
function nameOfRun({ work, message: { identity } }: Turn): string {
  return identity.channel === WEB_CHANNEL ? identity.messageId : work.turnId;
}

/** Nearly all turns stream none, and need not look. */
async function listStreamed({ watcher, work, tools }: Turn): Promise<readonly string[]> {
  return watcher.settle === undefined && !work.recovering ? [] : listBlocks(tools.outbox, work.turnId);
}

/** Undefined where the same model answers as before, and for a run whose end was found after a crash. */
function describeModelChange(entry: SessionEntry, { models, model, failed = [] }: EndedRun) {
  if (models === undefined) return undefined;
  const wanted = nameOfModel(models.wanted);
  const failure =
    failed.find(({ name }) => name === wanted)?.failure ??
    models.resting.find(({ name }) => name === wanted)?.cooldown.failure;
  return noticeOfChange(entry, { wanted, answered: nameOfModel(model), failure });
}

/** What the model said becomes replies in the outbox. A turn that another process will finish sends nothing yet. */
async function reply(
  turn: Turn,
  session: TurnSession,
  model: ModelChoice,
  tally: RunTally,
  payloads: readonly ReplyPayload[],
): Promise<TurnResult> {
  const { end } = tally;
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
  const sent = await deliver(turn, session, payloads);
  if (isHeartbeat(turn.message) && sent.length > 0) await noteAlert(turn, payloads);
  const isFailed = end.reason === 'error' || end.reason === 'overflow';
  const { abortedBy } = report;
  return {
    outcome: isFailed
      ? { end: 'failed', error: end.error }
      : {
          end: 'answered',
          ...(abortedBy !== undefined && { abortedBy }),
          ...(end.reason === 'stop' && { by: nameOfModel(model) }),
        },
    report,
  };
}

async function noteAbort(
  { tools, work, refOf }: Turn,
  { entry }: TurnSession,
  cause = 'person',
): Promise<void> {
  const { turnId } = work;
  const ref = refOf(entry);
  if (cause === 'shutdown') {
    const trace = await tools.transcripts.findTurn(ref, turnId);
    // A turn that waits for a model, which has said nothing in this try either, waits on.
    if (trace?.abortedBy === HELD && trace.messages.at(-1)?.role === 'user') return;
  }
  const data = { turnId, cause };
  await tools.transcripts.append(ref, [{ type: 'custom', customType: END_MARK, data }]);
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

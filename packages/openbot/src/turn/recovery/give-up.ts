import { isDeepStrictEqual } from 'node:util';
import { persistRunOutcome } from '@openbot/sessions';
import type { OutboundMessage } from '../../outbox/contract.ts';
import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import type { TurnWork } from '../../queue/contract.ts';
import { isReply, mirror, putReplies, targetOfReply, WEB_CHANNEL } from '../deliver.ts';
import { isHeartbeat } from '../heartbeat/heartbeat-message.ts';
import { noteAlert } from '../heartbeat/heartbeat-replies.ts';
import type { Turn } from '../open-turn.ts';
import { buildErrorPayload } from '../reply/error-payload.ts';
import type { TurnReport, TurnResult, TurnTools } from '../turn-tools.ts';
import { findWhatWasLeft, type Left, noteCrash } from './find-what-was-left.ts';

/**
 * Tells the person that a turn is not tried again, unless a run of it has answered. Resolves to what they were told,
 * which is nothing where the session must not send.
 */
export async function tellFailure(
  { outbox, config, openStore, now }: Pick<TurnTools, 'outbox' | 'config' | 'openStore' | 'now'>,
  work: Pick<TurnWork, 'agentId' | 'sessionKey' | 'turnId' | 'messages' | 'lock'>,
  payload: ReplyPayload = buildErrorPayload({ kind: 'gave-up' }),
): Promise<readonly OutboundMessage[]> {
  const { agentId, sessionKey, turnId, messages } = work;
  const told = (await outbox.ofTurn(turnId)).filter(isReply);
  if (told.length > 0) return told;
  // An entry that cannot be read may be why the turn failed: the person is told so all the same.
  const entry = await openStore(agentId)
    .store.get(sessionKey)
    .catch(() => undefined);
  const target = targetOfReply(messages.at(-1)!);
  const key = `${turnId}:failed`;
  const isTold = target.channel === WEB_CHANNEL;
  const message = { key, agentId, sessionKey, turnId, target, payload, createdAt: now(), isTold };
  return putReplies({ outbox, config }, work, { entry, sessionKey }, [message]);
}

/** Ends a turn whose runs were all cut off. */
export async function giveUp(turn: Turn, left: Left): Promise<TurnResult> {
  const { tools, work } = turn;
  await work.begun;
  const messages = await tellFailure(tools, work);
  if (left.at === 'cut-off') await closeTranscript(turn, left, messages);
  const payloads = messages.map(({ payload }) => payload);
  return fail(turn, 'The process ended during every run of this message', payloads);
}

/** Ends a turn that its sender may not ask for any more. What it has answered is not sent, unless it is in the outbox. */
export async function dropTurn(turn: Turn, reason: string): Promise<TurnResult> {
  const left = await findWhatWasLeft(turn);
  if (left.at === 'told') return endAsTold(turn, left);
  await turn.work.begun;
  if (left.at === 'cut-off') {
    await noteCrash(turn, left.session);
    await closeTranscript(turn, left, []);
  }
  return { ...fail(turn, `It was dropped: ${reason}`, []), outcome: { end: 'dropped', reason } };
}

/** Ends a turn whose replies are in the outbox already. A second run would have no keys left for its own. */
export async function endAsTold(
  turn: Turn,
  left: Extract<Left, { readonly at: 'told' }>,
): Promise<TurnResult> {
  const { tools, work, sessions } = turn;
  const { session, replies } = left;
  await work.begun;
  // Those to a second place have the same words.
  const own = replies.filter(({ target }) => isDeepStrictEqual(target, replies[0]?.target));
  await closeTranscript(turn, left, own);
  if (isHeartbeat(turn.message))
    await noteAlert(
      turn,
      own.map(({ payload }) => payload),
    );
  const { key: sessionKey, entry } = session;
  const { sessionId } = entry;
  const payloads = own.map(({ payload }) => payload);
  const failure = payloads.find(({ isError }) => isError);
  const status = failure === undefined ? 'done' : 'failed';
  await persistRunOutcome({ ...sessions, sessionKey, sessionId, status, now: tools.now });
  if (failure !== undefined) return fail(turn, failure.text ?? 'The run failed', payloads);
  const { report } = fail(turn, '', payloads);
  return { outcome: { end: 'answered' }, report: { ...report, outcome: 'answered', error: undefined } };
}

/** The next turn must find no call without a result, and what the person was told. */
async function closeTranscript(
  turn: Turn,
  { session: { entry }, lines }: Extract<Left, { readonly at: 'told' | 'cut-off' }>,
  messages: readonly OutboundMessage[],
): Promise<void> {
  if (lines.length > 0) await turn.tools.transcripts.append(turn.refOf(entry), lines);
  await mirror(turn, entry, messages, ({ isError }) => isError === true);
}

function fail({ models }: Turn, error: string, payloads: readonly ReplyPayload[]): TurnResult {
  const report: TurnReport = {
    sessionId: '',
    provider: models.defaultProvider,
    model: models.defaultModel,
    payloads,
    compactions: 0,
    outcome: 'failed',
    error: { message: error },
  };
  return { outcome: { end: 'failed', error }, report };
}

import { OpenBotError, persistRunOutcome, redactSecrets, type StoredSession } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import { answerWords } from '../../chat-commands/answer-words.ts';
import type { CommandScope, CompactionResult } from '../../chat-commands/contract.ts';
import type { CommandWords } from '../../chat-commands/parse-words.ts';
import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import { laneOf } from '../../queue/contract.ts';
import { isStorageTrouble } from '../../queue/storage-trouble.ts';
import type { ModelChoice } from '../../runners/contract.ts';
import { runWithLimits } from '../../runners/run-with-limits.ts';
import { findSession } from '../../session-address.ts';
import { changeSettings } from '../../session-settings/change-settings.ts';
import { chooseRun, openPrefix } from '../choose-run.ts';
import { deliver, isReply } from '../deliver.ts';
import { finalizeInboundContext } from '../inbound/finalize-inbound-context.ts';
import { resumeSession, type TurnSession } from '../init-session.ts';
import type { Turn } from '../open-turn.ts';
import { requestOf, timeoutOf } from '../run-agent.ts';
import { tallyRun } from '../run-tally.ts';
import { chooseModel } from '../session-fields/choose-model.ts';
import { ensureSkills } from '../skills/ensure-skills.ts';
import type { TurnResult } from '../turn-tools.ts';
import { plainWords } from '../words/plain-words.ts';
import { resultWithoutRun } from './short-answers.ts';

/** The turn of a message that asks something of the bot itself. No model is given it, and the transcript has nothing of it. */
export async function answerCommand(turn: Turn): Promise<TurnResult> {
  const { tools, work, sessions, message } = turn;
  await work.begun;
  const told = work.recovering ? (await tools.outbox.ofTurn(work.turnId)).filter(isReply) : [];
  const session = await findSession(sessions, work.sessionKey);
  if (told.length > 0)
    return resultOf(
      turn,
      session,
      told.map(({ payload }) => payload),
    );
  const text = work.mayRun
    ? await answer(turn, session, tools.wordsOf(message))
    : 'The command was given up: the process ended each time.';
  // The process ends: the next one carries the command out.
  if (text === undefined) return { ...resultOf(turn, session, []), outcome: { end: 'later' } };
  const payloads = text === '' ? [] : [{ text }];
  // A person who asks is answered, also where the agent must be silent.
  const entry = session && { ...session.entry, sendPolicy: undefined };
  await deliver(turn, { entry, sessionKey: message.sessionKey }, payloads, () => false);
  return resultOf(turn, session, payloads);
}

/**
 * The answer to `/new` without a text for the agent: providers refuse an empty message. The session has begun anew already.
 * What was asked of the bot behind it is answered with it.
 */
export async function answerReset(
  turn: Turn,
  { entry, sessionKey, sessionId, written }: TurnSession,
  { provider, model }: ModelChoice,
  words: CommandWords | undefined,
): Promise<TurnResult> {
  await written;
  const more = words && (await answer(turn, { key: sessionKey, entry }, words));
  const result = { sessionId, provider, model };
  if (words !== undefined && more === undefined)
    return { ...resultWithoutRun(result, []), outcome: { end: 'later' } };
  const text = `A new session has begun, with ${provider}/${model}.`;
  const payloads = [{ text: more ? `${text}\n\n${more}` : text }];
  await deliver(turn, { entry, sessionKey }, payloads, () => false);
  return resultWithoutRun(result, payloads);
}

async function answer(
  turn: Turn,
  session: StoredSession | undefined,
  words: CommandWords,
): Promise<string | undefined> {
  const { work } = turn;
  try {
    const scope = await openCommandScope(turn, session);
    return await answerWords(scope, words);
  } catch (error) {
    if (isStorageTrouble(error) || !(error instanceof Error)) throw error;
    if (work.signal.aborted && error === work.signal.reason) return undefined;
    const hint = error instanceof OpenBotError && error.hint !== undefined ? ` ${error.hint}` : '';
    return redactSecrets(`The command failed: ${error.message}.${hint}`);
  }
}

/** What commands see of the session that they are given in. */
export async function openCommandScope(
  turn: Turn,
  session: StoredSession | undefined,
): Promise<CommandScope> {
  const { tools, work, message, agent, models, sessions } = turn;
  const { agentId, sessionKey, turnId, recovering } = work;
  const entry = session?.entry;
  const standard = { provider: models.defaultProvider, model: models.defaultModel };
  const wanted = entry?.providerOverride ?? entry?.modelOverride?.split('/')[0] ?? standard.provider;
  const runners = new Map(
    await Promise.all(
      [...new Set([wanted, standard.provider])].map(
        async (name) => [name, await tools.findRunner(name)] as const,
      ),
    ),
  );
  return {
    session: { agentId, sessionKey },
    sessionKey,
    message,
    turnId,
    recovering,
    entry,
    channel: message.identity.channel,
    isGroup: isGroupMessage(finalizeInboundContext(message.ctx, tools.mentions)),
    agent,
    models,
    config: tools.config,
    transcript: entry && turn.refOf(entry),
    transcripts: tools.transcripts,
    inbox: tools.inbox,
    runLock: tools.runLock,
    model: chooseModel({
      entry: entry ?? {},
      standard,
      describe: (provider, name) => runners.get(provider)?.describeModel(provider, name),
      contextWindowOf: models.contextWindowOf,
    }).model,
    isWaiting: (other) => laneOf(tools.kindOf(other)) === 'turns',
    now: tools.now,
    hasModel: async ({ provider, model }) =>
      (await tools.findRunner(provider))?.describeModel(provider, model) !== undefined,
    isLabelUsed: async (label) =>
      (await sessions.store.list()).some(
        (other) => other.entry.label === label && other.key !== session?.key,
      ),
    change: (patch) =>
      changeSettings(sessions, session?.key ?? sessionKey, patch, { message: message.ctx, now: tools.now }),
    compact: (instructions) => compact(turn, session, instructions),
    plainWords,
  };
}

/** By the model that would answer. */
async function compact(
  turn: Turn,
  stored: StoredSession | undefined,
  instructions: string | undefined,
): Promise<CompactionResult> {
  const { tools, work, message, sessions } = turn;
  if (stored === undefined) return { isDone: false, reason: 'nothing was said yet.' };
  const session = await resumeSession(turn, stored);
  const chosen = await chooseRun(turn, session);
  const { provider, model } = chosen.model;
  if (chosen.runner === undefined)
    return { isDone: false, reason: `the model ${provider}/${model} is not available.` };
  const skills = await ensureSkills(turn, session);
  const ctx = finalizeInboundContext(message.ctx, tools.mentions);
  const prefix = await openPrefix(turn, ctx, session, { ...chosen, skills });
  const request = { ...requestOf(turn, session, { ...chosen, prefix, prompt: '' }), instructions };
  const run = runWithLimits(chosen.runner, request, { timeoutMs: timeoutOf(turn), compacts: true });
  const { end, compactions, droppedThinking } = await tallyRun(run.events, (event) =>
    turn.watcher.onEvent(event),
  );
  const { sessionKey, sessionId } = session;
  if (compactions.count > 0 || droppedThinking !== undefined)
    await persistRunOutcome({
      ...sessions,
      sessionKey,
      sessionId,
      compactions,
      droppedThinking,
      now: tools.now,
    });
  if (end.reason === 'stop' && compactions.count > 0)
    return { isDone: true, tokensAfter: compactions.tokensAfter };
  if (end.reason === 'aborted') {
    if (end.cause === 'shutdown') throw work.signal.reason;
    return { isDone: false, reason: end.cause === 'timeout' ? 'it took too long.' : 'it was stopped.' };
  }
  return {
    isDone: false,
    reason: end.reason === 'stop' ? 'there was nothing to summarise.' : `${end.error}.`,
  };
}

function resultOf(
  { models: { defaultProvider, defaultModel } }: Turn,
  session: StoredSession | undefined,
  payloads: readonly ReplyPayload[],
): TurnResult {
  const sessionId = session?.entry.sessionId ?? '';
  const provider = session?.entry.providerOverride ?? defaultProvider;
  const model = session?.entry.modelOverride ?? defaultModel;
  return resultWithoutRun({ sessionId, provider, model }, payloads);
}

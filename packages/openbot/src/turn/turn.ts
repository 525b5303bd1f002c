import { mediaOf } from '../media/media-fields.ts';
import type { TurnWork } from '../queue/contract.ts';
import { chooseRun, openPrefix, withModels } from './choose-run.ts';
import { answerCommand, answerReset } from './commands/answer-command.ts';
import { withHints } from './commands/hints.ts';
import { answerStop } from './commands/short-answers.ts';
import { finishTurn } from './finish-turn.ts';
import { finalizeInboundContext } from './inbound/finalize-inbound-context.ts';
import { showMedia } from './inbound/show-media.ts';
import { initSession, resumeSession } from './init-session.ts';
import { flushMemory } from './memory/flush-memory.ts';
import { mergeMessages } from './merge-messages.ts';
import { openTurn } from './open-turn.ts';
import { findWhatWasLeft, noteCrash } from './recovery/find-what-was-left.ts';
import { dropTurn, endAsTold, giveUp } from './recovery/give-up.ts';
import { setAsideUnreadable } from './recovery/set-aside-unreadable.ts';
import { runAgent, timeoutOf } from './run-agent.ts';
import { ensureSkills } from './skills/ensure-skills.ts';
import type { TurnResult, TurnTools, TurnWatcher } from './turn-tools.ts';
import { writePrompt } from './write-prompt.ts';

/** A message whose run ends the process each time must not do so for ever. */
const MAX_RUNS = 8;

/**
 * One turn: from the message of a person, which is routed already, to the replies in the outbox. Continues what an
 * earlier run of it left. The numbers are the steps of OpenClaw's data flow.
 */
export async function runTurn(tools: TurnTools, work: TurnWork, watcher: TurnWatcher): Promise<TurnResult> {
  const turn = await openTurn(tools, work, watcher);
  if (work.refusal !== undefined) return dropTurn(turn, work.refusal);
  const kind = tools.kindOf(turn.message);
  if (kind === 'stop') return answerStop(turn);
  if (kind === 'aside') return answerCommand(turn);
  await setAsideUnreadable(turn);
  if (kind === 'upkeep') return answerCommand(turn);
  const left = await findWhatWasLeft(turn);
  if (left.at === 'end')
    return finishTurn(turn, await withHints(turn, await resumeSession(turn, left.session)), left);
  if (left.at === 'told') return endAsTold(turn, left);
  if (left.at === 'cut-off' && !left.isHeld) await noteCrash(turn, left.session);
  if (!work.mayRun || (left.at === 'cut-off' && left.attempt >= MAX_RUNS)) return giveUp(turn, left);

  // 1
  const ctx = finalizeInboundContext(mergeMessages(work.messages, tools.config), tools.mentions);
  // 2 initSessionState, 3 applyResetModelOverride
  const found = left.at === 'start' ? await initSession(turn, ctx) : await resumeSession(turn, left.session);
  const asked = found.isReset ? tools.readAfterReset(turn.message, found.body) : undefined;
  const begun = asked === undefined ? await withHints(turn, found) : found;
  const chosen = await chooseRun(turn, begun);
  if (asked !== undefined || (begun.isReset && begun.body.trim() === ''))
    return answerReset(turn, begun, chosen.model, asked);
  // 4 ensureSkillSnapshot
  const skills = await ensureSkills(turn, begun);
  // 5 buildInboundBody
  const prefix = await openPrefix(turn, ctx, begun, { ...chosen, skills });
  const { images, note: media } = await showMedia(tools.stateDir, ctx, chosen.model);
  // One limit of time for both runs.
  const endsAt = performance.now() + timeoutOf(turn);
  // 6 runMemoryFlushIfNeeded
  const { session, models, memory } = await flushMemory(turn, begun, { ...chosen, prefix, left, endsAt });
  prefix.renew();
  // After the flush, which may write memories and compact. A continued run has its news in its message already.
  const news = left.at === 'start' ? prefix.tellNews() : { lines: [], told: [] };
  const prompt =
    left.at === 'start'
      ? await writePrompt(turn, ctx, begun, { notices: chosen.notices, media, news: news.lines })
      : left.prompt;
  // 7
  const last = withModels(chosen, models);
  const message = { prompt, images, media: mediaOf(ctx), told: news.told };
  const given = { ...last, ...message, prefix, memory, left, endsAt };
  const answered = await runAgent(turn, session, given);
  // 8 persistRunOutcome, 9 buildReplyPayloads, 10 deliver
  return finishTurn(turn, session, { ...last, ...answered, skills });
}

import { join } from 'node:path';
import { OpenBotError, readSdkSessionId, setSdkSessionId } from '@openbot/sessions';
import { composeUserMessage, type EntryDraft } from '@openbot/sessions/transcript';
import { CONFIG_FILE_NAME } from '../config/load-config.ts';
import { modelNotFound } from '../config/models.ts';
import type { ModelChoice, Run, RunEvent, RunRequest, SystemPrompt } from '../runners/contract.ts';
import { recoverFromOverflow } from '../runners/recover-from-overflow.ts';
import { runWithLimits } from '../runners/run-with-limits.ts';
import { JOINED_MARK, TURN_MARK, type TurnMark } from '../transcripts/contract.ts';
import type { ChosenRun } from './choose-run.ts';
import type { TurnSession } from './init-session.ts';
import { readableDirsOf } from './offer-tools.ts';
import type { Turn } from './open-turn.ts';
import type { Left } from './recovery/find-what-was-left.ts';
import { type RunTally, tallyOf, tallyRun } from './run-tally.ts';
import { writeSteered } from './write-prompt.ts';

export interface AgentRun extends ChosenRun {
  readonly systemPrompt: SystemPrompt;
  readonly prompt: string;
}

/** Gives the message to the model and passes on what happens. Does not fail because of the model. */
export async function runAgent(
  turn: Turn,
  session: TurnSession,
  what: AgentRun & { readonly left: Left },
): Promise<RunTally> {
  const { tools, work, watcher } = turn;
  const { sessionKey, sessionId, isNewSession } = session;
  const { model, runner, prompt, left } = what;
  const attempt = left.at === 'cut-off' ? left.attempt + 1 : 1;
  const answered = left.at === 'cut-off' ? left.lines : [];
  const lines = [...answered, ...what.lines, markOf(turn, attempt), userLine(turn, prompt)];
  await tools.transcripts.append(turn.refOf(session.entry), lines);
  watcher.onEvent({
    type: 'started',
    turnId: work.turnId,
    sessionKey,
    sessionId,
    isNewSession,
    ...nameOf(model),
  });
  if (runner === undefined) {
    const path = join(tools.stateDir, CONFIG_FILE_NAME);
    const { message, hint } = modelNotFound(`${model.provider}/${model.model}`, turn.models, path);
    const end = { type: 'end', reason: 'error', error: message, hint, isTransient: false } as const;
    watcher.onEvent(end);
    return tallyOf([], end);
  }
  const timeoutMs = timeoutOf(turn);
  const run = runWithLimits(recoverFromOverflow(runner, tools.transcripts), requestOf(turn, session, what), {
    timeoutMs,
  });
  const offered = openSteering(turn, run, attempt);
  return tallyRun(joinSteered(turn, run.events, offered), (event) => watcher.onEvent(event));
}

/** ms; 600 s unless the message or the agent's settings say otherwise. */
export function timeoutOf({ message, agent }: Turn): number {
  return message.wish?.timeoutMs ?? (agent.timeoutSeconds ?? 600) * 1000;
}

/** A message that the model has read belongs to this turn before anything else happens in it. */
async function* joinSteered(
  { work }: Turn,
  events: AsyncIterable<RunEvent>,
  offered: ReadonlyMap<string, number>,
): AsyncGenerator<RunEvent> {
  for await (const event of events) {
    const seq = event.type === 'steered' ? offered.get(event.messageId) : undefined;
    if (seq !== undefined) await work.joined(seq);
    yield event;
  }
}

export function requestOf(
  turn: Turn,
  { entry, sessionKey, sessionId }: TurnSession,
  what: AgentRun,
): RunRequest {
  const { tools, work, agent } = turn;
  const transcript = turn.refOf(entry);
  return {
    transcript,
    append: async (drafts) => {
      if (!work.lock.isHeld()) {
        throw new OpenBotError('RUN_LOCK_LOST', `Another process has taken over ${work.sessionKey}`);
      }
      return tools.transcripts.append(transcript, drafts);
    },
    readContext: () => tools.transcripts.readContext(transcript),
    measureContext: () => tools.transcripts.measureContext(transcript),
    model: what.model,
    thinkingLevel: what.thinkingLevel,
    systemPrompt: what.systemPrompt,
    prompt: what.prompt,
    workspaceDir: agent.workspaceDir,
    readableDirs: readableDirsOf(turn),
    tools: what.tools,
    ownSession: {
      id: readSdkSessionId(entry),
      save: async (sdkSessionId) => {
        await setSdkSessionId({ ...turn.sessions, sessionKey, sessionId, sdkSessionId, now: tools.now });
      },
    },
    permit: what.permit,
    signal: work.signal,
  };
}

function nameOf({ provider, model }: ModelChoice): { provider: string; model: string } {
  return { provider, model };
}

function markOf({ work }: Turn, attempt: number): EntryDraft {
  const messages = work.messages.map(({ identity }) => identity.messageId);
  const seqs = work.messages.map(({ seq }) => seq);
  const data: TurnMark = { turnId: work.turnId, attempt, messages, seqs };
  return { type: 'custom', customType: TURN_MARK, data };
}

function userLine({ startedAt }: Turn, text: string): EntryDraft {
  return { type: 'message', message: composeUserMessage([{ type: 'text', text }], startedAt) };
}

/** From here on messages that arrive can join the run. The result maps the ids of those that were offered. */
function openSteering(turn: Turn, run: Run, attempt: number): ReadonlyMap<string, number> {
  const { work } = turn;
  const offered = new Map<string, number>();
  let lastSeq = turn.message.seq;
  work.openSteering(async (message, { joins }) => {
    const text = await writeSteered(turn, message, lastSeq);
    const id = JSON.stringify(message.identity);
    offered.set(id, message.seq);
    const data: TurnMark = {
      turnId: work.turnId,
      attempt,
      messages: [message.identity.messageId],
      seqs: [message.seq],
    };
    // A hint gets a turn of its own later, so it must not look like a part of this one.
    const mark: EntryDraft = joins
      ? { type: 'custom', customType: JOINED_MARK, data }
      : { type: 'custom', customType: 'openbot.hint', data: { messages: data.messages } };
    const isTaken = run.steer({ messageId: id, text, mark });
    if (isTaken) lastSeq = message.seq;
    return isTaken;
  });
  return offered;
}

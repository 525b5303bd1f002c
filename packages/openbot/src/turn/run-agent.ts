import { join } from 'node:path';
import { type MsgContext, OpenBotError, readSdkSessionId, setSdkSessionId } from '@openbot/sessions';
import { composeUserMessage, type EntryDraft } from '@openbot/sessions/transcript';
import { CONFIG_FILE_NAME } from '../config/load-config.ts';
import { modelNotFound } from '../config/models.ts';
import type { PromptImage } from '../media/read-image.ts';
import type { ModelChoice, Run, RunEvent, Runner, RunRequest, SystemPrompt } from '../runners/contract.ts';
import { type BeforeCompaction, recoverFromOverflow } from '../runners/recover-from-overflow.ts';
import { runWithLimits } from '../runners/run-with-limits.ts';
import { userContent } from '../runners/user-content.ts';
import { JOINED_MARK, TURN_MARK, type TurnMark } from '../transcripts/contract.ts';
import { type ChosenRun, describeCooldownTrouble } from './choose-run.ts';
import { describeFailure, type FailedModel } from './failover/describe-failover.ts';
import type { ModelCandidate, ModelsOfRun } from './failover/list-candidates.ts';
import { type RelayedRun, runModels } from './failover/run-models.ts';
import { formatEventTime } from './inbound/prepend-system-events.ts';
import type { TurnSession } from './init-session.ts';
import { readableDirsOf } from './offer-tools.ts';
import type { Turn } from './open-turn.ts';
import type { SessionPrefix } from './prompt/session-prefix.ts';
import type { Left } from './recovery/find-what-was-left.ts';
import { type RunTally, tallyOf, tallyRun } from './run-tally.ts';
import { StorageFault } from './storage-fault.ts';
import { writeSteered } from './write-prompt.ts';

export interface AgentRun extends ChosenRun {
  readonly prefix: SessionPrefix;
  readonly prompt: string;
  readonly images?: readonly PromptImage[];
}

/** The memory flush of the turn, where its run comes to a compaction. */
export interface MemoryOfRun extends Pick<BeforeCompaction, 'isDue' | 'note'> {
  /** Never rejects, and is not due afterwards. */
  flushInRun(runner: Runner, request: RunRequest): Promise<void>;
}

/** How a run ended, and with which model. */
export interface AnsweredRun {
  readonly tally: RunTally;
  readonly model: ModelChoice;
  readonly systemPrompt: SystemPrompt;
  /** Models that were tried before. */
  readonly failed: readonly FailedModel[];
}

/** Gives the message to the model and passes on what happens. Fails because of storage, and not because of the model. */
export async function runAgent(
  turn: Turn,
  session: TurnSession,
  what: AgentRun & {
    readonly left: Left;
    /** Fields of the message that name its files, for the transcript. */
    readonly media: MsgContext;
    /** Of the turn's time; ms, of `performance.now`. */
    readonly endsAt: number;
    /** That the message tells news. */
    readonly told: readonly EntryDraft[];
    readonly memory: MemoryOfRun;
  },
): Promise<AnsweredRun> {
  const { tools, work, watcher } = turn;
  const { sessionKey, sessionId, isNewSession } = session;
  const { model, runner, prompt, left, prefix } = what;
  const attempt = left.at === 'cut-off' ? left.attempt + 1 : 1;
  const answered = left.at === 'cut-off' ? left.lines : [];
  const isAsked = left.at === 'cut-off' && left.isAsked;
  // A run that goes on has the message and its images in the transcript.
  const message = left.at === 'cut-off' ? userLine(turn, prompt) : userLine(turn, prompt, what);
  const asked = isAsked ? [] : [...what.told, markOf(turn, attempt), message];
  // The lines before it were written with it.
  const changes = isAsked && isModelOf(session, model) ? [] : what.lines;
  const lines = [...answered, ...changes, ...asked];
  const fault = new StorageFault();
  const request = requestOf(turn, session, what, fault);
  if (lines.length > 0) await request.append(lines);
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
    return { tally: tallyOf([], end), model, systemPrompt: prefix.systemPrompt(model), failed: [] };
  }
  const beforeCompaction: BeforeCompaction = {
    get isDue() {
      return what.memory.isDue;
    },
    note: (event) => what.memory.note(event),
    prepare: async (runner, given) => {
      await what.memory.flushInRun(runner, given);
      return goOn(turn, attempt, given);
    },
  };
  const run = startModels(turn, what.models, {
    request,
    fault,
    prefix,
    start: (candidate, given) =>
      runWithLimits(recoverFromOverflow(candidate.runner!, tools.transcripts, beforeCompaction), given, {
        timeoutMs: Math.max(1, what.endsAt - performance.now()),
      }),
    handOver: (failed) => handOver(turn, attempt, failed),
  });
  const offered = openSteering(turn, run, attempt);
  const tally = await tallyRun(joinSteered(turn, run.events, offered), (event) => {
    prefix.note(event);
    watcher.onEvent(event);
  });
  // Without it the agent would be told what it did itself.
  await prefix.settle(request.append).catch(() => {});
  const last = run.current.model;
  return { tally, model: last, systemPrompt: prefix.systemPrompt(last), failed: run.failed };
}

function isModelOf({ entry }: TurnSession, { provider, model }: ModelChoice): boolean {
  return entry.modelProvider === provider && entry.model === model;
}

/** Runs a request with the first model that answers it. */
export function startModels(
  { tools, work, watcher }: Turn,
  models: ModelsOfRun,
  how: {
    readonly request: RunRequest;
    readonly fault: StorageFault;
    readonly prefix: SessionPrefix;
    start(candidate: ModelCandidate, request: RunRequest): Run;
    /** What the next model is asked where the failed one has left messages behind. */
    handOver(failed: FailedModel): { lines: readonly EntryDraft[]; prompt: string };
  },
): RelayedRun {
  const { request, fault, prefix } = how;
  return runModels(models, {
    start: (candidate, given) => {
      const { model } = candidate;
      prefix.use(candidate);
      return how.start(candidate, { ...request, ...given, model, ...prefix.told() });
    },
    append: request.append,
    assertWritten: () => fault.throwIfAny(),
    prompt: request.prompt,
    handOver: (failed, next, hasSpoken) => {
      const { provider, model } = next.model;
      const change: EntryDraft = { type: 'model_change', provider, modelId: model };
      if (!hasSpoken) return { lines: [change] };
      const { lines, prompt } = how.handOver(failed);
      return { lines: [change, ...lines], prompt };
    },
    cooldowns: tools.cooldowns,
    signal: work.signal,
    now: tools.now,
    onTrouble: (error) => watcher.onEvent({ type: 'warning', message: describeCooldownTrouble(error) }),
  });
}

/**
 * What lies between two models. Where the first one left something behind, a new mark separates it: a process that dies
 * now leaves a turn that goes on, not one that ended with an error.
 */
function handOver(
  turn: Turn,
  attempt: number,
  failed: FailedModel,
): { readonly lines: readonly EntryDraft[]; readonly prompt: string } {
  const time = formatEventTime(turn.startedAt, turn.agent.userTimezone);
  const prompt = `System: [${time}] ${failed.name} ${describeFailure(failed.failure)} and could not finish. Go on in its place and answer the last message; what is done already is above.`;
  return { lines: [markOf(turn, attempt), userLine(turn, prompt)], prompt };
}

/** Behind a memory flush the message of the person is not the last one any more. */
async function goOn(turn: Turn, attempt: number, { append, signal }: RunRequest): Promise<string> {
  const time = formatEventTime(turn.startedAt, turn.agent.userTimezone);
  const prompt = `System: [${time}] Go on with what you were asked before the memory flush, and answer it; what is done already is above.`;
  // What cannot be written fails the run that goes on, which says why.
  if (!signal.aborted) await append([markOf(turn, attempt), userLine(turn, prompt)]).catch(() => {});
  return prompt;
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
  fault = new StorageFault(),
): RunRequest {
  const { tools, work, agent } = turn;
  const transcript = turn.refOf(entry);
  const { prefix } = what;
  let ownId = readSdkSessionId(entry);
  const write: RunRequest['append'] = (drafts) =>
    fault.guard(async () => {
      if (!work.lock.isHeld()) {
        throw new OpenBotError('RUN_LOCK_LOST', `Another process has taken over ${work.sessionKey}`);
      }
      return tools.transcripts.append(transcript, drafts);
    });
  return {
    transcript,
    append: (drafts) => prefix.append(drafts, write),
    readContext: async () => prefix.behind(await tools.transcripts.readContext(transcript)),
    lookBack: () => tools.transcripts.lookBack(transcript),
    measureContext: () => tools.transcripts.measureContext(transcript),
    model: what.model,
    thinkingLevel: what.thinkingLevel,
    reserveTokens: agent.compaction?.reserveTokensFloor,
    ...prefix.told(),
    renewPrefix: () => {
      prefix.renew();
      return prefix.told();
    },
    prompt: what.prompt,
    ...(what.images?.length && { images: what.images }),
    workspaceDir: agent.workspaceDir,
    readableDirs: readableDirsOf(turn),
    ownSession: {
      get id() {
        return ownId;
      },
      save: async (sdkSessionId) => {
        const change = { sessionKey, sessionId, sdkSessionId, now: tools.now };
        await fault.guard(() => setSdkSessionId({ ...turn.sessions, ...change }));
        // The same request may be started again.
        ownId = sdkSessionId;
      },
    },
    permit: what.permit,
    findDenial: what.findDenial,
    unreadable: what.unreadable,
    signal: work.signal,
  };
}

function nameOf({ provider, model }: ModelChoice): { provider: string; model: string } {
  return { provider, model };
}

function markOf({ work }: Turn, attempt: number): EntryDraft {
  const messages = work.messages.map(({ identity }) => identity.messageId);
  const seqs = work.messages.map(({ seq }) => seq);
  const { turnId, sessionKey } = work;
  const data: TurnMark = { turnId, attempt, messages, seqs, sessionKey };
  return { type: 'custom', customType: TURN_MARK, data };
}

function userLine(
  { startedAt }: Turn,
  text: string,
  { images, media }: { readonly images?: readonly PromptImage[]; readonly media?: MsgContext } = {},
): EntryDraft {
  return {
    type: 'message',
    message: { ...composeUserMessage(userContent(text, images), startedAt), ...media },
  };
}

/** From here on messages that arrive can join the run. The result maps the ids of those that were offered. */
function openSteering(turn: Turn, run: RelayedRun, attempt: number): ReadonlyMap<string, number> {
  const { work } = turn;
  const offered = new Map<string, number>();
  let lastSeq = turn.message.seq;
  work.openSteering(async (message, { joins }) => {
    const said = await writeSteered(turn, message, { afterSeq: lastSeq, model: run.current.model });
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
    const isTaken = run.steer({ messageId: id, ...said, mark });
    if (isTaken) lastSeq = message.seq;
    return isTaken;
  });
  return offered;
}

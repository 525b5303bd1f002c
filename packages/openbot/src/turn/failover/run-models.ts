import type { EntryDraft } from '@openbot/sessions/transcript';
import type { Cooldowns } from '../../cooldowns/contract.ts';
import type { ModelFailure, Run, RunEnd, RunEvent, RunRequest } from '../../runners/contract.ts';
import { describeAllFailed, type FailedModel, findOutage } from './describe-failover.ts';
import { type ModelCandidate, type ModelsOfRun, nameOfModel } from './list-candidates.ts';
import { nextCooldown } from './next-cooldown.ts';

export interface ModelRelay {
  /** Starts a run with a model. What is given is for its request. */
  start(
    candidate: ModelCandidate,
    given: Required<Pick<RunRequest, 'prompt' | 'append' | 'hasSuccessor'>>,
  ): Run;
  readonly append: RunRequest['append'];
  /** Throws what kept the run from being written: no model is to blame, and none could go on. */
  assertWritten(): void;
  readonly prompt: string;
  /**
   * The lines after which the next model can go on, and the prompt that they end with. `hasSpoken`: the failed model left
   * messages in the transcript, so that the person's message is not the last one any more.
   */
  handOver(
    failed: FailedModel,
    next: ModelCandidate,
    hasSpoken: boolean,
  ): { readonly lines: readonly EntryDraft[]; readonly prompt?: string };
  readonly cooldowns: Cooldowns;
  readonly signal: AbortSignal;
  now(): number;
  /** A cooldown could not be kept. */
  onTrouble(error: unknown): void;
}

/** A run by several models, and what became of them. */
export interface RelayedRun extends Run {
  /** The last one that was started. */
  readonly current: ModelCandidate;
  readonly failed: readonly FailedModel[];
}

/**
 * One run that goes on with the next model where one fails in a way that another may not. Nothing is asked twice: the next
 * model finds in the transcript what the failed one has said and done.
 */
export function runModels(models: ModelsOfRun, relay: ModelRelay): RelayedRun {
  const failed: FailedModel[] = [];
  let current = models.candidates[0]!;
  let run: Run | undefined;
  const start = (prompt: string, append: RunRequest['append']) => {
    const hasSuccessor = current !== models.candidates.at(-1);
    run = relay.start(current, { prompt, append, hasSuccessor });
    return run.events;
  };
  const next = (candidate: ModelCandidate) => {
    current = candidate;
  };
  return {
    events: relayEvents(models, relay, { start, next, failed }),
    steer: (message) => run?.steer(message) ?? false,
    failed,
    get current() {
      return current;
    },
  };
}

interface Progress {
  readonly start: (prompt: string, append: RunRequest['append']) => AsyncIterable<RunEvent>;
  readonly next: (candidate: ModelCandidate) => void;
  readonly failed: FailedModel[];
}

async function* relayEvents(
  models: ModelsOfRun,
  relay: ModelRelay,
  { start, next, failed }: Progress,
): AsyncGenerator<RunEvent, void, undefined> {
  let { prompt } = relay;
  for (const [at, { model }] of models.candidates.entries()) {
    const name = nameOfModel(model);
    let hasSpoken = false;
    const append: RunRequest['append'] = (drafts) => {
      hasSpoken ||= drafts.some(({ type }) => type === 'message');
      return relay.append(drafts);
    };
    const end = yield* passOn(start(prompt, append));
    if (end.reason === 'stop') await forgive(models, relay, name);
    if (end.reason === 'error' || end.reason === 'overflow') relay.assertWritten();
    if (end.reason !== 'error') return yield end;
    const cooldown = await noteFailure(models, relay, name, end);
    failed.push({ name, failure: end.failure, error: end.error, until: cooldown });
    const follower = models.candidates[at + 1];
    if (end.failure === undefined || follower === undefined || relay.signal.aborted) {
      return yield sumUp(end, failed, models, relay.now());
    }
    yield { type: 'gave-way', from: name, to: nameOfModel(follower.model), failure: end.failure };
    const handed = relay.handOver(failed.at(-1)!, follower, hasSpoken);
    await relay.append(handed.lines);
    prompt = handed.prompt ?? prompt;
    next(follower);
  }
}

const NOTHING: RunEnd = {
  type: 'end',
  reason: 'error',
  error: 'The run ended without a result',
  isTransient: false,
};

async function* passOn(events: AsyncIterable<RunEvent>): AsyncGenerator<RunEvent, RunEnd, undefined> {
  for await (const event of events) {
    if (event.type === 'end') return event;
    yield event;
  }
  return NOTHING;
}

type ErrorEnd = Extract<RunEnd, { readonly reason: 'error' }>;

/** Resolves to when the model is tried again. Without other models there is nothing to pass over, and nothing is kept. */
async function noteFailure(
  models: ModelsOfRun,
  relay: ModelRelay,
  name: string,
  { failure, retryAfterMs }: ErrorEnd,
): Promise<number | undefined> {
  if (failure === undefined || countOf(models) === 1) return undefined;
  return keepCooldown(relay, name, { failure, retryAfterMs });
}

async function keepCooldown(
  { cooldowns, now, onTrouble }: ModelRelay,
  name: string,
  failed: { readonly failure: ModelFailure; readonly retryAfterMs?: number },
): Promise<number> {
  const at = now();
  let { until } = nextCooldown(undefined, failed, at);
  await cooldowns
    .change(name, (before) => {
      const after = nextCooldown(before, failed, at);
      until = after.until;
      return after;
    })
    .catch(onTrouble);
  return until;
}

async function forgive(
  models: ModelsOfRun,
  { cooldowns, onTrouble }: ModelRelay,
  name: string,
): Promise<void> {
  if (models.failedBefore.has(name)) await cooldowns.change(name, () => undefined).catch(onTrouble);
}

/** One end for all that were tried, and those that were passed over. */
function sumUp(end: ErrorEnd, failed: readonly FailedModel[], models: ModelsOfRun, now: number): RunEnd {
  const resting = models.resting.map(({ name, cooldown: { failure, until } }) => ({ name, failure, until }));
  const all = [...resting, ...failed];
  const outage = end.failure === undefined ? undefined : findOutage(all);
  const known = { ...end, ...(outage !== undefined && { outage }) };
  return all.length === 1 ? known : { ...known, ...describeAllFailed(all, now), hasSummary: true };
}

function countOf({ candidates, resting }: ModelsOfRun): number {
  return candidates.length + resting.length;
}

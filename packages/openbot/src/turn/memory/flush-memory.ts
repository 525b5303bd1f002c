import type { StoredEntry } from '@openbot/sessions';
import { isSharedSession } from '../../access/shared-session.ts';
import { compactionPointOf, estimateTokens } from '../../runners/compaction-point.ts';
import type { Run, RunEvent, Runner, RunRequest } from '../../runners/contract.ts';
import { cleanOnOverflow } from '../../runners/recover-from-overflow.ts';
import { runWithLimits } from '../../runners/run-with-limits.ts';
import type { ChosenRun } from '../choose-run.ts';
import type { FailedModel } from '../failover/describe-failover.ts';
import { type ModelsOfRun, passOver } from '../failover/list-candidates.ts';
import type { TurnSession } from '../init-session.ts';
import type { Turn } from '../open-turn.ts';
import type { SessionPrefix } from '../prompt/session-prefix.ts';
import { type MemoryOfRun, requestOf, startModels } from '../run-agent.ts';
import { tallyRun } from '../run-tally.ts';
import { StorageFault } from '../storage-fault.ts';
import {
  type FlushRun,
  type MemoryFlushRequest,
  runMemoryFlushIfNeeded,
  settingsOfFlush,
} from './run-memory-flush.ts';

/** The rest is for the message: a flush that hangs must not be why a person gets no answer. */
const MOST_OF_TIME = 0.5;

interface FlushedRun extends ChosenRun {
  readonly prefix: SessionPrefix;
  readonly left: { readonly at: string };
  /** Of the turn's time; ms, of `performance.now`. */
  readonly endsAt: number;
}

/**
 * Has the agent save its memories where a compaction is near. The session as it is afterwards, and the models that are left
 * for the run: one that failed here is not asked again at once.
 */
export async function flushMemory(
  turn: Turn,
  session: TurnSession,
  chosen: FlushedRun,
): Promise<{ readonly session: TurnSession; readonly models: ModelsOfRun; readonly memory: MemoryFlush }> {
  const memory = new MemoryFlush(turn, session, chosen);
  const { runner, left, models } = chosen;
  // A turn that was cut off has its message, and perhaps calls without results, in the transcript: it goes on first.
  if (runner === undefined || left.at !== 'start' || !memory.isDue) return { session, models, memory };
  const { entry, failed } = await memory.flushIfNear(runner);
  return {
    session: { ...session, entry: { ...entry, ...session.hinted } },
    models: passOver(models, failed, turn.tools.now()),
    memory,
  };
}

/** The flush of a turn: before its run, and in the run where that comes to a compaction all the same. */
export class MemoryFlush implements MemoryOfRun {
  readonly #turn: Turn;
  readonly #session: TurnSession;
  readonly #chosen: FlushedRun;
  readonly #place: Pick<MemoryFlushRequest, 'config' | 'isGroup' | 'isReadOnly'>;
  readonly #isWanted: boolean;
  #entry: StoredEntry;
  /** Of the run, which the entry does not count yet. */
  #compactions = 0;
  /** One that failed does not keep the conversation from being compacted. */
  #triedAt: number | undefined;

  constructor(turn: Turn, session: TurnSession, chosen: FlushedRun) {
    this.#turn = turn;
    this.#session = session;
    this.#chosen = chosen;
    this.#entry = session.entry;
    this.#place = {
      config: { agents: { defaults: turn.agent } },
      isGroup: isSharedSession(session),
      // A person who is asked about memories while their message waits would not know why.
      isReadOnly: chosen.isReadOnly || chosen.isAsking,
    };
    this.#isWanted = settingsOfFlush(this.#place) !== null;
  }

  get #compactionCount(): number {
    return (this.#entry.compactionCount ?? 0) + this.#compactions;
  }

  get isDue(): boolean {
    const count = this.#compactionCount;
    return this.#isWanted && this.#triedAt !== count && this.#entry.memoryFlushCompactionCount !== count;
  }

  note(event: RunEvent): void {
    if (event.type === 'compaction' && event.phase === 'end' && !event.willRetry) this.#compactions++;
  }

  async flushIfNear(runner: Runner): Promise<{ entry: StoredEntry; failed: readonly FailedModel[] }> {
    const { model, models, prefix } = this.#chosen;
    const fault = new StorageFault();
    const request = requestOf(this.#turn, this.#session, { ...this.#chosen, prompt: '' }, fault);
    const compactsAt = compactionPointOf(runner, request);
    let failed: readonly FailedModel[] = [];
    await this.#flush(request, {
      contextWindow: model.contextWindow,
      compactsAt,
      isDue: await isFullWith(this.#session, request, compactsAt),
      run: async ({ prompt, lines }) => {
        const start = this.#starter();
        const run = startModels(this.#turn, models, {
          request: { ...request, prompt },
          fault,
          prefix,
          start: ({ runner: started }, asked) => start(started!, asked),
          handOver: () => ({ lines, prompt }),
        });
        const result = await this.#take(run);
        failed = run.failed.filter(({ failure }) => failure !== undefined);
        return result;
      },
    });
    return { entry: this.#entry, failed };
  }

  /** In a run. Where the flush fails the run goes on without it. */
  async flushInRun(runner: Runner, request: RunRequest): Promise<void> {
    this.#triedAt = this.#compactionCount;
    await this.#flush(request, {
      isDue: true,
      run: ({ prompt }) => this.#take(this.#starter()(runner, { ...request, prompt, images: undefined })),
    });
  }

  async #flush(
    request: RunRequest,
    how: Pick<MemoryFlushRequest, 'run' | 'isDue' | 'contextWindow' | 'compactsAt'>,
  ): Promise<void> {
    const { agent, sessions, tools, watcher } = this.#turn;
    const result = await runMemoryFlushIfNeeded({
      entry: { ...this.#entry, compactionCount: this.#compactionCount },
      sessionKey: this.#session.sessionKey,
      sessions,
      timeZone: agent.userTimezone,
      now: tools.now,
      append: request.append,
      readContext: request.readContext,
      ...this.#place,
      ...how,
    });
    if (result.flush === 'not-due') return;
    const { memoryFlushAt, memoryFlushCompactionCount } = result.entry;
    this.#entry =
      this.#compactions > 0
        ? { ...this.#entry, memoryFlushAt, memoryFlushCompactionCount }
        : { ...result.entry };
    if (result.flush !== 'failed') return;
    const message = `Memories were not saved before the compaction: ${result.error}`;
    watcher.onEvent({ type: 'warning', message });
  }

  /** Starts runs that share a part of the turn's time. None of them compacts: what it would save is still there. */
  #starter(): (runner: Runner, request: RunRequest) => Run {
    const begunAt = performance.now();
    const endsAt = begunAt + (this.#chosen.endsAt - begunAt) * MOST_OF_TIME;
    return (runner, request) =>
      runWithLimits(
        cleanOnOverflow(runner, this.#turn.tools.transcripts),
        { ...request, whenFull: () => 'go-on' },
        { timeoutMs: Math.max(1, endsAt - performance.now()) },
      );
  }

  async #take(run: Run): Promise<FlushRun> {
    const { prefix } = this.#chosen;
    const { texts, end, usage, compactions, droppedThinking } = await tallyRun(run.events, (event) => {
      prefix.note(event);
      if (event.type === 'thinking-dropped') this.#turn.watcher.onEvent(event);
    });
    return { texts, end, outcome: { usage, compactions, droppedThinking } };
  }
}

/** The message alone would bring the conversation over the point where the runner compacts. */
async function isFullWith(
  { entry, body }: TurnSession,
  request: RunRequest,
  compactsAt: number | undefined,
): Promise<boolean> {
  if (compactsAt === undefined) return false;
  const message = estimateTokens(body);
  const { totalTokens = 0, totalTokensFresh } = entry;
  // Measuring reads the transcript.
  if (totalTokensFresh !== false && totalTokens + message < compactsAt / 2) return false;
  const measured = await request.measureContext().catch(() => 0);
  return measured > 0 && measured + message > compactsAt;
}

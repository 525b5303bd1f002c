import { isSharedSession } from '../../access/shared-session.ts';
import { runWithLimits } from '../../runners/run-with-limits.ts';
import type { ChosenRun } from '../choose-run.ts';
import type { FailedModel } from '../failover/describe-failover.ts';
import { type ModelsOfRun, passOver } from '../failover/list-candidates.ts';
import type { TurnSession } from '../init-session.ts';
import type { Turn } from '../open-turn.ts';
import type { SessionPrefix } from '../prompt/session-prefix.ts';
import { requestOf, startModels } from '../run-agent.ts';
import { tallyRun } from '../run-tally.ts';
import { StorageFault } from '../storage-fault.ts';
import { runMemoryFlushIfNeeded } from './run-memory-flush.ts';

/** The rest is for the message: a flush that hangs must not be why a person gets no answer. */
const MOST_OF_TIME = 0.5;

/**
 * Has the agent save its memories where a compaction is near. The session as it is afterwards, and the models that are left
 * for the run: one that failed here is not asked again at once.
 */
export async function flushMemory(
  turn: Turn,
  session: TurnSession,
  chosen: ChosenRun & {
    readonly prefix: SessionPrefix;
    readonly left: { readonly at: string };
    /** Of the turn's time; ms, of `performance.now`. */
    readonly endsAt: number;
  },
): Promise<{ readonly session: TurnSession; readonly models: ModelsOfRun }> {
  const { tools, agent, watcher } = turn;
  const { runner, prefix } = chosen;
  // A turn that was cut off has its message, and perhaps calls without results, in the transcript: it goes on first.
  if (runner === undefined || chosen.left.at !== 'start') return { session, models: chosen.models };
  const fault = new StorageFault();
  const request = requestOf(turn, session, { ...chosen, prompt: '' }, fault);
  let failed: readonly FailedModel[] = [];
  const result = await runMemoryFlushIfNeeded({
    entry: session.entry,
    sessionKey: session.sessionKey,
    sessions: turn.sessions,
    config: { agents: { defaults: agent } },
    contextWindow: chosen.model.contextWindow,
    isGroup: isSharedSession(session),
    // A person who is asked about memories while their message waits would not know why.
    isReadOnly: chosen.isReadOnly || chosen.isAsking,
    timeZone: agent.userTimezone,
    now: tools.now,
    append: request.append,
    readContext: request.readContext,
    run: async ({ prompt, lines }) => {
      const begunAt = performance.now();
      const endsAt = begunAt + (chosen.endsAt - begunAt) * MOST_OF_TIME;
      const run = startModels(turn, chosen.models, {
        request: { ...request, prompt },
        fault,
        prefix,
        start: ({ runner: started }, flush) =>
          runWithLimits(started!, flush, { timeoutMs: Math.max(1, endsAt - performance.now()) }),
        handOver: () => ({ lines, prompt }),
      });
      const { texts, end, usage, compactions, droppedThinking } = await tallyRun(run.events, (event) => {
        prefix.note(event);
        if (event.type === 'thinking-dropped') watcher.onEvent(event);
      });
      failed = run.failed.filter(({ failure }) => failure !== undefined);
      return { texts, end, outcome: { usage, compactions, droppedThinking } };
    },
  });
  if (result.flush === 'failed') {
    watcher.onEvent({
      type: 'warning',
      message: `Memories were not saved before the compaction: ${result.error}`,
    });
  }
  return {
    session: { ...session, entry: { ...result.entry, ...session.hinted } },
    models: passOver(chosen.models, failed, tools.now()),
  };
}

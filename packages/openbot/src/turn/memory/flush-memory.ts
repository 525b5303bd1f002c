import type { SystemPrompt } from '../../runners/contract.ts';
import { runWithLimits } from '../../runners/run-with-limits.ts';
import type { ChosenRun } from '../choose-run.ts';
import type { TurnSession } from '../init-session.ts';
import type { Turn } from '../open-turn.ts';
import { requestOf } from '../run-agent.ts';
import { tallyRun } from '../run-tally.ts';
import { runMemoryFlushIfNeeded } from './run-memory-flush.ts';

/** The rest is for the message: a flush that hangs must not be why a person gets no answer. */
const MOST_OF_TIME = 0.5;

/** Has the agent save its memories where a compaction is near. Resolves to the session as it is afterwards. */
export async function flushMemory(
  turn: Turn,
  session: TurnSession,
  chosen: ChosenRun & {
    readonly systemPrompt: SystemPrompt;
    readonly left: { readonly at: string };
    /** Of the turn's time; ms, of `performance.now`. */
    readonly endsAt: number;
  },
): Promise<TurnSession> {
  const { tools, agent, watcher } = turn;
  const { runner, systemPrompt } = chosen;
  // A turn that was cut off has its message, and perhaps calls without results, in the transcript: it goes on first.
  if (runner === undefined || chosen.left.at !== 'start') return session;
  const request = requestOf(turn, session, { ...chosen, prompt: '' });
  const result = await runMemoryFlushIfNeeded({
    entry: session.entry,
    sessionKey: session.sessionKey,
    sessions: turn.sessions,
    config: { agents: { defaults: agent } },
    contextWindow: chosen.model.contextWindow,
    isGroup: session.isGroup,
    // A person who is asked about memories while their message waits would not know why.
    isReadOnly: chosen.isReadOnly || chosen.isAsking,
    timeZone: agent.userTimezone,
    now: tools.now,
    append: request.append,
    readContext: request.readContext,
    run: async ({ prompt, extraSystemPrompt }) => {
      const text = `${systemPrompt.text}\n\n${extraSystemPrompt}`;
      const flush = { ...request, prompt, systemPrompt: { ...systemPrompt, text } };
      const run = runWithLimits(runner, flush, {
        timeoutMs: Math.max(1, (chosen.endsAt - performance.now()) * MOST_OF_TIME),
      });
      const { texts, end, usage, compactions } = await tallyRun(run.events);
      return { texts, end, outcome: { usage, compactions } };
    },
  });
  if (result.flush === 'failed') {
    watcher.onEvent({
      type: 'warning',
      message: `Memories were not saved before the compaction: ${result.error}`,
    });
  }
  return { ...session, entry: { ...result.entry, ...session.hinted } };
}

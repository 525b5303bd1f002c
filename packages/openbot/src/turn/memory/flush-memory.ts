import type { SystemPrompt } from '../../runners/contract.ts';
import { runWithLimits } from '../../runners/run-with-limits.ts';
import type { ChosenRun } from '../choose-run.ts';
import type { TurnSession } from '../init-session.ts';
import type { Turn } from '../open-turn.ts';
import { requestOf, timeoutOf } from '../run-agent.ts';
import { tallyRun } from '../run-tally.ts';
import { runMemoryFlushIfNeeded } from './run-memory-flush.ts';

/** The rest is for the message: a flush that hangs must not be why a person gets no answer. */
const MOST_OF_TIME = 0.5;

/**
 * Has the agent save its memories where a compaction is near. The session as it is afterwards, and the turn with the
 * time that is left: its limit is one for both runs.
 */
export async function flushMemory(
  turn: Turn,
  session: TurnSession,
  chosen: ChosenRun & { readonly systemPrompt: SystemPrompt; readonly left: { readonly at: string } },
): Promise<{ readonly session: TurnSession; readonly rest: Turn }> {
  const { tools, agent, watcher } = turn;
  const { runner, systemPrompt } = chosen;
  // A turn that was cut off has its message, and perhaps calls without results, in the transcript: it goes on first.
  if (runner === undefined || chosen.left.at !== 'start') return { session, rest: turn };
  const timeoutMs = timeoutOf(turn);
  const begunAt = performance.now();
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
      const run = runWithLimits(runner, flush, { timeoutMs: timeoutMs * MOST_OF_TIME });
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
  const spentMs = performance.now() - begunAt;
  return {
    session: { ...session, entry: { ...result.entry, ...session.hinted } },
    rest: result.flush === 'not-due' ? turn : limitTime(turn, timeoutMs - spentMs),
  };
}

function limitTime(turn: Turn, timeoutMs: number): Turn {
  const { message } = turn;
  return { ...turn, message: { ...message, wish: { ...message.wish, timeoutMs: Math.max(1, timeoutMs) } } };
}

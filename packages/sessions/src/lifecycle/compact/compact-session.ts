import { resolveWithinFolder } from '../../disk/canonical-path.ts';
import type { LockOptions } from '../../disk/lock.ts';
import { OpenBotError } from '../../errors.ts';
import { emitSessionTranscriptUpdate } from '../../transcript-file/events.ts';
import { type AgentSessionsParams, openAgentSessions, readOwnKey } from '../agent-sessions.ts';
import { isTranscriptFile } from '../archive/archive-transcript.ts';
import { withCurrentTranscript } from '../archive/current-transcript.ts';
import { type ClockParams, readClock } from '../clock.ts';
import { changeEntry } from '../entry-updates/change-entry.ts';
import { compactTranscript, type TranscriptCompaction } from './compact-transcript.ts';

const DEFAULT_COMPACT_LINES = 400;

interface CompactSessionResult {
  compacted: boolean;
  /** Why nothing was done. */
  reason?: 'no transcript' | 'nothing to remove';
  sessionKey: string;
  sessionId: string;
  sessionFile: string;
  /** Lines beside the header. A few more than asked for where a call stayed with its results. */
  kept: number;
  removed: number;
  archived?: string;
}

/**
 * Shortens a session's transcript to its last lines and archives the whole one. The usage of the last answer is lowered
 * to what the context weighs now, lest the agent compact at once. Fails with LOCK_TIMEOUT, and changes nothing, while
 * another process writes to it.
 */
export async function compactSession(
  params: AgentSessionsParams & ClockParams & { sessionKey: string; maxLines?: number; lock?: LockOptions },
): Promise<CompactSessionResult> {
  const maxLines = readMaxLines(params.maxLines);
  const agent = openAgentSessions(params);
  const clock = readClock(params);
  const sessionKey = readOwnKey(agent, params.sessionKey);
  const result = await withCurrentTranscript(
    agent,
    sessionKey,
    params.lock,
    async ({ key, entry, path, lock }) => {
      const session = { sessionKey: key, sessionId: entry.sessionId, sessionFile: path };
      if (!(await isTranscriptFile(path))) return describe(session, 'no transcript', { kept: 0, removed: 0 });
      const done = await compactTranscript(resolveWithinFolder(path), maxLines, clock.now, lock);
      return describe(session, done.archived === undefined ? 'nothing to remove' : undefined, done);
    },
  );
  if (!result.compacted) return result;
  emitSessionTranscriptUpdate(result.sessionFile);
  await changeEntry(agent, clock, {
    sessionKey: result.sessionKey,
    sessionId: result.sessionId,
    isActivity: true,
    // How large the context is now shows with the next answer.
    patch: () => ({
      inputTokens: undefined,
      outputTokens: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
      totalTokens: undefined,
      totalTokensFresh: false,
      contextBudgetStatus: undefined,
    }),
  });
  return result;
}

function describe(
  session: Pick<CompactSessionResult, 'sessionKey' | 'sessionId' | 'sessionFile'>,
  reason: CompactSessionResult['reason'],
  done: TranscriptCompaction,
): CompactSessionResult {
  return {
    compacted: reason === undefined,
    reason,
    ...session,
    ...done,
  };
}

function readMaxLines(value: number | undefined): number {
  const maxLines = value ?? DEFAULT_COMPACT_LINES;
  if (Number.isSafeInteger(maxLines) && maxLines > 0) return maxLines;
  throw new OpenBotError('INVALID_ARGUMENT', `maxLines must be a whole number above 0, not ${maxLines}`, {
    hint: `Leave it out for ${DEFAULT_COMPACT_LINES}.`,
  });
}

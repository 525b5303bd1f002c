import { ClaudeCodeError, discoverSessions } from '@openbot/claude-code';
import type { CommandInput } from './command.ts';
import { discoverWithProgress, type Place } from './place.ts';

/**
 * A run that was started from within a run would wait for it, and be waited for. Claude Code names its session to the
 * commands that it starts.
 * @throws ClaudeCodeError REPO_BUSY
 */
export async function refuseOwnRun(input: CommandInput, { repoPath, agentId }: Place): Promise<void> {
  const own = input.env.CLAUDE_CODE_SESSION_ID;
  if (own === undefined || own === '') return;
  const sessions = await discoverWithProgress(input, (options) =>
    discoverSessions(repoPath, { ...options, agentId }),
  );
  if (!sessions.some(({ sessionId, isRunning }) => sessionId === own && isRunning)) return;
  throw new ClaudeCodeError(
    `This command was started by a run in ${repoPath} (session ${own}) and would wait for its end`,
    'REPO_BUSY',
    { hint: 'Do the work in this session, or leave it to a subagent of it.' },
  );
}

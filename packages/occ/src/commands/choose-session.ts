import { OpenBotError, reportProgress } from '@openbot/sessions';
import { pickRow } from '@openbot/sessions/command-line';
import { passOnSignal, undoAtEnding } from '@openbot/sessions/disk';
import { listFoundSessions } from '../finding/list-sessions.ts';
import { formatSessionRows } from '../report/list.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import type { OccInput } from './command.ts';
import type { COMMON_FLAGS } from './flags.ts';
import { formatOptionsOf } from './report-options.ts';

/** Lets the person at the terminal choose a session. Throws CANCELLED. */
export async function chooseSession(
  input: OccInput<typeof COMMON_FLAGS>,
  sessions: readonly FoundSession[],
): Promise<FoundSession> {
  const { terminal } = input;
  const list = listFoundSessions(sessions);
  const options = { ...formatOptionsOf(input), verbose: false };
  const choices = {
    question: 'Which session?',
    noun: 'session',
    searched: list.listed.map(({ session }) => searchedTextOf(session)),
    layOut: (columns: number) => formatSessionRows(list, { ...options, columns }, Date.now()),
  };
  // The progress line would be drawn over the list while the person reads it.
  reportProgress({ step: undefined });
  const picked = await pickRow(terminal, choices, (undo) => undoAtEnding('screen', undo));
  if (picked === 'interrupted') interrupt();
  if (typeof picked === 'string') {
    throw new OpenBotError('CANCELLED', 'Cancelled. Nothing was changed.');
  }
  return sessions[picked]!;
}

/**
 * The list reads Ctrl-C as a key. A script that runs this command ends with it, as with other programs, if it gets the signal
 * too, which the terminal would have sent to the whole group.
 */
function interrupt(): void {
  if (process.platform !== 'win32') process.kill(0, 'SIGINT');
  passOnSignal('SIGINT');
}

function searchedTextOf(session: FoundSession): string {
  const { sessionId, sessionKey, label, displayName, firstWords, source, agentId, cwd } = session;
  return [sessionId, sessionKey, label, displayName, firstWords, source, agentId, cwd].join(' ');
}

import { OpenBotError, reportProgress } from '@openbot/sessions';
import { MARK_WIDTH, pickRow } from '@openbot/sessions/command-line';
import { undoAtEnding } from '@openbot/sessions/disk';
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
  const columns = terminal.columns - MARK_WIDTH - 1;
  const options = { ...formatOptionsOf(input), verbose: false, columns };
  const [head = '', ...rows] = formatSessionRows(list, options, Date.now());
  const choices = {
    question: 'Which session?',
    head,
    rows: rows.map((text, at) => ({ text, searched: searchedTextOf(list.listed[at]!.session) })),
  };
  // The progress line would be drawn over the list while the person reads it.
  reportProgress({ step: undefined });
  const picked = await pickRow(terminal, choices, (undo) => undoAtEnding('screen', undo));
  if (picked === undefined) {
    throw new OpenBotError('CANCELLED', 'Cancelled. Nothing was changed.', {
      hint: 'Name a session to be asked nothing',
    });
  }
  return sessions[picked]!;
}

function searchedTextOf(session: FoundSession): string {
  const { sessionId, sessionKey, label, displayName, firstWords, source, agentId, cwd } = session;
  return [sessionId, sessionKey, label, displayName, firstWords, source, agentId, cwd].join(' ');
}

import { OpenBotError, reportProgress, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, pickRow, writeWarning } from '@openbot/sessions/command-line';
import { passOnSignal, undoAtEnding } from '@openbot/sessions/disk';
import {
  cutMiddle,
  formatAge,
  layOutTable,
  printable,
  type TableColumn,
} from '@openbot/sessions/terminal-text';
import type { FoundSession, ReadableSession } from 'oc-context-cleaner';
import { readSessionLayout } from '../../config/session-layout.ts';
import { findHistory, type HistorySearch } from '../../history/find-session.ts';
import type { EXPORT_FLAGS, HISTORY_FLAGS } from './flags.ts';

type SearchInput = CommandInput<typeof HISTORY_FLAGS> | CommandInput<typeof EXPORT_FLAGS>;

/** Where the flags say that the session is. A person who can be asked chooses among several. */
export function readSearch(input: SearchInput, mayAsk: boolean): HistorySearch {
  const { flags, env, terminal, commandLine } = input;
  const { agent, source } = flags;
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  const warn = ({ message }: { readonly message: string }) =>
    flags.json ? undefined : writeWarning(terminal, message);
  const isOwn = source === undefined || source === 'all' || flags.stateDir !== undefined;
  return {
    env,
    cwd: input.cwd,
    stateDir,
    ...(isOwn && { layout: readSessionLayout(stateDir, { env, cwd: input.cwd, warn }) }),
    stateDirFlag: flags.stateDir,
    commandLine,
    ...(agent !== undefined && { agentId: agent }),
    ...(source !== undefined && { source }),
    ...(mayAsk &&
      terminal.isTerminal &&
      input.isInteractive && { choose: (all) => chooseSession(input, all) }),
    warn,
  };
}

/** Throws what the other commands about sessions throw for a name that means none of them, or several. */
export async function findNamed(
  input: SearchInput,
  search: HistorySearch,
  name: string | undefined,
): Promise<ReadableSession> {
  try {
    return await findHistory(search, name);
  } catch (error) {
    const { agent, stateDir, source } = input.flags;
    // Where another program has it, the hint says so.
    const isOfName =
      error instanceof OpenBotError && OF_NAME.includes(error.code) && !error.hint?.includes('add --source');
    if (isOfName && source === undefined && name !== undefined && !/[/\\]|\.jsonl/.test(name)) {
      const { openSession } = await import('../sessions/place.ts');
      await openSession({ ...input, flags: { agent, stateDir } }, name);
    }
    throw error;
  }
}

const OF_NAME = ['SESSION_NOT_FOUND', 'AMBIGUOUS_SESSION', 'NO_SESSIONS'];

const COLUMNS: readonly TableColumn<FoundSession>[] = [
  { title: 'SESSION', show: (one) => printable(nameOf(one)), cut: cutMiddle, least: 12, good: 30 },
  { title: 'ID', show: ({ sessionId }) => printable(sessionId.slice(0, 8)), leave: 1 },
  { title: 'USED', show: ({ updatedAt }) => formatAge(updatedAt, Date.now()), leave: 2 },
];

function nameOf({ label, sessionKey, displayName, cwd, sessionId }: FoundSession): string {
  return label ?? sessionKey ?? displayName ?? cwd ?? sessionId;
}

async function chooseSession(
  { terminal }: SearchInput,
  sessions: readonly FoundSession[],
): Promise<FoundSession> {
  // The progress line would be drawn over the list while the person reads it.
  reportProgress({ step: undefined });
  const picked = await pickRow(
    terminal,
    {
      question: 'Which session?',
      noun: 'session',
      searched: sessions.map((one) => [nameOf(one), one.sessionId, one.sessionKey, one.source].join(' ')),
      layOut: (columns) => layOutTable(COLUMNS, sessions, columns),
    },
    (undo) => undoAtEnding('screen', undo),
  );
  if (picked === 'interrupted') passOnSignal('SIGINT');
  if (typeof picked === 'string') throw new OpenBotError('CANCELLED', 'Cancelled.');
  return sessions[picked]!;
}

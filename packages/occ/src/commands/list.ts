import { listNewestSessions } from '../finding/list-sessions.ts';
import { explainEmptySearch } from '../finding/no-sessions.ts';
import { formatEmptyList, formatList } from '../report/list.ts';
import type { Command } from './command.ts';
import { reportOptionsOf } from './report-options.ts';
import { openSearch } from './search-scope.ts';
import { writeJson, writeReport, writeWarnings } from './write-result.ts';

/** Which sessions there are, newest first. */
export const list: Command = async (input) => {
  const { flags, terminal } = input;
  const { scope, warnings } = openSearch(input);
  const sessions = listNewestSessions(scope, flags.limit);
  if (flags.json) {
    writeWarnings(terminal, warnings);
    writeJson(
      terminal,
      sessions.listed.map(({ session }) => session),
    );
    return;
  }
  const options = reportOptionsOf(input);
  if (sessions.listed.length === 0) {
    writeReport(terminal, formatEmptyList(explainEmptySearch(scope), options));
    return;
  }
  // A pipe has no edge that lines could run over, and its reader wants them whole.
  const columns = terminal.isTerminal ? terminal.columns : Number.POSITIVE_INFINITY;
  writeReport(terminal, formatList(sessions, { ...options, columns }, Date.now()));
};

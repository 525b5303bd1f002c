import { writeJson } from '@openbot/sessions/command-line';
import { listNewestSessions } from '../finding/list-sessions.ts';
import { explainEmptySearch } from '../finding/no-sessions.ts';
import { formatEmptyList, formatList } from '../report/list.ts';
import type { OccInput } from './command.ts';
import type { LIST_FLAGS } from './flags.ts';
import { formatOptionsOf } from './report-options.ts';
import { openSearch } from './search-scope.ts';
import { writeReport, writeWarnings } from './write-result.ts';

/** A person reads no more; a program gets all. */
const SHOWN = 30;

/** Which sessions there are, newest first. */
export async function list(input: OccInput<typeof LIST_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  const { scope, warnings } = openSearch(input);
  const sessions = listNewestSessions(scope, flags.limit ?? (flags.json ? undefined : SHOWN));
  if (flags.json) {
    writeWarnings(terminal, warnings);
    writeJson(
      terminal,
      sessions.listed.map(({ session }) => session),
    );
    return;
  }
  const options = formatOptionsOf(input);
  if (sessions.listed.length === 0) {
    writeReport(terminal, formatEmptyList(explainEmptySearch(scope), options));
    return;
  }
  writeReport(terminal, formatList(sessions, { ...options, columns: terminal.maxLineWidth }, Date.now()));
}

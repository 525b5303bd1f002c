import type { FoundBy, FoundSession, SourceName } from '../sources/found-session.ts';
import { printable } from './printable.ts';
import type { ReportOptions } from './report-options.ts';

const SOURCE_TITLES: Readonly<Record<SourceName, string>> = {
  openclaw: 'OpenClaw',
  pi: 'pi',
  claude: 'Claude Code',
};

export function sourceTitle(source: SourceName): string {
  return SOURCE_TITLES[source];
}

/** How the session was chosen; undefined where the caller named it. */
export function describeChoice(foundBy: FoundBy, session: FoundSession): string | undefined {
  switch (foundBy) {
    case 'argument':
      return undefined;
    case 'environment':
      return 'the session that this shell belongs to';
    case 'calling-command':
      return `the session that is running this command${inBrackets(session)}`;
    case 'most-recent':
      return `the most recently active session ${ownerOf(session)}${inBrackets(session)}`;
  }
}

function ownerOf({ source, agentId }: FoundSession): string {
  return source === 'openclaw' && agentId !== null
    ? `of agent ${printable(agentId)}`
    : `of ${sourceTitle(source)}`;
}

function inBrackets(session: FoundSession): string {
  const name = session.label ?? session.displayName ?? session.sessionKey;
  return name === undefined ? '' : ` (${printable(name)})`;
}

/** A command on this session that finds it again, whatever the default source of the shell is. */
export function commandFor(
  verb: string,
  session: FoundSession,
  { again = {} }: Pick<ReportOptions, 'again'>,
  ...flags: string[]
): string {
  const name = again.byPath ? session.path : session.sessionId;
  const where = again.byPath ? [] : [...placeOf(session), ...(again.flags ?? [])];
  return printable(['occ', verb, name, ...flags, ...where].map(quoteWord).join(' '));
}

function placeOf({ source, agentId }: FoundSession): string[] {
  if (source !== 'openclaw') return ['--source', source];
  return agentId === null || agentId === 'main' ? [] : ['--agent', agentId];
}

/** As a shell takes it for one word. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

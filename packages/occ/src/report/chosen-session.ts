import { printable, quoteForShell } from '@openbot/sessions/terminal-text';
import { shortenText } from '../errors.ts';
import type { FoundBy, FoundSession, SourceName } from '../storage/contract/found-session.ts';
import type { ReportOptions, SearchAgain } from './report-options.ts';

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
      return `the most recently active session ${ownerOf(session)}${session.source === 'claude' ? ' in this folder' : ''}${inBrackets(session)}`;
  }
}

function ownerOf({ source, agentId }: FoundSession): string {
  return source === 'openclaw' && agentId !== null
    ? `of agent ${printable(agentId)}`
    : `of ${sourceTitle(source)}`;
}

function inBrackets(session: FoundSession): string {
  const name = session.label ?? session.displayName ?? session.sessionKey;
  return name === undefined ? '' : ` (${printable(shortenText(name))})`;
}

/** A command on this session that finds it again from the same shell, and no other. */
export function commandFor(
  verb: string,
  session: FoundSession,
  { again = {} }: Pick<ReportOptions, 'again'>,
  ...flags: string[]
): string {
  if (session.storage === 'sqlite') return commandInDatabase(verb, session, again, flags);
  const name = again.byPath ? session.path : nameOf(session);
  // Where a path leads is plain; whose file it is, and so where its backups are, may have been said by a flag.
  const isOwnPath = name === session.path && session.source === 'openclaw';
  const where = isOwnPath
    ? []
    : name === session.path
      ? ['--source', session.source]
      : placeOf(session, again);
  return formatCommand([verb, name, ...flags, ...where], again);
}

function formatCommand(words: readonly string[], { config }: SearchAgain): string {
  const all = ['occ', ...words, ...(config === undefined ? [] : ['--config', config])];
  return printable(all.map(quoteForShell).join(' '));
}

/** The path of a database names a session only where it is alone, so its place is said instead. */
function commandInDatabase(
  verb: string,
  session: FoundSession,
  again: SearchAgain,
  flags: readonly string[],
): string {
  const place = /^(.*)[/\\]agents[/\\]([^/\\]+)[/\\]agent[/\\]openclaw-agent\.sqlite$/.exec(session.path);
  const where = !again.byPath
    ? placeOf(session, again)
    : place === null
      ? []
      : ['--agent', place[2]!, '--state-dir', place[1] || '/'];
  return formatCommand([verb, nameInDatabase(session, again, place !== null), ...flags, ...where], again);
}

/** A database in no state folder has one session, or its sessions are named by their transcripts. */
function nameInDatabase({ sessionId, path }: FoundSession, again: SearchAgain, isInState: boolean): string {
  if (!again.byPath || isInState) return sessionId;
  return again.byTranscript ? `${path}.sessions/${sessionId}.jsonl` : path;
}

/** The topics of one session share its id: they are told apart by their files. */
function nameOf({ source, sessionId, path }: FoundSession): string {
  const stem = /([^/\\]+)\.jsonl$/.exec(path)?.[1] ?? sessionId;
  if (source !== 'openclaw' || stem === sessionId) return sessionId;
  return stem.startsWith(sessionId) && /^[\w-]+$/.test(stem) ? stem : path;
}

function placeOf({ source, agentId }: FoundSession, again: SearchAgain): readonly string[] {
  const { flags = [], defaultSource = 'openclaw', defaultAgentId = 'main' } = again;
  if (source !== 'openclaw') return ['--source', source];
  const agent = agentId === null || agentId === defaultAgentId ? [] : ['--agent', agentId];
  const where = [...agent, ...flags];
  // Either flag means sessions of OpenClaw.
  return where.length > 0 || defaultSource === 'openclaw' ? where : ['--source', source];
}

/** What undoes a rewrite. A database of an unknown version is changed back only as it was changed. */
export function undoCommand(session: FoundSession, options: Pick<ReportOptions, 'again'>): string {
  const isForced = session.storage === 'sqlite' && options.again?.force;
  return commandFor('restore', session, options, ...(isForced ? ['--force'] : []));
}

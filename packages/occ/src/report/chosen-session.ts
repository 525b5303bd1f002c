import { printable, quoteForShell } from '@openbot/sessions/terminal-text';
import { shortenText } from '../errors.ts';
import { sourceOf, storageOf } from '../storage/all.ts';
import type { FoundBy, FoundSession } from '../storage/contract/found-session.ts';
import type { ReportOptions } from './report-options.ts';

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
  if (agentId !== null) return `of agent ${printable(agentId)}`;
  const { title, ofWorkingFolder } = sourceOf(source);
  return ofWorkingFolder === undefined ? `of ${title}` : `of ${title} in this folder`;
}

function inBrackets(session: FoundSession): string {
  const name = session.label ?? session.displayName ?? session.sessionKey;
  return name === undefined ? '' : ` (${printable(shortenText(name))})`;
}

/** A command that finds this session again from the same shell, and no other. */
export function commandFor(
  verb: string,
  session: FoundSession,
  { again = {} }: Pick<ReportOptions, 'again'>,
  ...flags: string[]
): string {
  const address = storageOf(session).addressInCommand(session, again);
  const config = again.config === undefined ? [] : ['--config', again.config];
  const words = [verb, address.name, ...flags, ...address.flags, ...config];
  return printable([again.calledAs ?? 'occ', ...words.map(quoteForShell)].join(' '));
}

/** The command that undoes a rewrite. What was changed with `--force` is changed back with it. */
export function undoCommand(session: FoundSession, options: Pick<ReportOptions, 'again'>): string {
  const isForced = storageOf(session).isVersioned && options.again?.force;
  return commandFor('restore', session, options, ...(isForced ? ['--force'] : []));
}

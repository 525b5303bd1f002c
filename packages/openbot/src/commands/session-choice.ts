import { existsSync } from 'node:fs';
import {
  type DiscoveredSession,
  discoverAllSessions,
  discoverSessions,
  type SessionChoice,
} from '@openbot/claude-code';
import { OpenBotError } from '@openbot/sessions';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { type CommandInput, readName } from './command.ts';
import { discoverWithProgress, warn } from './discover-with-progress.ts';
import { type Place, readLabel } from './place.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** As much as the list shows of one. */
const BEGINNING = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i;

type Where = Pick<Place, 'repoPath' | 'agentId'>;

/** The session that `--session`, with or without `--fork`, or `--fresh` names; undefined where it is to be chosen. */
export async function readSessionChoice(
  input: CommandInput,
  place: Where,
): Promise<SessionChoice | undefined> {
  const named = readName(input, 'session', '<id or title>');
  if (named !== undefined && input.flags.fresh) {
    throw new OpenBotError('USAGE', '--session and --fresh contradict each other', {
      hint: 'Leave one of them out',
    });
  }
  if (input.flags.fork && input.flags.fresh) {
    throw new OpenBotError('USAGE', '--fork and --fresh contradict each other', {
      hint: 'Leave one of them out',
    });
  }
  if (named === undefined && input.flags.fork) {
    return { action: 'fork', sessionId: await findLabelled(input, place) };
  }
  if (named === undefined) return input.flags.fresh ? { action: 'fresh' } : undefined;
  const sessionId = await findSession(input, named.trim(), place);
  return { action: input.flags.fork ? 'fork' : 'resume', sessionId };
}

async function findSession(input: CommandInput, named: string, place: Where): Promise<string> {
  const { repoPath, agentId } = place;
  const sessions = await discoverWithProgress(input, (options) =>
    discoverSessions(repoPath, { ...options, agentId }),
  );
  const id = named.toLowerCase();
  const isBeginning = BEGINNING.test(named);
  const byId = isBeginning ? sessions.filter(({ sessionId }) => sessionId.startsWith(id)) : [];
  // An id comes before a title: a title can be anything.
  const found = byId.length > 0 ? byId : findCalled(sessions, named);
  if (found.length > 1) throw fitsSeveral(byId.length > 0 ? 'begin with' : 'are called', named, found);
  const [session] = found;
  if (session !== undefined) {
    warnOfOwner(input, session, agentId);
    return session.sessionId;
  }
  if (!UUID.test(named)) {
    const missing = isBeginning ? `begins with '${named}' or is called so` : `is called '${named}'`;
    throw new OpenBotError('USAGE', `No session of ${repoPath} ${missing}`, {
      hint: '--session takes an id, its first 8 characters or more, or a title. See: openbot cc list',
    });
  }
  await refuseElsewhere(input, id, place);
  return id;
}

/** For a fork: the session of the agent that has the label, of several the one used last. The fork gets it. */
async function findLabelled(input: CommandInput, { repoPath, agentId }: Where): Promise<string> {
  const label = readLabel(input);
  if (label === undefined) {
    throw new OpenBotError('USAGE', '--fork needs --session or --label: it goes on in a copy of that one', {
      hint: 'See: openbot cc list',
    });
  }
  const sessions = await discoverWithProgress(input, (options) =>
    discoverSessions(repoPath, { ...options, agentId }),
  );
  const [last] = sessions
    .filter((one) => one.label === label && one.agentId === agentId && one.hasTranscript)
    .sort((one, other) => other.lastModified.getTime() - one.lastModified.getTime());
  if (last !== undefined) return last.sessionId;
  throw new OpenBotError('USAGE', `No session of ${repoPath} is labelled '${label}'`, {
    hint: 'See: openbot cc list',
  });
}

/** By the title that Claude Code shows. Nobody remembers its capitals; where somebody does, they count. */
function findCalled(sessions: readonly DiscoveredSession[], name: string): DiscoveredSession[] {
  const exact = sessions.filter(({ title }) => title === name);
  return exact.length > 0
    ? exact
    : sessions.filter(({ title }) => title?.toLowerCase() === name.toLowerCase());
}

/** Claude Code would go on in it from any folder, and its work would be in the wrong repository. */
async function refuseElsewhere(input: CommandInput, sessionId: string, { repoPath, agentId }: Where) {
  // What cannot be read here was told already, and what cannot be read elsewhere is of no interest.
  const all = await discoverWithProgress(input, (options) =>
    discoverAllSessions({ ...options, agentId, onProblem: () => {} }),
  );
  const session = all.find((one) => one.sessionId === sessionId);
  if (session === undefined) return;
  if (existsSync(session.repoPath)) {
    throw new OpenBotError('USAGE', `Session ${sessionId} is of ${session.repoPath}, not of ${repoPath}`, {
      hint: `To go on in it: --repo ${quoteForShell(session.repoPath)}`,
    });
  }
  warn(input, `Session ${sessionId} is of ${session.repoPath}, which is not there any more`);
  warnOfOwner(input, session, agentId);
}

function warnOfOwner(input: CommandInput, session: DiscoveredSession, agentId: string): void {
  const { sessionId, agentId: owner } = session;
  if (owner === undefined || owner === agentId) return;
  warn(input, `Session ${sessionId} is of agent ${owner}; agent ${agentId} takes it over`);
}

function fitsSeveral(how: string, name: string, found: readonly DiscoveredSession[]): OpenBotError {
  const ids = found.slice(0, 5).map(({ sessionId }) => sessionId);
  return new OpenBotError(
    'USAGE',
    `${found.length} sessions ${how} '${name}': ${ids.join(', ')}${found.length > 5 ? ', …' : ''}`,
    { hint: how === 'begin with' ? 'Give more of the id' : 'Give the id of one' },
  );
}

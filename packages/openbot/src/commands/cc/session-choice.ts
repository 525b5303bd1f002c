import { existsSync } from 'node:fs';
import {
  type DiscoveredSession,
  discoverAllSessions,
  discoverSessions,
  type SessionChoice,
} from '@openbot/claude-code';
import { OpenBotError } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { discoverWithProgress, warn } from './discover-with-progress.ts';
import type { RUN_FLAGS } from './flags.ts';
import { readLabel, refuseBoth } from './input.ts';

type RunInput = CommandInput<typeof RUN_FLAGS>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** At least the 8 characters that the list shows. */
const BEGINNING = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i;

interface Owner {
  readonly repoPath: string;
  readonly agentId: string;
}

/** The session that the flags name; undefined if it is to be selected for the task. */
export async function readSessionChoice(input: RunInput, owner: Owner): Promise<SessionChoice | undefined> {
  const named = input.flags.session;
  refuseBoth(input.flags, 'session', 'fresh');
  refuseBoth(input.flags, 'fork', 'fresh');
  if (named === undefined && input.flags.fork) {
    return { action: 'fork', sessionId: await findLabelled(input, owner) };
  }
  if (named === undefined) return input.flags.fresh ? { action: 'fresh' } : undefined;
  const sessionId = await findSession(input, named.trim(), owner);
  return { action: input.flags.fork ? 'fork' : 'resume', sessionId };
}

async function findSession(input: RunInput, named: string, owner: Owner): Promise<string> {
  const { repoPath, agentId } = owner;
  const sessions = await discoverWithProgress(input, (options) =>
    discoverSessions(repoPath, { ...options, agentId }),
  );
  const id = named.toLowerCase();
  const isBeginning = BEGINNING.test(named);
  const byId = isBeginning ? sessions.filter(({ sessionId }) => sessionId.startsWith(id)) : [];
  // Ids take precedence, because a title can look like an id.
  const found = byId.length > 0 ? byId : findByTitle(sessions, named);
  if (found.length > 1) throw fitsSeveral(byId.length > 0 ? 'begin with' : 'have the title', named, found);
  const [session] = found;
  if (session !== undefined) {
    warnOfOwner(input, session, agentId);
    return session.sessionId;
  }
  if (!UUID.test(named)) {
    const missing = isBeginning ? `begins with '${named}' or has that title` : `has the title '${named}'`;
    throw new OpenBotError('USAGE', `No session of ${repoPath} ${missing}`, {
      hint: '--session takes an id, its first 8 characters or more, or a title. See: openbot cc list',
    });
  }
  await refuseOtherRepo(input, id, owner);
  return id;
}

/** For a fork: the agent's session with the label, the last used of several. The fork takes over the label. */
async function findLabelled(input: RunInput, { repoPath, agentId }: Owner): Promise<string> {
  const label = readLabel(input.flags);
  if (label === undefined) {
    throw new OpenBotError(
      'USAGE',
      '--fork needs --session or --label: it continues in a copy of that session',
      {
        hint: 'See: openbot cc list',
      },
    );
  }
  const sessions = await discoverWithProgress(input, (options) =>
    discoverSessions(repoPath, { ...options, agentId }),
  );
  const [last] = sessions
    .filter((one) => one.label === label && one.agentId === agentId && one.hasTranscript)
    .sort((one, other) => other.lastModified.getTime() - one.lastModified.getTime());
  if (last !== undefined) return last.sessionId;
  throw new OpenBotError('USAGE', `No session of ${repoPath} has the label '${label}'`, {
    hint: 'See: openbot cc list',
  });
}

/** Compares Claude Code's titles exactly, then without regard to case. */
function findByTitle(sessions: readonly DiscoveredSession[], name: string): DiscoveredSession[] {
  const exact = sessions.filter(({ title }) => title === name);
  return exact.length > 0
    ? exact
    : sessions.filter(({ title }) => title?.toLowerCase() === name.toLowerCase());
}

/** Claude Code would continue it from any folder, but would work in the wrong repository. */
async function refuseOtherRepo(input: RunInput, sessionId: string, { repoPath, agentId }: Owner) {
  // Problems of this repository were reported before; those of others do not matter here.
  const all = await discoverWithProgress(input, (options) =>
    discoverAllSessions({ ...options, agentId, onProblem: () => {} }),
  );
  const session = all.find((one) => one.sessionId === sessionId);
  if (session === undefined) return;
  if (existsSync(session.repoPath)) {
    throw new OpenBotError(
      'USAGE',
      `Session ${sessionId} belongs to ${session.repoPath}, not to ${repoPath}`,
      {
        hint: `To continue it: --repo ${quoteForShell(session.repoPath)}`,
      },
    );
  }
  warn(input, `Session ${sessionId} belongs to ${session.repoPath}, which no longer exists`);
  warnOfOwner(input, session, agentId);
}

function warnOfOwner(input: RunInput, session: DiscoveredSession, agentId: string): void {
  const { sessionId, agentId: owner } = session;
  if (owner === undefined || owner === agentId) return;
  warn(input, `Session ${sessionId} belongs to agent ${owner}; agent ${agentId} takes it over`);
}

function fitsSeveral(how: string, name: string, found: readonly DiscoveredSession[]): OpenBotError {
  const ids = found.slice(0, 5).map(({ sessionId }) => sessionId);
  return new OpenBotError(
    'USAGE',
    `${found.length} sessions ${how} '${name}': ${ids.join(', ')}${found.length > 5 ? ', …' : ''}`,
    { hint: how === 'begin with' ? 'Give more characters of the id' : 'Give the id of one of them' },
  );
}

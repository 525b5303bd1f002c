import { discoverSessions, type SessionChoice } from '@openbot/claude-code';
import { UsageError } from '../errors.ts';
import { type CommandInput, readName } from './command.ts';
import { discoverWithProgress, type Place } from './place.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** As much as the list shows of one. */
const BEGINNING = /^[0-9a-f]{8}[0-9a-f-]{0,27}$/i;

/** The session that `--session` or `--fresh` names; undefined where it is to be chosen. */
export async function readSessionChoice(
  input: CommandInput,
  place: Pick<Place, 'repoPath' | 'agentId'>,
): Promise<SessionChoice | undefined> {
  const named = readName(input, 'session', '<id>');
  if (named !== undefined && input.flags.fresh) {
    throw new UsageError('--session and --fresh contradict each other', 'Leave one of them out');
  }
  if (named === undefined) return input.flags.fresh ? { action: 'fresh' } : undefined;
  const sessionId = UUID.test(named) ? named.toLowerCase() : await findByBeginning(input, named, place);
  return { action: 'resume', sessionId };
}

async function findByBeginning(
  input: CommandInput,
  beginning: string,
  { repoPath, agentId }: Pick<Place, 'repoPath' | 'agentId'>,
): Promise<string> {
  if (!BEGINNING.test(beginning)) {
    throw new UsageError(
      `--session takes a session id or its first 8 characters or more, not '${beginning}'`,
      'See: openbot cc list',
    );
  }
  const sessions = await discoverWithProgress(input, (options) =>
    discoverSessions(repoPath, { ...options, agentId }),
  );
  const ids = sessions.map(({ sessionId }) => sessionId);
  const found = ids.filter((id) => id.startsWith(beginning.toLowerCase()));
  if (found.length === 1) return found[0]!;
  throw found.length === 0
    ? new UsageError(`No session of ${repoPath} begins with '${beginning}'`, 'See: openbot cc list')
    : new UsageError(
        `${found.length} sessions begin with '${beginning}': ${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}`,
        'Give more of the id',
      );
}

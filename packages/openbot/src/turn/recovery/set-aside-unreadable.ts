import { basename } from 'node:path';
import { OpenBotError, resetSession, type StoredSession } from '@openbot/sessions';
import type { DeliveryTarget } from '../../outbox/contract.ts';
import { addressOf, findSession } from '../../session-address.ts';
import { LOCAL_CHANNEL, putReplies, requesterOf, SESSIONS_CHANNEL } from '../deliver.ts';
import { HEARTBEAT_CHANNEL } from '../heartbeat/heartbeat-message.ts';
import type { Turn } from '../open-turn.ts';

const TEXT =
  '⚠️ The file of this conversation is damaged and cannot be read. It was set aside, and a new session begins: what was said before is not known any more.';

/** For the agent, where nobody can be told. Its session keeps it. */
const EVENT =
  'The file of this conversation was damaged and could not be read. It was set aside, and a new session has begun: what was said before is not known any more. The person has not been told yet: say so when they write next.';

/** Another run that still writes to the file must not delay the message: the entry says what is left to do. */
const LOCK_MS = 2000;

/**
 * Before anything reads the transcript of a session: where nothing in it can be read, the key gets a new session, and the
 * file another name beside the others. The person is told first, under a key that is put once, or the agent, where there is
 * no place to tell the person: killed at any moment, the next process goes on.
 */
export async function setAsideUnreadable(turn: Turn): Promise<void> {
  const { tools, work, sessions, watcher } = turn;
  const session = await findSession(sessions, work.sessionKey);
  if (session === undefined || (await tools.transcripts.mend(turn.refOf(session.entry)))) return;
  await work.begun;
  await tell(turn, session);
  const { key: sessionKey, entry } = session;
  const file = basename(turn.refOf(entry).sessionFile);
  try {
    const { archived, archiveError } = await resetSession({
      ...sessions,
      sessionKey,
      expectedSessionId: entry.sessionId,
      reason: 'damaged',
      lock: { timeoutMs: LOCK_MS },
      now: tools.now,
    });
    const now = archived[0] ?? `not moved yet: ${archiveError?.message ?? 'another session uses it'}`;
    const message = `The transcript ${file} of ${sessionKey} cannot be read; a new session has begun. It is kept as ${now}`;
    watcher.onEvent({ type: 'warning', message, isForLog: true });
  } catch (error) {
    // Another process has given the key a new session.
    if (!(error instanceof OpenBotError) || error.code !== 'STORE_CONFLICT') throw error;
  }
}

async function tell({ tools, work, message }: Turn, { key, entry }: StoredSession): Promise<void> {
  const asked = requesterOf(message);
  const isNobody = asked.channel === SESSIONS_CHANNEL || asked.channel === HEARTBEAT_CHANNEL;
  // A person at the terminal reads the warning.
  if (asked.channel === LOCAL_CHANNEL) return;
  const target = isNobody ? lastPlaceOf(entry) : asked;
  if (target === undefined || target.channel === LOCAL_CHANNEL)
    return tools.inbox.addEvent(addressOf(work), { text: EVENT, at: tools.now() });
  const { agentId, sessionKey } = work;
  await putReplies(tools, work, { entry, sessionKey }, [
    {
      // No turn id: it is no reply of the turn.
      key: `${addressOf(work)}#${entry.sessionId}:damaged`,
      agentId,
      sessionKey: key,
      target,
      payload: { text: TEXT, isError: true },
      createdAt: tools.now(),
    },
  ]);
}

function lastPlaceOf({ deliveryContext = {} }: StoredSession['entry']): DeliveryTarget | undefined {
  const { channel, to, accountId = 'default', threadId } = deliveryContext;
  if (channel === undefined || to === undefined) return undefined;
  return { channel, to, accountId, ...(threadId !== undefined && { threadId }) };
}

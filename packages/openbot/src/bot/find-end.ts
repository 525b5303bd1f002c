import type { StoredEntry } from '@openbot/sessions';
import type { BotConfig } from '../config/bot-config.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import type { BotState } from '../state/open-state.ts';
import type { TurnReport } from '../turn/turn-tools.ts';
import { WITHDRAWN } from './contract.ts';
import { findEntry } from './find-entry.ts';

export interface EndedTurn {
  readonly report: TurnReport;
  /** Empty for a message that got no turn. */
  readonly turnId: string;
  /** ms; the arrival of the message where nothing tells when its turn ended. */
  readonly endedAt?: number;
}

/** What became of a message, as inbox and outbox have it; undefined while it has no end. */
export async function findEnd(
  { state, config }: { readonly state: BotState; readonly config: BotConfig },
  message: InboxMessage,
): Promise<EndedTurn | undefined> {
  if (message.state === 'received' || message.state === 'queued' || message.state === 'running')
    return undefined;
  const entry = await findEntry(state, config, message);
  const turnId = 'turnId' in message ? (message.turnId ?? '') : '';
  const replies = turnId === '' ? [] : await state.outbox.ofTurn(turnId);
  const payloads = replies
    .filter(({ target }) => target.channel === message.identity.channel)
    .map(({ payload }) => payload);
  const abortedBy = findAbort(message);
  const report: TurnReport = {
    sessionId: entry?.sessionId ?? '',
    provider: entry?.modelProvider ?? '',
    model: entry?.model ?? '',
    payloads,
    compactions: 0,
    outcome:
      abortedBy !== undefined
        ? 'aborted'
        : message.state !== 'answered'
          ? 'failed'
          : payloads.length === 0
            ? 'silent'
            : 'answered',
    ...(abortedBy !== undefined && { abortedBy }),
    ...(message.state === 'failed' && { error: { message: message.error } }),
    ...(message.state === 'dropped' && { error: { message: `The message was dropped: ${message.reason}` } }),
  };
  return { report, turnId, endedAt: findEndTime(message, replies, entry) };
}

function findEndTime(
  { receivedAt }: InboxMessage,
  replies: readonly { readonly createdAt: number }[],
  entry: StoredEntry | undefined,
): number {
  if (replies.length > 0) return Math.max(...replies.map(({ createdAt }) => createdAt));
  // Of the last run of the session, which may be a later one.
  return Math.max(receivedAt, entry?.endedAt ?? 0);
}

function findAbort(message: InboxMessage): TurnReport['abortedBy'] {
  if (message.state === 'answered') return message.abortedBy as TurnReport['abortedBy'];
  return message.state === 'dropped' && message.reason === WITHDRAWN ? 'person' : undefined;
}

import { resolveSendPolicy, type StoredEntry, type StoredSession } from '@openbot/sessions';
import { normalizeAccountId } from '@openbot/sessions/key';
import { isSameRecipient } from '../channels/spellings.ts';
import type { DeliveryTarget } from '../outbox/contract.ts';
import { resolveRoute } from '../routing/resolve-route.ts';
import { toolFailure } from '../tools/contract.ts';
import { LOCAL_CHANNEL, SESSIONS_CHANNEL } from '../turn/deliver.ts';
import { HEARTBEAT_CHANNEL } from '../turn/heartbeat/heartbeat-message.ts';
import type { ToolScope } from './parts.ts';
import { listOwn, readLineage } from './reach.ts';

/** Whether a person reads there without an answer being written: a chat, and neither a command, another session nor a clock. */
export function isChat({ channel }: DeliveryTarget): boolean {
  return channel !== LOCAL_CHANNEL && channel !== SESSIONS_CHANNEL && channel !== HEARTBEAT_CHANNEL;
}

/** Where a message goes. What is left out is that of the person who is answered. */
export function resolveTarget(
  { parts, session }: ToolScope,
  wanted: { readonly channel?: string; readonly accountId?: string; readonly to?: string },
): DeliveryTarget {
  const { requester } = session;
  const name = wanted.channel?.trim().toLowerCase();
  const account = wanted.accountId?.trim() ? normalizeAccountId(wanted.accountId) : undefined;
  const isHere = name === undefined || name === requester.channel;
  const to = wanted.to?.trim() || (isHere ? requester.to : undefined);
  const isTo = (address: string) =>
    isSameRecipient(
      { ...requester, to: address, threadId: undefined },
      { ...requester, threadId: undefined },
    );
  const isWithThem = isHere && to !== undefined && isChat(requester) && isTo(to);
  if (isWithThem && (account ?? requester.accountId) === requester.accountId) return requester;
  if (isHere && !isChat(requester)) {
    const names = listNames(parts.channels);
    throw toolFailure(
      requester.channel === HEARTBEAT_CHANNEL
        ? `This heartbeat has no chat to send to. To send somewhere, name channel and to. ${names}`
        : `What you answer is read where you were asked; write it as your answer. To send elsewhere, name channel and to. ${names}`,
    );
  }
  const open = parts.channels.filter((one) => one.name === (name ?? requester.channel));
  if (open.length === 0)
    throw toolFailure(
      `There is no channel ${JSON.stringify(name ?? requester.channel)}. ${listNames(parts.channels)}`,
    );
  const byId = (id: string) => open.find(({ accountId }) => accountId === id);
  const channel = account === undefined ? (byId(requester.accountId) ?? open[0]!) : byId(account);
  if (channel === undefined) {
    const ids = open.map(({ accountId }) => accountId).join(', ');
    throw toolFailure(
      `There is no account ${JSON.stringify(account)} of ${open[0]!.name}. Open are: ${ids}.`,
    );
  }
  if (isWithThem) return { ...requester, accountId: channel.accountId };
  if (to === undefined) throw toolFailure(`Name the recipient on ${channel.name} with to.`);
  return { channel: channel.name, accountId: channel.accountId, to };
}

function listNames(channels: readonly { readonly name: string }[]): string {
  const names = [...new Set(channels.map(({ name }) => name))];
  return names.length === 0 ? 'No channel is open.' : `Open are: ${names.join(', ')}.`;
}

/** The session in which the recipient would answer, if it exists. */
export async function findSessionOf(
  scope: ToolScope,
  target: DeliveryTarget,
): Promise<StoredSession | undefined> {
  const { agentId } = scope.session;
  const { config } = scope.parts;
  const { sessionKey } = resolveRoute({
    config,
    ...target,
    peer: { kind: 'direct', id: target.to },
    agentId,
  });
  const sessions = await listOwn(scope);
  // Topics and groups have keys that do not follow from the address alone.
  const there = sessions
    .filter(({ entry }) => isAt(entry, target))
    .sort((one, other) => (other.entry.updatedAt ?? 0) - (one.entry.updatedAt ?? 0));
  const isMain = (key: string) => key === 'global' || /^agent:[^:]+:[^:]+$/.test(key);
  return there.find(({ key }) => !isMain(key)) ?? sessions.find(({ key }) => key === sessionKey) ?? there[0];
}

function isAt({ deliveryContext }: StoredEntry, target: DeliveryTarget): boolean {
  const { channel, accountId = target.accountId, to, threadId } = deliveryContext ?? {};
  if (channel === undefined || to === undefined) return false;
  const place = { ...target, channel: target.channel.toLowerCase() };
  return isSameRecipient({ channel, accountId, to, threadId }, place);
}

/** Refuses what the send policy denies: to this session, to one above it, or to the one that the message goes to. */
export async function assertMaySend(
  scope: ToolScope,
  { channel }: DeliveryTarget,
  recipient: StoredSession | undefined,
): Promise<void> {
  const { config: cfg } = scope.parts;
  const allows = (sessionKey: string, entry: StoredEntry | undefined) =>
    resolveSendPolicy({ cfg, entry, sessionKey, channel }) === 'allow';
  for (const { key, entry } of await readLineage(scope))
    if (!allows(key, entry)) throw toolFailure('The send policy does not allow this session to send there.');
  if (recipient !== undefined && !allows(recipient.key, recipient.entry))
    throw toolFailure(`The send policy does not allow messages to ${recipient.key}.`);
}

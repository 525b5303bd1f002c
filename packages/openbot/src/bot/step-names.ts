/** The names of steps that may fail again and again. Steps that have the same name are counted as one. */
import { parseAgentSessionKey } from '@openbot/sessions';
import type { OutboxStep } from '../delivery/sender.ts';
import type { DeliveryTarget } from '../outbox/contract.ts';
import type { LaneRef } from '../queue/contract.ts';
import type { SessionRef } from '../session-address.ts';

/** An account of a channel. */
interface Account {
  readonly name: string;
  readonly accountId: string;
}

/** Without a lane: the look for messages of all sessions. */
export function nameTurnStep(lane: LaneRef | undefined): string {
  if (lane === undefined) return 'The look for messages';
  return `${lane.lane === 'turns' ? 'A turn' : 'A chat command'} of ${nameSession(lane)}`;
}

export function nameHeartbeatStep(session: SessionRef): string {
  return `The heartbeat of ${nameSession(session)}`;
}

export function nameOutboxStep(account: Account, step: OutboxStep): string {
  return `${step === 'look' ? 'The look for replies to' : 'The record of what was sent to'} ${nameAccount(account)}`;
}

export function nameReplyStep({ channel, accountId }: Omit<DeliveryTarget, 'to'>): string {
  return `A reply to ${nameAccount({ name: channel, accountId })}`;
}

export function listAccountSteps(account: Account): readonly string[] {
  const reply = nameReplyStep({ channel: account.name, accountId: account.accountId });
  return [reply, nameOutboxStep(account, 'look'), nameOutboxStep(account, 'record')];
}

/** Agents may have sessions of the same key, such as `global`. */
function nameSession({ agentId, sessionKey }: SessionRef): string {
  return parseAgentSessionKey(sessionKey) === null ? `${sessionKey} (agent ${agentId})` : sessionKey;
}

function nameAccount({ name, accountId }: Account): string {
  return `${name} (account ${accountId})`;
}

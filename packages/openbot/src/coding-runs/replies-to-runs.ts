import { hash } from 'node:crypto';
import type { MsgContext } from '@openbot/sessions';
import type { Inbox, MessageIdentity } from '../inbox/contract.ts';
import type { Outbox } from '../outbox/contract.ts';
import { addressOf, type SessionRef } from '../session-address.ts';
import { readRawBody } from '../turn/inbound/finalize-inbound-context.ts';
import { CODING_CHANNEL } from './contract.ts';
import { hasSent } from './requester.ts';
import type { RunRecords } from './run-records.ts';

/**
 * Gives a person's reply to a message of a coding run to that run, and tells the agent so. Returns the id of the run;
 * undefined when the message is no such reply. The same message is given once.
 */
export async function giveReplyToRun(
  parts: {
    readonly records: RunRecords;
    readonly inbox: Inbox;
    readonly outbox: Outbox;
    isGone(owner: string): boolean;
    now(): number;
  },
  {
    identity,
    ctx,
    ...session
  }: SessionRef & { readonly identity: MessageIdentity; readonly ctx: MsgContext },
): Promise<string | undefined> {
  const { records, inbox, outbox, isGone, now } = parts;
  const repliedTo = ctx.ReplyToIdFull ?? ctx.ReplyToId;
  const text = readRawBody(ctx).trim();
  // A command is for the bot, also as a reply.
  if (repliedTo === undefined || text === '' || text.startsWith('/')) return undefined;
  for (const run of records.list()) {
    if (run.endedAt !== undefined || run.sessionKey !== session.sessionKey || isGone(run.owner)) continue;
    if (run.requester.channel !== identity.channel || !(await hasSent(outbox, run, repliedTo))) continue;
    const { agentId, sessionKey } = session;
    const key = `coding:${run.id}:reply:${hash('sha256', JSON.stringify(identity)).slice(0, 24)}`;
    const target = { channel: CODING_CHANNEL, accountId: run.owner, to: run.id };
    await outbox.put([{ key, agentId, sessionKey, target, payload: { text }, createdAt: now() }]);
    const event = `The person replied to coding run ${run.id}, which was given the reply: ${text}`;
    await inbox.addEvent(addressOf(session), { text: event, at: now() });
    return run.id;
  }
  return undefined;
}

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
 * undefined when the message is no such reply, or has been here before. The same message is given once, also after a crash.
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
    if (run.endedAt !== undefined || !isOf(run, session) || isGone(run.owner)) continue;
    if (run.requester.channel !== identity.channel || !(await hasSent(outbox, run, repliedTo))) continue;
    if ((await inbox.find(identity)) !== undefined) return undefined;
    const { agentId, sessionKey } = session;
    const key = `coding:${run.id}:reply:${hash('sha256', JSON.stringify(identity)).slice(0, 24)}`;
    const target = { channel: CODING_CHANNEL, accountId: run.owner, to: run.id };
    await outbox.put([{ key, agentId, sessionKey, target, payload: { text }, createdAt: now() }]);
    const event = `The person replied to coding run ${run.id}, which was given the reply: ${text}`;
    // Of the time of the first try, so that a repeat is known.
    const { createdAt: at } = (await outbox.get(key)) ?? { createdAt: now() };
    await inbox.addEvent(addressOf(session), { text: event, at });
    return run.id;
  }
  return undefined;
}

function isOf(run: SessionRef, { agentId, sessionKey }: SessionRef): boolean {
  return run.agentId === agentId && run.sessionKey === sessionKey;
}

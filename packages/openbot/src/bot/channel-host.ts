import { isGroupMessage } from '@openbot/sessions/key';
import type { Channel, ChannelHost } from '../channels/contract.ts';
import { giveReplyToRun } from '../coding-runs/replies-to-runs.ts';
import { takeReceipt } from '../delivery/take-receipt.ts';
import type { MessageIdentity } from '../inbox/contract.ts';
import { laneOf } from '../queue/contract.ts';
import { NOT_ADDRESSED } from '../turn/history/group-history.ts';
import { amendContext } from './amend-context.ts';
import type { BotParts } from './bot-parts.ts';
import { REFUSED, WITHDRAWN } from './contract.ts';
import { decideArrival } from './decide-arrival.ts';
import { findReadableEntry } from './find-entry.ts';
import { OWN_CHANNELS } from './own-channels.ts';
import { isTrustedSender, takeAnswer } from './permission-questions.ts';
import { isProcessGone } from './process-name.ts';
import { pruneSometimes } from './prune-sometimes.ts';
import { routeMessage } from './route-message.ts';
import { acknowledge } from './streaming/signs.ts';

/** Keeps what a channel receives, and wakes the session that it belongs to. */
export function hostOf(
  { options, state, dispatcher, sender, desk, gate, tools, agentTools, read, channels, onDead }: BotParts,
  channel: Channel,
  hide: (text: string) => string = (text) => text,
): ChannelHost {
  const account = { channel: channel.name, accountId: channel.accountId };
  const isOwn = OWN_CHANNELS.has(channel.name);
  return {
    accept: async ({ conversationId, messageId, ctx: received, wish, mayAnswer }) => {
      channels.noteInbound(channel, tools.now());
      const identity = { ...account, conversationId, messageId };
      const route = () => routeMessage(options.config, channel, received);
      const stopped = isOwn ? undefined : await gate.stop({ identity, ctx: received, route });
      if (stopped !== undefined) {
        pruneSometimes(state, options, stopped.message.seq, tools.now());
        return { identity, ...stopped };
      }
      const { agentId, sessionKey, parentSessionKey } = route();
      const ctx =
        parentSessionKey === undefined ? received : { ParentSessionKey: parentSessionKey, ...received };
      const words = read({ identity, agentId, ctx });
      const arrival = { identity, agentId, sessionKey, ctx, wish, kind: words.kind, receivedAt: tools.now() };
      const isTrusted = mayAnswer ?? isTrustedSender(options.config, identity, ctx);
      const answer = isTrusted ? await takeAnswer({ ...tools, desk }, arrival) : undefined;
      if (answer !== undefined) {
        // It is no turn: what the group said before it is still to be read.
        const reason = `answered a question of turn ${answer.turnId}`;
        const { message, isNew } = await state.inbox.accept(arrival, { state: 'dropped', reason });
        if (isNew) await answer.settle();
        return { identity, isNew, message };
      }
      const entry = isGroupMessage(ctx)
        ? await findReadableEntry(state, options.config, { agentId, sessionKey })
        : undefined;
      // A run does what it is told, so the words of other people are ordinary messages.
      const runId = isTrusted
        ? await giveReplyToRun(
            { ...state, records: agentTools.coding.records, isGone: isProcessGone, now: tools.now },
            { agentId, sessionKey, identity, ctx },
          )
        : undefined;
      const isAddressed = decideArrival(tools, channel, ctx, entry, words).isAddressed;
      const reason =
        runId !== undefined
          ? `given to coding run ${runId}`
          : !isAddressed
            ? NOT_ADDRESSED
            : words.isRefused
              ? REFUSED
              : undefined;
      const { message, isNew } = await state.inbox.accept(
        arrival,
        reason === undefined ? undefined : { state: 'dropped', reason },
      );
      pruneSometimes(state, options, message.seq, tools.now());
      if (isNew && reason === undefined) {
        dispatcher.wake(sessionKey, agentId, laneOf(words.kind));
        if (words.kind === 'text') acknowledge(channel, options.config, message);
      }
      return { identity, isNew, message };
    },
    amend: async ({ conversationId, messageId, ctx: received }) => {
      const identity = { ...account, conversationId, messageId };
      const before = await state.inbox.find(identity);
      if (before === undefined) return;
      const { agentId } = before;
      // It waits as what it now is.
      const ctx = amendContext(before.ctx, received);
      const words = read({ identity, agentId, ctx });
      if (words.isRefused) return;
      const amended = await state.inbox.amend(identity, { ctx, kind: words.kind });
      if (amended !== undefined) dispatcher.wake(amended.sessionKey, agentId, laneOf(words.kind));
    },
    receipt: (receipt) =>
      takeReceipt(
        { outbox: state.outbox, now: tools.now, onDead, onPut: () => sender.wake() },
        channel,
        receipt,
      ),
    mayTalk: async (ctx) => isOwn || gate.mayTalk(account, ctx),
    notes: {
      read: (name) => state.notes.read(account, name),
      write: (name, text) => state.notes.write(account, name, text),
    },
    report: (message) => options.report?.({ about: 'trouble', message: hide(message) }),
  };
}

/** Takes back a message that no turn has begun. */
export async function withdraw(
  { state, options }: Pick<BotParts, 'state' | 'options'>,
  identity: MessageIdentity,
): Promise<boolean> {
  const message = await state.inbox.find(identity);
  if (message === undefined) return false;
  const end = { state: 'dropped', reason: WITHDRAWN } as const;
  const [withdrawn] = await state.inbox.move([message.seq], end, ['received', 'queued']);
  if (withdrawn === undefined) return false;
  options.observer?.onDropped([message], WITHDRAWN);
  return true;
}

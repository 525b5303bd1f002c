import type { StoredEntry } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import { resolveChannelSettings, resolveStreaming } from '../../config/channels.ts';
import type { OutboundMessage } from '../../outbox/contract.ts';
import type { TurnWork } from '../../queue/contract.ts';
import type { SessionRef } from '../../session-address.ts';
import { putReplies, targetOfReply } from '../../turn/deliver.ts';
import { isHeartbeat } from '../../turn/heartbeat/heartbeat-message.ts';
import type { BotParts } from '../bot-parts.ts';
import type { StreamPlace, TurnStream } from './contract.ts';
import { streamBlocks } from './stream-blocks.ts';
import { streamDraft } from './stream-draft.ts';

/** Undefined where the account streams nothing, or its network cannot. */
export function openStream(
  parts: Pick<BotParts, 'tools' | 'channels' | 'sender'> & {
    findEntry(session: SessionRef): Promise<StoredEntry | undefined>;
  },
  work: TurnWork,
): TurnStream | undefined {
  const { tools, channels, sender, findEntry } = parts;
  const message = work.messages.at(-1);
  if (message === undefined || isHeartbeat(message) || tools.kindOf(message) !== 'text') return undefined;
  const settings = resolveChannelSettings(tools.config, message.identity);
  const mode = resolveStreaming(settings);
  if (mode === 'off') return undefined;
  const target = targetOfReply(message);
  const channel = channels.find(target);
  if (channel === undefined) return undefined;
  const { agentId, sessionKey, turnId } = work;
  let entry: Promise<StoredEntry | undefined> | undefined;
  const place: StreamPlace = {
    tools,
    channel,
    target,
    turnId,
    isGroup: isGroupMessage(message.ctx),
    ...((settings.replyToMode ?? 'off') !== 'off' && { replyToId: message.identity.messageId }),
    put: async (key, payload) => {
      entry ??= findEntry({ agentId, sessionKey });
      const letter: OutboundMessage = {
        key,
        agentId,
        sessionKey,
        turnId,
        target,
        payload,
        createdAt: tools.now(),
      };
      const put = await putReplies(tools, work, { entry: await entry, sessionKey }, [letter]);
      sender.wake();
      return put.length > 0;
    },
  };
  if (mode === 'block') return streamBlocks(place);
  return channel.capabilities.canEdit && channel.edit !== undefined ? streamDraft(place) : undefined;
}

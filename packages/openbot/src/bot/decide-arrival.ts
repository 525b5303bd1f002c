import type { MsgContext, StoredEntry } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import type { BotConfig } from '../config/bot-config.ts';
import { resolveChannelSettings } from '../config/channels.ts';
import type { ReadMessage } from '../queue/message-kind.ts';
import {
  type Addressing,
  decideAddressing,
  resolveGroupActivation,
} from '../turn/history/group-activation.ts';
import type { MentionWords } from '../turn/words/strip-mentions.ts';

/** Whether a message gets a turn, or is only remembered as something that its group said. */
export function decideArrival(
  { config, mentions }: { readonly config: BotConfig; readonly mentions: MentionWords },
  channel: { readonly name: string; readonly accountId: string },
  ctx: MsgContext,
  entry: StoredEntry | undefined,
  { words, isCommand }: ReadMessage,
): Addressing {
  if (words.is === 'for another' && isGroupMessage(ctx)) return { isAddressed: false, why: 'not-addressed' };
  const settings = resolveChannelSettings(config, { channel: channel.name, accountId: channel.accountId });
  return decideAddressing({
    ctx,
    activation: resolveGroupActivation({ entry, groups: settings.groups, ctx }),
    mentions,
    isAuthorizedCommand: isCommand,
  });
}

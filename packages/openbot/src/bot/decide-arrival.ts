import type { MsgContext, StoredEntry } from '@openbot/sessions';
import { resolveGroupSessionKey } from '@openbot/sessions';
import { isAuthorizedSender, matchResetTrigger } from '@openbot/sessions/policy';
import type { BotConfig } from '../config/bot-config.ts';
import { kindOfMessage } from '../queue/message-kind.ts';
import {
  type Addressing,
  decideAddressing,
  type GroupSettings,
  resolveGroupActivation,
} from '../turn/history/group-activation.ts';
import { finalizeInboundContext } from '../turn/inbound/finalize-inbound-context.ts';
import type { MentionWords } from '../turn/words/strip-mentions.ts';

/** Whether a message gets a turn, or is only remembered as something that its group said. */
export function decideArrival(
  { config, mentions }: { readonly config: BotConfig; readonly mentions: MentionWords },
  channel: { readonly name: string },
  ctx: MsgContext,
  entry: StoredEntry | undefined,
): Addressing {
  const settings: { allowFrom?: readonly (string | number)[]; groups?: GroupSettings } =
    config.channels?.[channel.name] ?? {};
  return decideAddressing({
    ctx,
    activation: resolveGroupActivation({
      entry,
      groups: settings.groups,
      groupId: resolveGroupSessionKey(ctx)?.id,
    }),
    mentions,
    isAuthorizedCommand: isCommand(config, finalizeInboundContext(ctx, mentions), settings.allowFrom),
  });
}

/** A reset or a stop, from a sender who may give them. */
function isCommand(
  config: BotConfig,
  ctx: MsgContext,
  allowFrom: readonly (string | number)[] | undefined,
): boolean {
  const { resetTriggers: triggers } = config.session ?? {};
  if (kindOfMessage({ ctx }, { triggers, allowFrom }) === 'stop') return true;
  const authorized = isAuthorizedSender({ ctx, allowFrom });
  const body = ctx.BodyForCommands ?? '';
  return matchResetTrigger({ body, triggers, authorized, botUsername: ctx.BotUsername }) !== null;
}

import type { MsgContext } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import { mayCommand } from '../access/senders.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import { listMedia } from '../media/media-fields.ts';
import { readRawBody } from './inbound/finalize-inbound-context.ts';

/**
 * The messages of a turn as one. The last one says where it came from and what the answer is for; what the agent reads of
 * the earlier ones comes before it in the prompt, see `writePrompt`.
 */
export function mergeMessages(
  messages: readonly InboxMessage[],
  config: Pick<BotConfig, 'channels' | 'commands'> = {},
): MsgContext {
  const contexts = messages.map(({ ctx }) => ctx);
  const last = contexts.at(-1)!;
  if (contexts.length === 1) return last;
  // Words of several people give no command that one of them may not give.
  const areAllAllowed = messages.every(({ ctx, identity }) => mayCommand(config, identity, ctx));
  const starter = contexts.find(({ ThreadStarterBody }) => ThreadStarterBody)?.ThreadStarterBody;
  const untrusted = contexts.flatMap(({ UntrustedContext = [] }) => UntrustedContext);
  return {
    ...last,
    ...(!isGroupMessage(last) && mergeTexts(contexts)),
    ...(!areAllAllowed && { CommandAuthorized: false }),
    MessageSids: messages.map(({ identity }) => identity.messageId),
    ...(starter !== undefined && { ThreadStarterBody: starter }),
    ...(untrusted.length > 0 && { UntrustedContext: untrusted }),
    ...mergeMedia(contexts),
  };
}

/** A command is never merged with other messages: what looks like one in the middle is not meant. */
function mergeTexts(contexts: readonly MsgContext[]): MsgContext {
  const last = contexts.at(-1)!;
  const text = contexts.map(readRawBody).join('\n\n');
  return {
    Body: text,
    RawBody: text,
    BodyForAgent: last.BodyForAgent ?? readRawBody(last),
    CommandBody: text,
    BodyForCommands: text,
  };
}

/** One entry for each file in every list, so that path, address and type of a file have the same place. */
function mergeMedia(contexts: readonly MsgContext[]): MsgContext {
  const files = contexts.flatMap(listMedia);
  const missing = contexts.flatMap(({ MediaMissing = [] }) => MediaMissing);
  const [first] = files;
  return {
    ...(missing.length > 0 && { MediaMissing: missing }),
    ...(first && {
      MediaPath: first.path,
      MediaUrl: first.url,
      MediaType: first.type,
      MediaPaths: files.map(({ path }) => path),
      MediaUrls: files.map(({ url }) => url),
      MediaTypes: files.map(({ type }) => type),
    }),
  };
}

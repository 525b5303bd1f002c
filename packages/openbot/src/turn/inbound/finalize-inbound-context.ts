import type { MsgContext } from '@openbot/sessions';
import { isGroupMessage, normalizeChatType } from '@openbot/sessions/key';
import { plainSlashes } from '../../chat-commands/plain-slashes.ts';
import { cleanText } from '../words/clean-text.ts';
import { normalizeInboundTextNewlines } from '../words/normalize-inbound-text-newlines.ts';
import { type MentionWords, stripAddress, stripMentions } from '../words/strip-mentions.ts';
import { stripStructuralPrefixes } from '../words/strip-structural-prefixes.ts';

/** A message that has all variants of its text. `BodyStripped` follows when the session is known. */
export type FinalizedContext = MsgContext &
  Required<Pick<MsgContext, 'Body' | 'RawBody' | 'CommandBody' | 'BodyForAgent' | 'BodyForCommands'>>;

/**
 * Gives a message one kind of line end, a chat type in our spelling and all variants of its text. An adapter gives one
 * or more of them; each missing one is derived from the first that is there:
 *
 * - RawBody: see `readRawBody`
 * - Body, BodyForAgent, CommandBody: RawBody. The agent gets the clean words of the sender; a Body with structure is not
 *   used for it, because the runtime writes the structure and cannot tell an adapter's from a sender's
 * - BodyForCommands: CommandBody without structure, with plain slashes, and without the words that address the agent: in
 *   groups all of them, elsewhere its name in front
 */
export function finalizeInboundContext(ctx: MsgContext, mentions: MentionWords = {}): FinalizedContext {
  // Adapters give several variants of one text, and it may be long.
  const read = new Map<string, string>();
  const readText = (value: unknown) => {
    if (typeof value !== 'string') return undefined;
    const text = read.get(value) ?? cleanText(normalizeInboundTextNewlines(value));
    read.set(value, text);
    return text;
  };
  const given = {
    Body: readText(ctx.Body),
    RawBody: readText(ctx.RawBody),
    CommandBody: readText(ctx.CommandBody),
    BodyForAgent: readText(ctx.BodyForAgent),
    BodyForCommands: readText(ctx.BodyForCommands),
  };
  const raw = readText(readRawBody(ctx)) ?? '';
  const commandBody = given.CommandBody ?? raw;
  const chatType = normalizeChatType(ctx.ChatType) ?? guessChatType(ctx);
  return {
    ...ctx,
    ...(chatType !== undefined && { ChatType: chatType }),
    Body: given.Body ?? raw,
    RawBody: raw,
    CommandBody: commandBody,
    BodyForAgent: given.BodyForAgent ?? raw,
    BodyForCommands: plainSlashes(
      given.BodyForCommands ??
        stripStructuralPrefixes(
          isGroupMessage(ctx)
            ? stripMentions(commandBody, { botUsername: ctx.BotUsername, ...mentions })
            : stripAddress(commandBody, ctx.BotUsername),
        ),
    ),
  };
}

/**
 * What a person wrote, as it came: the first of RawBody, CommandBody, BodyForAgent, Body, BodyForCommands, the transcript
 * of a voice message, which may come with an empty text; nothing when there is none.
 */
export function readRawBody(ctx: MsgContext): string {
  const { RawBody, CommandBody, BodyForAgent, Body, BodyForCommands, Transcript } = ctx;
  const variants = [RawBody, CommandBody, BodyForAgent, Body, BodyForCommands];
  const written = variants.find((text) => typeof text === 'string') ?? '';
  return written === '' && typeof Transcript === 'string' ? Transcript : written;
}

function guessChatType(ctx: MsgContext): 'group' | 'channel' | undefined {
  if (!isGroupMessage(ctx)) return undefined;
  return ctx.From?.toLowerCase().includes(':channel:') ? 'channel' : 'group';
}

import type { MsgContext } from '@openbot/sessions';
import type { ChannelPlace } from './channel-book.ts';
import type { WireMessage, WireUser } from './wire-message.ts';

export interface MessageScene {
  readonly self: WireUser;
  readonly accountId: string;
  readonly place: ChannelPlace;
  /** Roles of the bot in the guild. */
  readonly ownRoles: readonly string[];
  /** It was pressed or chosen from the menu, and so is for the bot. */
  readonly isNative?: boolean;
}

/** The fields that OpenClaw gives a message of Discord. A thread is one of the channel that it was started in. */
export function buildContext(message: WireMessage, scene: MessageScene): MsgContext {
  const { author } = message;
  const { self, accountId, place, isNative = false } = scene;
  const own = nameMentions(message.text, message.mentions, self);
  const body = message.forwarded === undefined ? own : joinForward(own, message.forwarded);
  return {
    Body: body,
    RawBody: body,
    CommandBody: own,
    BodyForCommands: own,
    CommandSource: isNative ? 'native' : 'text',
    AccountId: accountId,
    Provider: 'discord',
    Surface: 'discord',
    OriginatingChannel: 'discord',
    MessageSid: message.id,
    ...(message.at !== undefined && { Timestamp: message.at }),
    SenderId: author.id,
    SenderName: author.name,
    SenderUsername: author.username,
    SenderTag: author.username,
    BotUsername: self.username,
    ...describeReply(message, self),
    ...(place.kind === 'direct' ? describeDirect(author) : describeChannel(message, scene)),
  };
}

function describeDirect({ id, username }: WireUser): MsgContext {
  return {
    ChatType: 'direct',
    From: `discord:${id}`,
    To: `user:${id}`,
    OriginatingTo: `user:${id}`,
    ConversationLabel: `${username} user id:${id}`,
  };
}

function describeChannel(
  message: WireMessage,
  { self, place, ownRoles, isNative }: MessageScene,
): MsgContext {
  const home = place.parent ?? place;
  const name = home.name === undefined ? undefined : `#${home.name}`;
  const isForBot =
    isNative === true ||
    message.mentions.has(self.id) ||
    message.reply?.author?.id === self.id ||
    message.mentionedRoles.some((role) => ownRoles.includes(role));
  return {
    ChatType: 'channel',
    From: `discord:channel:${home.id}`,
    To: `channel:${home.id}`,
    OriginatingTo: `channel:${home.id}`,
    ConversationLabel: [place.guildName, name, `channel id:${home.id}`].filter(Boolean).join(' '),
    ...(name !== undefined && { GroupSubject: name, GroupChannel: name }),
    ...(place.guildId !== undefined && { GroupSpace: place.guildId }),
    ...(message.roles !== undefined && { SenderRoles: [...message.roles] }),
    WasMentioned: isForBot,
    ...(place.parent !== undefined && {
      MessageThreadId: place.id,
      ThreadLabel: ['Discord thread', name, place.name && `› ${place.name}`].filter(Boolean).join(' '),
      ...(home.isForum && { IsForum: true }),
    }),
  };
}

function describeReply({ reply }: WireMessage, self: WireUser): MsgContext {
  if (reply === undefined) return {};
  const { id, text, author } = reply;
  return {
    ReplyToId: id,
    ...(text !== undefined && { ReplyToBody: text }),
    ...(author !== undefined && { ReplyToSender: nameOther(author, self) }),
  };
}

/** Whether a message answers the bot is told by this name, so another person must not have it. */
function nameOther(author: WireUser, self: WireUser): string {
  if (author.id === self.id) return self.username;
  return author.name.replace(/^@/, '').toLowerCase() === self.username.toLowerCase()
    ? `${author.name} (${author.id})`
    : author.name;
}

/** People read `@Ada`; Discord writes `<@123>`. The bot itself is named as it is mentioned elsewhere. */
function nameMentions(text: string, mentions: ReadonlyMap<string, string>, self: WireUser): string {
  return text.replace(/<@!?(\d{1,20})>/g, (written, id: string) => {
    const name = id === self.id ? self.username : mentions.get(id);
    return name === undefined ? written : `@${name}`;
  });
}

function joinForward(own: string, forwarded: string): string {
  return `${own === '' ? '' : `${own}\n\n`}[Forwarded message]\n${forwarded}`.trim();
}

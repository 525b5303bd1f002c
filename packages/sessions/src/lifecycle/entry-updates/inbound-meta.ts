import { isJsonObject } from '../../entry/json-object.ts';
import type { SessionEntry, SessionOrigin } from '../../entry/session-entry.ts';
import { type GroupKeyResolution, isGroupMessage, resolveGroupSessionKey } from '../../key/group.ts';
import { isKeyText, MAX_SESSION_KEY_LENGTH } from '../../key/key-text.ts';
import { isGroupType, normalizeChatType } from '../../message/chat-type.ts';
import type { MsgContext } from '../../message/msg-context.ts';

const MAX_NAME_LENGTH = 200;

/** As we keep it: with `from` as the network gave it, neither trimmed nor cut. Absent in entries of former versions. */
export interface ExactOrigin extends SessionOrigin {
  exactFrom?: string;
}

/** The address of the sender that an entry names, letter for letter. Undefined where it may have been another one. */
export function readExactFrom({ from, exactFrom }: Readonly<ExactOrigin>): string | undefined {
  if (typeof from !== 'string') return undefined;
  if (typeof exactFrom === 'string' && readName(exactFrom) === from) return exactFrom;
  // Trimmed, too: an id that ends in spaces gives up the session that it shared with the id without them.
  return from.length < MAX_NAME_LENGTH ? from : undefined;
}

/** What a message tells about its conversation, to be merged into the entry. What it does not tell stays as it was. */
export function deriveSessionMeta(
  ctx: MsgContext,
  existing: Readonly<SessionEntry> | undefined,
  groupResolution?: GroupKeyResolution | null,
): Partial<SessionEntry> {
  const group = groupResolution ?? resolveGroupSessionKey(ctx);
  const said = readChatType(ctx, existing);
  const chatType = said ?? group?.chatType;
  const origin = mergeOrigin(existing?.origin, deriveOrigin(ctx, said));
  return {
    ...(chatType === undefined ? {} : { chatType }),
    ...(group ? deriveGroup(ctx, existing, group) : {}),
    ...(origin === undefined ? {} : { origin }),
  };
}

/** A message without a sender, such as one of the owner at the machine, does not make a private chat of a group. */
function readChatType(
  ctx: MsgContext,
  existing: Readonly<SessionEntry> | undefined,
): SessionEntry['chatType'] {
  const chatType = normalizeChatType(ctx.ChatType);
  const known = normalizeChatType(existing?.chatType);
  return chatType === 'direct' && isGroupType(known) && readName(ctx.From) === undefined ? known : chatType;
}

/** The channel that a message came in by. */
export function readMessageChannel(ctx: MsgContext): string | undefined {
  const channel = [ctx.OriginatingChannel, ctx.Surface, ctx.Provider].map(readName).find((name) => name);
  return channel?.toLowerCase();
}

function deriveOrigin(ctx: MsgContext, chatType: SessionOrigin['chatType']): ExactOrigin {
  const threadId = ctx.MessageThreadId;
  return withoutGaps({
    label: readConversationName(ctx),
    provider: readMessageChannel(ctx),
    surface: readName(ctx.Surface)?.toLowerCase(),
    chatType,
    from: readName(ctx.From),
    exactFrom: readAddress(ctx.From),
    to: readName(ctx.OriginatingTo) ?? readName(ctx.To),
    accountId: readName(ctx.AccountId),
    threadId: typeof threadId === 'number' ? threadId : readName(threadId),
  });
}

function mergeOrigin(before: SessionOrigin | undefined, now: SessionOrigin): SessionOrigin | undefined {
  const merged: SessionOrigin = { ...(isJsonObject(before) ? before : {}), ...now };
  return Object.keys(merged).length === 0 ? undefined : merged;
}

function deriveGroup(
  ctx: MsgContext,
  existing: Readonly<SessionEntry> | undefined,
  group: GroupKeyResolution,
): Partial<SessionEntry> {
  const given = readName(ctx.GroupSubject);
  const groupChannel = readName(ctx.GroupChannel) ?? (given?.startsWith('#') ? given : undefined);
  const subject = groupChannel === undefined ? given : undefined;
  const space = readName(ctx.GroupSpace);
  const known = { ...existing, ...withoutGaps({ subject, groupChannel, space }) };
  const name =
    known.groupChannel === undefined
      ? (known.subject ?? known.space)
      : [known.space, known.groupChannel].filter((part) => part !== undefined).join(' ');
  // A name is not replaced by the bare id.
  const displayName =
    name === undefined && existing?.displayName !== undefined
      ? undefined
      : `${group.channel}:${name ?? group.id}`;
  return {
    chatType: group.chatType,
    channel: group.channel,
    groupId: group.id,
    ...withoutGaps({ subject, groupChannel, space, displayName }),
  };
}

function readConversationName(ctx: MsgContext): string | undefined {
  const label = readName(ctx.ConversationLabel);
  if (label !== undefined) return label;
  const names = isGroupMessage(ctx)
    ? [ctx.GroupChannel, ctx.GroupSubject, ctx.GroupSpace]
    : [ctx.SenderName, ctx.SenderUsername, ctx.From];
  return names.map(readName).find((name) => name !== undefined);
}

/** Names come from strangers: one line, no control characters, not endless. */
function readName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value.slice(0, 4 * MAX_NAME_LENGTH).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  const name = line.toWellFormed().trim().slice(0, MAX_NAME_LENGTH).toWellFormed();
  return name === '' ? undefined : name;
}

function readAddress(value: unknown): string | undefined {
  const isAddress = typeof value === 'string' && value.trim() !== '' && isKeyText(value);
  return isAddress && value.length <= MAX_SESSION_KEY_LENGTH ? value : undefined;
}

function withoutGaps<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

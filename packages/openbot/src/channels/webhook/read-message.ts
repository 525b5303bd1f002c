import { type MsgContext, OpenBotError } from '@openbot/sessions';
import { type Json, readId, readName, readObject, readObjects, readText } from '../http/hostile-json.ts';

export const WEBHOOK = 'webhook';

/** A file of a message: where it is, or its bytes. */
export type PostedFile = { readonly type?: string; readonly name?: string } & (
  | { readonly url: string }
  | { readonly bytes: Uint8Array }
);

export interface PostedMessage {
  readonly conversationId: string;
  readonly messageId: string;
  readonly ctx: MsgContext;
  readonly files: readonly PostedFile[];
}

const LONGEST_ID = 256;
const MOST_FILES = 20;

/** Throws INVALID_ARGUMENT with what is wrong: the sender is a program whose author reads it. */
export function readPostedMessage(body: unknown, accountId: string): PostedMessage {
  const message = readObject(body) ?? refuse('The body must be a JSON object.');
  const sender = readObject(message.sender) ?? {};
  const messageId = needId(message, 'id');
  const senderId = needId(sender, 'id', 'sender.id');
  const conversation = message.conversation === undefined ? senderId : needId(message, 'conversation');
  const chatType = readChatType(message.chatType);
  if (chatType !== 'direct' && message.conversation === undefined) {
    refuse('A message of a group needs a conversation.');
  }
  const threadId = message.threadId === undefined ? undefined : needId(message, 'threadId');
  const files = readFiles(message.media);
  const text = readBody(message.text, files);
  const name = readName(sender.name);
  const subject = readName(message.subject);
  return {
    conversationId: [conversation, threadId]
      .filter((id) => id !== undefined)
      .map(escapeId)
      .join('#'),
    messageId,
    files,
    ctx: {
      Body: text,
      RawBody: text,
      CommandBody: text,
      From: chatType === 'direct' ? `${WEBHOOK}:${senderId}` : `${WEBHOOK}:${chatType}:${conversation}`,
      To: `${WEBHOOK}:${accountId}`,
      AccountId: accountId,
      ChatType: chatType,
      Provider: WEBHOOK,
      Surface: WEBHOOK,
      OriginatingChannel: WEBHOOK,
      OriginatingTo: `${WEBHOOK}:${conversation}`,
      ConversationLabel: subject ?? (chatType === 'direct' ? (name ?? senderId) : conversation),
      SenderId: senderId,
      ...(name && { SenderName: name }),
      ...(chatType !== 'direct' && { WasMentioned: message.mentioned === true }),
      ...(chatType !== 'direct' && subject && { GroupSubject: subject }),
      ...(threadId && { MessageThreadId: threadId }),
      MessageSid: messageId,
      ...readTime(message.timestamp),
      ...readReply(message.replyTo),
    },
  };
}

/** So that the conversation `a#b` is another one than thread `b` of `a`. */
function escapeId(id: string): string {
  return id.replace(/[%#]/g, encodeURIComponent);
}

function refuse(message: string): never {
  throw new OpenBotError('INVALID_ARGUMENT', message);
}

function needId(from: Json, field: string, path = field): string {
  return (
    readId(from[field], LONGEST_ID) ??
    refuse(
      `${path} must be text or a whole number, at most ${LONGEST_ID} characters, without control characters.`,
    )
  );
}

function readChatType(value: unknown): 'direct' | 'group' | 'channel' {
  if (value === undefined) return 'direct';
  if (value === 'direct' || value === 'group' || value === 'channel') return value;
  return refuse('chatType must be direct, group or channel.');
}

function readBody(value: unknown, files: readonly PostedFile[]): string {
  if (value !== undefined && typeof value !== 'string') refuse('text must be text.');
  if (value !== undefined && value !== '') return value as string;
  const [first] = files;
  if (first === undefined) refuse('A message needs a text or a file.');
  const kind = /^(image|audio|video)\//.exec(first.type ?? '')?.[1] ?? 'document';
  return `<media:${kind}>`;
}

/** Milliseconds since 1970, or a date in text. */
function readTime(value: unknown): { Timestamp?: number } {
  if (value === undefined) return {};
  const ms = typeof value === 'number' ? value : Date.parse(String(value));
  return Number.isFinite(ms) ? { Timestamp: ms } : refuse('timestamp must be milliseconds or an ISO date.');
}

function readReply(value: unknown): Pick<MsgContext, 'ReplyToId' | 'ReplyToBody' | 'ReplyToSender'> {
  if (value === undefined) return {};
  const reply = readObject(value);
  if (reply === undefined) return { ReplyToId: needId({ replyTo: value }, 'replyTo') };
  const [text, sender] = [readText(reply.text), readName(reply.sender)];
  return {
    ReplyToId: needId(reply, 'id', 'replyTo.id'),
    ...(text && { ReplyToBody: text }),
    ...(sender && { ReplyToSender: sender }),
  };
}

function readFiles(value: unknown): PostedFile[] {
  if (value === undefined) return [];
  const files = readObjects(value);
  if (!Array.isArray(value) || files.length !== value.length) refuse('media must be a list of objects.');
  if (files.length > MOST_FILES) refuse(`A message has at most ${MOST_FILES} files.`);
  return files.map(({ url, data, type, name }) => {
    const about = { type: readName(type), name: readName(name) };
    // Not a path: those are for what the agent sends.
    if (typeof url === 'string' && /^https?:\/\//i.test(url)) return { ...about, url };
    if (typeof data === 'string') return { ...about, bytes: Buffer.from(data, 'base64') };
    return refuse('A file needs a url (http or https) or data (base64).');
  });
}

import { type Json, readObject as readJsonObject } from '../../http/hostile-json.ts';
import { isId } from '../snowflake.ts';

/** A message as Discord tells it, once nothing of it need be doubted but its words. */
export interface WireMessage {
  readonly id: string;
  readonly channelId: string;
  readonly guildId?: string;
  readonly author: WireUser;
  readonly text: string;
  /** ms. Absent where it was not said. */
  readonly at?: number;
  readonly isEdited: boolean;
  /** Names by id. */
  readonly mentions: ReadonlyMap<string, string>;
  readonly mentionedRoles: readonly string[];
  /** Roles of the author in the guild. Absent where it was not said. */
  readonly roles?: readonly string[];
  readonly files: readonly WireFile[];
  /** The message that this one answers. */
  readonly reply?: { readonly id: string; readonly text?: string; readonly author?: WireUser };
  /** What the message passes on. */
  readonly forwarded?: string;
  readonly nonce?: string;
}

export interface WireUser {
  readonly id: string;
  /** For people to read. */
  readonly name: string;
  readonly username: string;
  readonly isBot: boolean;
}

export interface WireFile {
  readonly id: string;
  readonly url: string;
  readonly name?: string;
  readonly type?: string;
  /** As Discord says. */
  readonly size: number;
}

/** Said by a person, and a reply. All others tell of something, such as of a member who joined. */
const SPOKEN = [0, 19];
const FORWARD = 1;
/** Longer lists are of no use to anybody. */
const MOST_MENTIONS = 100;
const MOST_FILES = 10;

export function readWireMessage(raw: unknown): WireMessage | undefined {
  const { id, channel_id, guild_id, author, member, type, webhook_id, ...rest } = readObject(raw);
  const user = readUser(author, member);
  if (!isId(id) || !isId(channel_id) || user === undefined) return undefined;
  if (type !== undefined && !SPOKEN.includes(Number(type))) return undefined;
  const { roles } = readObject(member);
  const at = Date.parse(String(rest.timestamp));
  return {
    id,
    channelId: channel_id,
    ...(isId(guild_id) && { guildId: guild_id }),
    author: webhook_id === undefined ? user : { ...user, isBot: true },
    text: joinTexts(readText(rest.content), readStickers(rest.sticker_items)),
    ...(Number.isFinite(at) && { at }),
    isEdited: typeof rest.edited_timestamp === 'string',
    mentions: readMentions(rest.mentions),
    mentionedRoles: readList(rest.mention_roles).slice(0, MOST_MENTIONS).filter(isId),
    ...(Array.isArray(roles) && { roles: roles.filter(isId) }),
    ...withForward(readFiles(rest.attachments), readReference(rest)),
    ...(typeof rest.nonce === 'string' && { nonce: rest.nonce }),
  };
}

export function readUser(raw: unknown, member?: unknown): WireUser | undefined {
  const { id, username, global_name, bot } = readObject(raw);
  if (!isId(id)) return undefined;
  const handle = readName(username) || id;
  const name = readName(readObject(member).nick) || readName(global_name) || handle;
  return { id, name, username: handle, isBot: bot === true };
}

/** Files that are passed on are files of the message. */
function withForward(
  own: readonly WireFile[],
  { files = [], ...reference }: ReturnType<typeof readReference>,
): Pick<WireMessage, 'files' | 'reply' | 'forwarded'> {
  return { files: [...own, ...files].slice(0, MOST_FILES), ...reference };
}

function readReference(
  message: Record<string, unknown>,
): Pick<WireMessage, 'reply' | 'forwarded'> & { readonly files?: readonly WireFile[] } {
  const { message_reference, referenced_message, message_snapshots } = message;
  const { message_id, type } = readObject(message_reference);
  if (type === FORWARD) {
    const [first] = readList(message_snapshots);
    const { content, attachments, sticker_items } = readObject(readObject(first).message);
    const forwarded = joinTexts(readText(content), readStickers(sticker_items));
    const files = readFiles(attachments);
    return forwarded === '' && files.length === 0 ? {} : { forwarded, files };
  }
  if (!isId(message_id)) return {};
  const { content, author } = readObject(referenced_message);
  const text = readText(content);
  return { reply: { id: message_id, ...(text !== '' && { text }), author: readUser(author) } };
}

function readMentions(raw: unknown): ReadonlyMap<string, string> {
  const users = readList(raw)
    .slice(0, MOST_MENTIONS)
    .flatMap((user) => readUser(user, readObject(user).member) ?? []);
  return new Map(users.map(({ id, name }) => [id, name]));
}

function readFiles(raw: unknown): readonly WireFile[] {
  return readList(raw)
    .slice(0, MOST_FILES)
    .flatMap((one) => {
      const { id, url, filename, content_type, size } = readObject(one);
      if (typeof url !== 'string' || !URL.canParse(url)) return [];
      const name = readName(filename);
      return [
        {
          id: isId(id) ? id : '',
          url,
          ...(name !== '' && { name }),
          ...(typeof content_type === 'string' && { type: readName(content_type) }),
          size: typeof size === 'number' && size >= 0 ? size : 0,
        },
      ];
    });
}

function readStickers(raw: unknown): string {
  const names = readList(raw)
    .slice(0, 3)
    .map((sticker) => readName(readObject(sticker).name));
  return names.map((name) => `[sticker: ${name || 'without a name'}]`).join(' ');
}

function joinTexts(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** Nothing where it is no object: most fields of Discord are absent for a reason. */
export function readObject(raw: unknown): Json {
  return readJsonObject(raw) ?? {};
}

export function readList(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? raw : [];
}

const CONTROLS = /[\p{Cc}--[\t\n]]/gv;
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;
const LONGEST_NAME = 100;

/** What a person wrote, without characters that only terminals obey. */
export function readText(raw: unknown): string {
  return typeof raw === 'string' ? raw.replaceAll('\r\n', '\n').replace(CONTROLS, '').toWellFormed() : '';
}

/** A name that a person chose: on one line, in the direction in which it is read, and not endless. */
export function readName(raw: unknown): string {
  if (typeof raw !== 'string') return '';
  return [...raw.slice(0, 4 * LONGEST_NAME).replace(HIDDEN, '')]
    .slice(0, LONGEST_NAME)
    .join('')
    .toWellFormed()
    .trim();
}

import { isId } from '../snowflake.ts';
import { readList, readObject, readText, readUser, type WireMessage } from './wire-message.ts';

/** A command that was chosen from the menu, or a button that was pressed, as the message that it stands for. */
export interface WireInteraction {
  readonly message: WireMessage;
  readonly token: string;
  readonly kind: 'command' | 'button';
}

const COMMAND = 2;
const COMPONENT = 3;
/** In front of the word of an answer, in the id of a button. */
export const ANSWER_PREFIX = 'openbot:';
/** The one option of a command. */
export const TEXT_OPTION = 'text';

export function readWireInteraction(raw: unknown): WireInteraction | undefined {
  const { id, token, type, data, channel_id, guild_id, member, user, message } = readObject(raw);
  const author = readUser(readObject(member).user ?? user, member);
  if (!isId(id) || !isId(channel_id) || typeof token !== 'string' || author === undefined) return undefined;
  const kind = type === COMMAND ? 'command' : type === COMPONENT ? 'button' : undefined;
  const text = kind === 'command' ? readCommand(data) : kind === 'button' ? readAnswer(data) : undefined;
  if (kind === undefined || text === undefined) return undefined;
  const { roles } = readObject(member);
  return {
    kind,
    token,
    message: {
      id,
      channelId: channel_id,
      ...(isId(guild_id) && { guildId: guild_id }),
      author,
      text,
      isEdited: false,
      mentions: new Map(),
      mentionedRoles: [],
      ...(Array.isArray(roles) && { roles: roles.filter(isId) }),
      files: [],
      ...(kind === 'button' && readPressed(message)),
    },
  };
}

function readCommand(data: unknown): string | undefined {
  const { name, options } = readObject(data);
  if (typeof name !== 'string' || name === '') return undefined;
  const option = readList(options)
    .map(readObject)
    .find((one) => one.name === TEXT_OPTION);
  const text = readText(option?.value).trim();
  return text === '' ? `/${readText(name)}` : `/${readText(name)} ${text}`;
}

function readAnswer(data: unknown): string | undefined {
  const { custom_id } = readObject(data);
  if (typeof custom_id !== 'string' || !custom_id.startsWith(ANSWER_PREFIX)) return undefined;
  return custom_id.slice(ANSWER_PREFIX.length);
}

/** The message that the button is on is what is answered. */
function readPressed(raw: unknown): Pick<WireMessage, 'reply'> {
  const { id, content, author } = readObject(raw);
  return isId(id) ? { reply: { id, text: readText(content), author: readUser(author) } } : {};
}

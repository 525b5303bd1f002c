import { type Json, readId, readName, readObject, readObjects, readText } from '../http/hostile-json.ts';
import { ANSWER_PREFIX } from './plan-parts.ts';
import type { ArrivedMessage } from './read-webhook.ts';

/** A file that is still at WhatsApp. */
export interface RemoteFile {
  readonly id: string;
  readonly type?: string;
  readonly name?: string;
}

export interface MessageContent {
  readonly text: string;
  readonly file?: RemoteFile;
  readonly replyToId?: string;
  readonly isForwarded: boolean;
}

/** Of a list in a message that anyone may have made. */
const MOST_ITEMS = 20;

/** What a message says, in words where it is not a text. Undefined for one that says nothing: a reaction that was taken back. */
export function readContent({ type, fields }: ArrivedMessage): MessageContent | undefined {
  const context = readObject(fields.context);
  const isForwarded = context?.forwarded === true || context?.frequently_forwarded === true;
  const own = readObject(fields[type]) ?? {};
  const base = { replyToId: readId(context?.id), isForwarded };
  switch (type) {
    case 'text':
      return { ...base, text: readText(own.body) ?? '' };
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
    case 'sticker':
      return { ...base, ...readFile(type, own) };
    case 'location':
      return { ...base, text: describeLocation(own) };
    case 'contacts':
      return { ...base, text: describeContacts(readObjects(fields.contacts)) };
    case 'reaction': {
      const emoji = readName(own.emoji);
      const replyToId = readId(own.message_id);
      return emoji === undefined ? undefined : { ...base, replyToId, text: `(reacted with ${emoji})` };
    }
    case 'button':
      return { ...base, text: readText(own.text) ?? readText(own.payload) ?? '' };
    case 'interactive':
      return { ...base, text: readPressed(own) };
    default:
      return { ...base, text: `(a message of the kind "${type}", which WhatsApp does not show to programs)` };
  }
}

function readFile(kind: string, own: Json): { text: string; file?: RemoteFile } {
  const id = readId(own.id);
  const text = readText(own.caption) ?? `<media:${kind}>`;
  return {
    text,
    ...(id !== undefined && { file: { id, type: readName(own.mime_type), name: readName(own.filename) } }),
  };
}

/** Pressed answers to a question of ours arrive as their word. */
function readPressed(own: Json): string {
  const pressed = readObject(own.button_reply) ?? readObject(own.list_reply) ?? {};
  const id = readText(pressed.id);
  if (id?.startsWith(ANSWER_PREFIX)) return id.slice(ANSWER_PREFIX.length);
  return readText(pressed.title) ?? id ?? '(an interactive message)';
}

function describeLocation({ latitude, longitude, name, address }: Json): string {
  const place = [Number(latitude), Number(longitude)].map((degrees) =>
    Number.isFinite(degrees) ? degrees.toFixed(6).replace(/\.?0+$/, '') : '?',
  );
  return `(location: ${[place.join(', '), readName(name), readName(address)].filter(Boolean).join('; ')})`;
}

function describeContacts(contacts: readonly Json[]): string {
  const lines = contacts.slice(0, MOST_ITEMS).map(({ name, phones, emails }) => {
    const numbers = readObjects(phones).map(({ phone }) => readName(phone));
    const addresses = readObjects(emails).map(({ email }) => readName(email));
    const parts = [
      readName(readObject(name)?.formatted_name),
      ...[...numbers, ...addresses].slice(0, MOST_ITEMS),
    ];
    return `(contact: ${parts.filter(Boolean).join(', ') || 'without a name'})`;
  });
  const more = contacts.length - lines.length;
  return [...lines, ...(more > 0 ? [`(${more} more contacts)`] : [])].join('\n') || '(a contact)';
}

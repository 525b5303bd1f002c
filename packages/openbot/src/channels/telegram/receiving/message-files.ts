import type { ChannelMedia } from '../../contract.ts';
import { type Json, readObject, readObjects } from '../../http/hostile-json.ts';
import { readInteger, readName, readText } from '../read-json.ts';

/** A file of a message, as Telegram tells of it. */
export interface TelegramFile {
  readonly id: string;
  readonly name?: string;
  readonly type?: string;
  /** What Telegram says. It need not be true. */
  readonly size?: number;
}

/** What they are where Telegram does not say: it makes them itself. */
const TYPES: Readonly<Record<string, string>> = {
  voice: 'audio/ogg',
  video_note: 'video/mp4',
  photo: 'image/jpeg',
};

/** The file of a message: Telegram has one in each. Of a photo the largest that is not above the limit. */
export function findFile(message: Json, media: Pick<ChannelMedia, 'maxBytes'>): TelegramFile | undefined {
  const sizes = readObjects(message.photo).toSorted((a, b) => area(b) - area(a));
  const photo =
    sizes.find(({ file_size }) => (readInteger(file_size) ?? 0) <= media.maxBytes) ?? sizes.at(-1);
  if (photo !== undefined) return describe('photo', photo);
  const sticker = readObject(message.sticker);
  // Others are programs of drawings, which no model can see.
  if (sticker !== undefined)
    return sticker.is_animated === true || sticker.is_video === true
      ? undefined
      : describe('sticker', { ...sticker, mime_type: 'image/webp' });
  for (const field of ['animation', 'video', 'video_note', 'voice', 'audio', 'document']) {
    const file = readObject(message[field]);
    if (file !== undefined) return describe(field, file);
  }
  return undefined;
}

function describe(field: string, file: Json): TelegramFile | undefined {
  const id = readText(file.file_id);
  const name = readName(file.file_name);
  const type = readText(file.mime_type) ?? TYPES[field];
  const size = readInteger(file.file_size);
  if (id === undefined) return undefined;
  return {
    id,
    ...(name !== undefined && { name }),
    ...(type !== undefined && { type: type.slice(0, 100) }),
    ...(size !== undefined && { size }),
  };
}

function area({ width, height }: Json): number {
  return (readInteger(width) ?? 0) * (readInteger(height) ?? 0);
}

import { basename } from 'node:path';
import type { MsgContext } from '@openbot/sessions';
import { listMedia, type MessageMedia } from '../../media/media-fields.ts';
import { isImageType, type PromptImage, readImage } from '../../media/read-image.ts';
import { MEDIA_NOT_RECEIVED_PREFIX, MEDIA_PREFIX } from '../words/markers.ts';

/** Of one message. What is beyond is named, and can be read by a tool. */
const MOST_IMAGES = 10;
/** Characters of base64: a request of some 30 MB is refused by providers, and the conversation has other images. */
const MOST_DATA = 12 * 1024 * 1024;

export interface ShownMedia {
  readonly images: readonly PromptImage[];
  /** Lines that name the files of the message; empty when it has none. */
  readonly note: string;
}

/** What the model is given of the files of a message: the images that it can see, and the names of all. */
export async function showMedia(
  stateDir: string,
  ctx: MsgContext,
  { seesImages = false }: { readonly seesImages?: boolean },
): Promise<ShownMedia> {
  const files = listMedia(ctx);
  const images: PromptImage[] = [];
  const unseen = new Map<MessageMedia, string>();
  let data = 0;
  for (const file of seesImages ? files : []) {
    if (!isImageType(file.type)) continue;
    const image =
      images.length < MOST_IMAGES ? await readImage(stateDir, file.path) : { reason: 'there are too many' };
    if ('reason' in image) unseen.set(file, image.reason);
    else if (data + image.data.length > MOST_DATA) unseen.set(file, 'all of them together are too large');
    else {
      images.push(image);
      data += image.data.length;
    }
  }
  return { images, note: noteMedia(ctx, (file) => unseen.get(file), files) };
}

/**
 * The files of a message, a line for each. As OpenClaw: `[media attached: path (type) | url]`.
 * @param reasonOf why an image is not shown to a model that can see
 */
export function noteMedia(
  ctx: MsgContext,
  reasonOf: (file: MessageMedia) => string | undefined = () => undefined,
  files: readonly MessageMedia[] = listMedia(ctx),
): string {
  const lines = files.map((file, at) => {
    const number = files.length > 1 ? ` ${at + 1}/${files.length}` : '';
    const { path, type, url } = file;
    const parts = [path, type && `(${type})`, url && url !== path && `| ${url}`].filter(Boolean);
    const reason = reasonOf(file);
    return `${MEDIA_PREFIX}${number}: ${plain(parts.join(' '))}${reason === undefined ? '' : ` - not shown to you: ${reason}`}]`;
  });
  const missing = (ctx.MediaMissing ?? []).map(({ name, type, reason }) => {
    const what = [name && basename(name), type && `(${type})`].filter(Boolean).join(' ');
    return `${MEDIA_NOT_RECEIVED_PREFIX}: ${plain([what || 'a file', reason].join(', '))}]`;
  });
  return [...lines, ...missing].join('\n');
}

/** On one line, and without a bracket that would end it. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}[\]]+/gu, ' ').slice(0, 1000);
}

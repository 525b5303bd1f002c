import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { imageSize } from './image-size.ts';
import { describeLimit } from './limits.ts';
import { folderOfMedia } from './places.ts';
import { typeOf } from './types.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Kinds that all providers with models that can see take. */
const SEEN_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Anthropic refuses more than 5 MB of base64. */
const MAX_BYTES = (5 * 1024 * 1024 * 3) / 4;
/** And more pixels than this in a row or column. A request that is refused for an image would be refused again and again. */
const MAX_PIXELS = 8000;

/** A picture as a model is given it. */
export interface PromptImage {
  /** base64 */
  readonly data: string;
  readonly mimeType: string;
}

/** A picture of a message, or why a model cannot be given it. */
export async function readImage(
  stateDir: string,
  path: string,
): Promise<PromptImage | { readonly reason: string }> {
  // Whatever a message names as its file, no other file of this machine is given to a provider.
  if (folderOfMedia(stateDir, path) === undefined) return { reason: 'it is not kept here' };
  try {
    const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES) return { reason: describeLimit(MAX_BYTES) };
      const bytes = await handle.readFile();
      const mimeType = typeOf(bytes, {});
      if (!SEEN_TYPES.has(mimeType)) return { reason: `${mimeType} is no image that models read` };
      const pixels = imageSize(bytes);
      if (pixels === undefined) return { reason: 'it is damaged' };
      if (Math.max(pixels.width, pixels.height) > MAX_PIXELS)
        return { reason: `${pixels.width} x ${pixels.height} pixels are too many` };
      return { data: bytes.toString('base64'), mimeType };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { reason: isGone ? 'it is no longer kept' : 'it cannot be read' };
  }
}

/** Whether a file claims to be something that `readImage` may give to a model. */
export function isImageType(type: string): boolean {
  return type.startsWith('image/');
}

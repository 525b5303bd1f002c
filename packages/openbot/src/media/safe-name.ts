import { extensionFor, extensionOf, fitsType } from './types.ts';

const LONGEST = 80;
/** Names that Windows keeps for devices, with whatever extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * A file name from whatever a stranger calls a file: the last part of a path, letters, digits and `_-` of any script, one
 * dot, and the extension of its type. `photo.png.exe` of a PNG file is `photo_png.png`.
 */
export function safeName(given: string | undefined, type: string): string {
  const last = (given ?? '').normalize('NFKC').split(/[/\\]/).at(-1)!;
  const extension = extensionOf(last);
  const base = last
    .slice(0, extension === '' ? undefined : -extension.length - 1)
    .replaceAll(/[^\p{L}\p{N}\p{M}_-]+/gu, '_')
    .replaceAll(/^[_-]+|_+$/g, '');
  const short = cut(base);
  const ending = fitsType(extension, type) ? extension : extensionFor(type);
  return `${short === '' || DEVICE.test(short) ? 'file' : short}.${ending}`;
}

/** Letters may have up to four bytes, and a name at most 255. */
function cut(text: string): string {
  let short = '';
  for (const letter of text) {
    if (Buffer.byteLength(short + letter) > LONGEST) break;
    short += letter;
  }
  return short;
}

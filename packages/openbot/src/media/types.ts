import type { MediaKind } from './contract.ts';

export const UNKNOWN_TYPE = 'application/octet-stream';

/** As many bytes of a file as `sniffType` looks at. */
export const SNIFFED_BYTES = 512;

/** Types that bytes tell: the bytes, as hexadecimal digits, at a place. */
const SIGNATURES: readonly (readonly [type: string, ...parts: readonly (readonly [number, string])[]])[] = [
  ['image/png', [0, '89504e470d0a1a0a']],
  ['image/jpeg', [0, 'ffd8ff']],
  ['image/gif', [0, '474946383761']],
  ['image/gif', [0, '474946383961']],
  ['image/webp', [0, '52494646'], [8, '57454250']],
  ['image/bmp', [0, '424d'], [6, '00000000']],
  ['image/tiff', [0, '49492a00']],
  ['image/tiff', [0, '4d4d002a']],
  ['image/heic', [4, '66747970686569']],
  ['image/heic', [4, '667479706d696631']],
  ['image/avif', [4, '6674797061766966']],
  ['application/pdf', [0, '255044462d']],
  ['audio/ogg', [0, '4f676753']],
  ['audio/wav', [0, '52494646'], [8, '57415645']],
  ['audio/flac', [0, '664c6143']],
  ['audio/amr', [0, '2321414d52']],
  ['audio/mpeg', [0, '494433']],
  ['audio/aac', [0, 'fff1']],
  ['audio/aac', [0, 'fff9']],
  ['audio/mpeg', [0, 'fffb']],
  ['audio/mpeg', [0, 'fff3']],
  ['audio/mpeg', [0, 'fff2']],
  ['audio/mp4', [4, '667479704d3441']],
  ['video/quicktime', [4, '667479707174']],
  ['video/3gpp', [4, '66747970336770']],
  ['video/mp4', [4, '66747970']],
  ['video/webm', [0, '1a45dfa3']],
  ['video/x-msvideo', [0, '52494646'], [8, '41564920']],
  ['application/zip', [0, '504b0304']],
  ['application/zip', [0, '504b0506']],
  ['application/gzip', [0, '1f8b']],
  ['application/x-7z-compressed', [0, '377abcaf271c']],
  ['application/vnd.rar', [0, '526172211a07']],
  ['application/x-ole-storage', [0, 'd0cf11e0a1b11ae1']],
  ['application/x-executable', [0, '7f454c46']],
];

/** Types by extension: for what bytes do not tell, and the first extension of a type for the names of files. */
const EXTENSIONS: readonly (readonly [extension: string, type: string])[] = [
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['bmp', 'image/bmp'],
  ['tiff', 'image/tiff'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['avif', 'image/avif'],
  ['svg', 'image/svg+xml'],
  ['pdf', 'application/pdf'],
  ['ogg', 'audio/ogg'],
  ['oga', 'audio/ogg'],
  ['opus', 'audio/opus'],
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['aac', 'audio/aac'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['amr', 'audio/amr'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
  ['3gp', 'video/3gpp'],
  ['avi', 'video/x-msvideo'],
  ['txt', 'text/plain'],
  ['log', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['xml', 'application/xml'],
  ['json', 'application/json'],
  ['yaml', 'application/yaml'],
  ['zip', 'application/zip'],
  ['gz', 'application/gzip'],
  ['7z', 'application/x-7z-compressed'],
  ['rar', 'application/vnd.rar'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['ods', 'application/vnd.oasis.opendocument.spreadsheet'],
  ['epub', 'application/epub+zip'],
  ['apk', 'application/vnd.android.package-archive'],
  ['doc', 'application/msword'],
  ['xls', 'application/vnd.ms-excel'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['tgs', 'application/x-tgsticker'],
];

const TYPE_OF = new Map(EXTENSIONS);
const EXTENSION_OF = new Map(EXTENSIONS.toReversed().map(([extension, type]) => [type, extension]));

/** Containers: what is in one only its name or its sender tells. */
const CONTAINERS = new Set(['application/zip', 'application/gzip', 'application/x-ole-storage']);
/** Those that both a picture and a sound, or a sound and a film, can be in. */
const SAME_CONTAINER: Readonly<Record<string, readonly string[]>> = {
  'audio/ogg': ['audio/opus', 'video/ogg', 'application/ogg'],
  'video/mp4': ['audio/mp4', 'video/x-m4v', 'audio/x-m4a'],
  'video/webm': ['audio/webm', 'video/x-matroska', 'audio/x-matroska'],
  'image/heic': ['image/heif'],
};

/**
 * What a file is. The bytes decide where they tell; a sender can say no more of them than which kind of container, or of
 * text, they are.
 */
export function typeOf(head: Uint8Array, { declared, name }: { declared?: string; name?: string }): string {
  const found = sniffType(head);
  const said = [plainType(declared), TYPE_OF.get(extensionOf(name ?? ''))];
  if (found === undefined) return said.find((type) => type && !isTold(type)) ?? fallbackOf(head);
  const isIn = (type: string | undefined) =>
    type !== undefined &&
    (SAME_CONTAINER[found]?.includes(type) ||
      (CONTAINERS.has(found) && type.startsWith('application/') && !isTold(type)));
  return said.find(isIn) ?? found;
}

/** By its first bytes; undefined where they do not tell. */
function sniffType(head: Uint8Array): string | undefined {
  const digits = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 32)).toString('hex');
  return SIGNATURES.find(([, ...parts]) =>
    parts.every(([at, bytes]) => digits.startsWith(bytes, at * 2)),
  )?.[0];
}

const TOLD = new Set(SIGNATURES.map(([type]) => type));

/** A type that the bytes would have shown. */
function isTold(type: string): boolean {
  return TOLD.has(type) || type === UNKNOWN_TYPE || type === 'image/heif';
}

/** Text has no control characters but white space and escape, and is UTF-8; its last character may be cut. */
function fallbackOf(head: Uint8Array): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these tell binary data
  const isText = !/[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]/.test(new TextDecoder().decode(head, { stream: true }));
  return isText && head.length > 0 ? 'text/plain' : UNKNOWN_TYPE;
}

function plainType(declared: string | undefined): string | undefined {
  const [type = ''] = (declared ?? '').trim().toLowerCase().split(/\s*;/);
  return /^[a-z]+\/[\w.+-]{1,100}$/.test(type) ? type : undefined;
}

/** Without the dot, in lower case. */
export function extensionOf(name: string): string {
  return /\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** Whether a file of this type may have this extension. */
export function fitsType(extension: string, type: string): boolean {
  return TYPE_OF.get(extension) === type || (extension !== '' && !EXTENSION_OF.has(type));
}

/** The usual extension of a type, without the dot. */
export function extensionFor(type: string): string {
  return EXTENSION_OF.get(type) ?? (type.startsWith('text/') ? 'txt' : 'bin');
}

/** What a chat network would call it. */
export function kindOf(type: string): MediaKind {
  const [kind] = type.split('/');
  if (type === 'image/svg+xml' || type === 'image/tiff') return 'document';
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

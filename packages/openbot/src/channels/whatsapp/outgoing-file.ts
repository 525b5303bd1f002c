import type { OutgoingMedia } from '../../media/contract.ts';
import { type ReplyFileOptions, readReplyFile } from '../http/try-file.ts';

export type FileKind = 'image' | 'audio' | 'video' | 'document' | 'sticker';

export type OutgoingFile =
  | { readonly kind: FileKind; readonly file: OutgoingMedia }
  /** It cannot be sent. */
  | { readonly kind: 'refused'; readonly reason: string };

const MB = 1_000_000;

/** What WhatsApp shows as such; all else is a document. */
const KINDS: readonly (readonly [FileKind, mostBytes: number, types: RegExp])[] = [
  ['image', 5 * MB, /^image\/(jpeg|png)$/],
  ['sticker', 100_000, /^image\/webp$/],
  ['audio', 16 * MB, /^audio\/(aac|mp4|mpeg|amr|ogg)$/],
  ['video', 16 * MB, /^video\/(mp4|3gpp)$/],
  ['document', 100 * MB, /./],
];

/** Of these WhatsApp shows no text. */
export const CAPTIONLESS: readonly string[] = ['audio', 'sticker'] satisfies FileKind[];

/** A file of a reply. */
export async function readOutgoingFile(url: string, options: ReplyFileOptions): Promise<OutgoingFile> {
  const read = await readReplyFile(url, options);
  if ('reason' in read) return { kind: 'refused', ...read };
  const chosen = chooseKind(read);
  if (chosen.kind === 'refused') options.request.onFile?.(url, chosen.reason);
  return chosen;
}

function chooseKind(file: OutgoingMedia): OutgoingFile {
  const type = file.type.split(';')[0]!.trim().toLowerCase();
  const size = file.bytes.byteLength;
  const [kind] = KINDS.find(([, mostBytes, types]) => types.test(type) && size <= mostBytes) ?? [];
  return kind === undefined
    ? { kind: 'refused', reason: 'WhatsApp takes no file that is larger than 100 MB' }
    : { kind, file };
}

import { InputFile } from 'grammy';
import type { OutgoingMedia } from '../../../media/contract.ts';
import { type ReplyFileOptions, readReplyFile } from '../../http/try-file.ts';

const MAX_UPLOAD = 50_000_000;
const MAX_PHOTO = 10_000_000;

/** A call that sends a file, and the call that sends it as any file where Telegram does not like it as what it is. */
export interface FileCall {
  readonly method: string;
  readonly field: string;
}

export const AS_DOCUMENT: FileCall = { method: 'sendDocument', field: 'document' };

export function chooseCall({ kind, type, bytes }: OutgoingMedia, asVoice: boolean): FileCall {
  if (type === 'image/gif') return { method: 'sendAnimation', field: 'animation' };
  if (kind === 'image')
    return /^image\/(?:jpeg|png|webp)$/.test(type) && bytes.length <= MAX_PHOTO
      ? { method: 'sendPhoto', field: 'photo' }
      : AS_DOCUMENT;
  if (kind === 'audio')
    return asVoice ? { method: 'sendVoice', field: 'voice' } : { method: 'sendAudio', field: 'audio' };
  return kind === 'video' ? { method: 'sendVideo', field: 'video' } : AS_DOCUMENT;
}

export function toInputFile({ bytes, name }: OutgoingMedia): InputFile {
  return new InputFile(bytes, name.replace(/[^\p{L}\p{N}._-]/gu, '_'));
}

/** The file, or why it cannot be sent: people are told so in its place. */
export async function readFile(
  url: string,
  options: ReplyFileOptions,
): Promise<OutgoingMedia | { readonly reason: string }> {
  const file = await readReplyFile(url, options);
  return 'bytes' in file && file.bytes.length > MAX_UPLOAD
    ? { reason: 'Telegram takes no file above 50 MB' }
    : file;
}

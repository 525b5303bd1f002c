import { InputFile } from 'grammy';
import type { OutgoingMedia } from '../../../media/contract.ts';
import { type ReplyFileOptions, readReplyFile } from '../../http/try-file.ts';
import { looksLikeSticker } from './sticker.ts';

const MAX_UPLOAD = 50_000_000;
const MAX_PHOTO = 10_000_000;

/** A call that sends a file. */
export interface FileCall {
  readonly method: string;
  readonly field: string;
}

const AS_DOCUMENT: FileCall = { method: 'sendDocument', field: 'document' };
const AS_STICKER: FileCall = { method: 'sendSticker', field: 'sticker' };

/**
 * The calls that send it, the best one first: what Telegram refuses as a sticker may be a photo, and all can be sent as a
 * document.
 * @param isAlone it has no caption, and the reply no text: a sticker has neither
 */
export function chooseCalls(
  file: OutgoingMedia,
  { asVoice, isAlone }: { readonly asVoice: boolean; readonly isAlone: boolean },
): readonly FileCall[] {
  const call = chooseCall(file, asVoice);
  return [
    ...(isAlone && looksLikeSticker(file) ? [AS_STICKER] : []),
    ...(call === AS_DOCUMENT ? [] : [call]),
    AS_DOCUMENT,
  ];
}

function chooseCall({ kind, type, bytes }: OutgoingMedia, asVoice: boolean): FileCall {
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
  if ('reason' in file || file.bytes.length <= MAX_UPLOAD) return file;
  const reason = 'Telegram takes no file above 50 MB';
  options.request.onFile?.(url, reason);
  return { reason };
}

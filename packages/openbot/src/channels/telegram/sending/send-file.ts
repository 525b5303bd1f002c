import { OpenBotError } from '@openbot/sessions';
import { InputFile } from 'grammy';
import type { OutgoingMedia } from '../../../media/contract.ts';
import type { ChannelMedia } from '../../contract.ts';
import { sendFailure } from '../../send-failure.ts';

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

/** The file, or why it can never be sent: people are told so in its place. Rejects when another try may succeed. */
export async function readFile(
  media: ChannelMedia,
  url: string,
  signal: AbortSignal,
): Promise<{ readonly file: OutgoingMedia } | { readonly refusal: string }> {
  try {
    const file = await media.read(url, signal);
    return file.bytes.length > MAX_UPLOAD ? { refusal: 'Telegram takes no file above 50 MB' } : { file };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof OpenBotError && ['MEDIA_TOO_LARGE', 'MEDIA_REFUSED'].includes(error.code))
      return { refusal: message };
    throw sendFailure(`A file could not be read: ${message}`, { isPermanent: false, mayHaveArrived: false });
  }
}

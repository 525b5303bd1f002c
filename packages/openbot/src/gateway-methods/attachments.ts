import { type MsgContext, OpenBotError } from '@openbot/sessions';
import { anyValue, listOf, maybe } from '../gateway-protocol/param-shapes.ts';
import { refuse } from '../gateway-protocol/wire-errors.ts';
import { decodeBase64, type RawMedia, readDataUrl } from '../media/data-url.ts';
import { keepMedia } from '../media/keep-media.ts';
import { mediaFields } from '../media/media-fields.ts';
import { maxMediaBytes } from '../media/media-settings.ts';
import type { GatewayServices } from './services.ts';

const MOST = 20;

/** What a message may carry beside its text. */
export const ATTACHMENTS = maybe(listOf(anyValue));

/**
 * Keeps the files of a client's message, and gives the fields of the message for them. None is kept where one of them is
 * refused. The same files again are the same fields: a repeat keeps nothing twice.
 */
export async function keepAttachments(
  { stateDir, config }: Pick<GatewayServices, 'stateDir' | 'config'>,
  attachments: readonly unknown[] = [],
): Promise<MsgContext> {
  if (attachments.length > MOST) throw refused(`a message has at most ${MOST} attachments`, 'too-many');
  const maxBytes = maxMediaBytes(config);
  const files = attachments.map((attachment, at) => read(attachment, at, maxBytes));
  const kept = [];
  for (const { bytes, declaredType, name } of files)
    kept.push(await keepMedia({ stateDir, maxBytes }, { bytes: [bytes], declaredType, name }));
  return mediaFields(kept);
}

/** `{type, mimeType, fileName, content}` with base64 or a `data:` URL, or `{source: {type: "base64", media_type, data}}`. */
function read(attachment: unknown, at: number, maxBytes: number): RawMedia {
  const { type, mimeType, fileName, content, source } = objectOf(attachment);
  const { type: kind, media_type: sourceType, data } = objectOf(source);
  const name = textOf(fileName);
  const label = name ?? textOf(type) ?? `attachment-${at + 1}`;
  const given = textOf(content) ?? (kind === 'base64' ? textOf(data) : undefined);
  if (given === undefined) throw refused(`attachment ${label}: content must be base64 string`, 'no-content');
  const declaredType = textOf(mimeType) ?? textOf(sourceType);
  try {
    const file = /^\s*data:/i.test(given.slice(0, 100))
      ? readDataUrl(given.trim(), maxBytes)
      : { bytes: decodeBase64(given, maxBytes) };
    if (file.bytes.length === 0) throw refused(`attachment ${label}: empty payload`, 'empty-payload');
    return { ...(declaredType !== undefined && { declaredType }), ...file, name };
  } catch (error) {
    if (!(error instanceof OpenBotError) || !error.code.startsWith('MEDIA_')) throw error;
    const reason = error.code === 'MEDIA_TOO_LARGE' ? 'too-large' : 'invalid';
    throw refused(`attachment ${label}: ${error.message}`, reason);
  }
}

function refused(message: string, reason: string): OpenBotError {
  return refuse('INVALID_REQUEST', message, { details: { reason: `attachment-${reason}` } });
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

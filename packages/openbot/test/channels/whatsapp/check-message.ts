import type { CloudApi } from './cloud-api.ts';

type Json = Record<string, unknown>;

export interface SentMessage {
  readonly id: string;
  readonly to?: string;
  readonly recipient?: string;
  readonly type: string;
  /** The text, the caption, the emoji or the name of the template. */
  readonly text: string;
  readonly mediaId?: string;
  readonly replyTo?: string;
  readonly buttons?: readonly { readonly id: string; readonly title: string }[];
  readonly callbackData?: string;
  readonly content: Json;
}

export class ApiError extends Error {
  readonly status: number;
  readonly body: object;
  readonly headers: Record<string, string>;

  constructor(code: number, status: number, details: string, headers: Record<string, string> = {}) {
    super(details);
    this.status = status;
    this.headers = headers;
    const error_data = { messaging_product: 'whatsapp', details };
    this.body = {
      error: { message: `(#${code}) Refused`, type: 'OAuthException', code, error_data, fbtrace_id: 'AbC' },
    };
  }
}

/** Refuses what the real API refuses. */
export function checkMessage(body: Json, api: CloudApi, id: string): SentMessage {
  const refuse = (details: string) => {
    throw new ApiError(100, 400, details);
  };
  const { to, recipient, type } = body as Record<string, string | undefined>;
  if (body.messaging_product !== 'whatsapp') refuse('The parameter messaging_product is required.');
  if (to === undefined && recipient === undefined) refuse('The parameter to is required.');
  if (to !== undefined && !/^\d+$/.test(to)) refuse('to is not a phone number.');
  if (recipient !== undefined && !/^[A-Z]{2}\./.test(recipient)) refuse('recipient is not a user id.');
  const content = body[type ?? ''] as Json;
  if (type === undefined || typeof content !== 'object') refuse(`The parameter ${type} is required.`);
  if (type !== 'template' && api.silent.has(to ?? recipient!)) {
    throw new ApiError(131047, 400, 'More than 24 hours have passed since the recipient last replied.');
  }
  const callbackData = body.biz_opaque_callback_data as string | undefined;
  if ((callbackData?.length ?? 0) > 512) refuse('biz_opaque_callback_data is too long.');
  const ends = { id, to, recipient, type: type!, callbackData, content };
  const replyTo = (body.context as Json | undefined)?.message_id as string | undefined;
  return { ...ends, ...(replyTo && { replyTo }), ...readContent(type!, content, api, refuse) };
}

const MEDIA_TYPES: Readonly<Record<string, RegExp>> = {
  image: /^image\/(jpeg|png)$/,
  audio: /^audio\//,
  video: /^video\/(mp4|3gpp)$/,
  document: /./,
  sticker: /^image\/webp$/,
};

function readContent(type: string, content: Json, api: CloudApi, refuse: (details: string) => void) {
  if (type === 'text') {
    const text = String(content.body ?? '');
    if (text === '' || text.length > 4096) refuse('text.body must have 1 to 4096 characters.');
    return { text };
  }
  if (type === 'reaction') return { text: String(content.emoji), replyTo: String(content.message_id) };
  if (type === 'template') {
    if (!api.templates.has(String(content.name))) {
      throw new ApiError(132001, 404, 'Template name does not exist in the translation');
    }
    return { text: String(content.name) };
  }
  if (type === 'interactive') return readButtons(content, refuse);
  const types = MEDIA_TYPES[type];
  if (types === undefined) throw new ApiError(131051, 400, 'Unsupported message type');
  const media = api.media.get(String(content.id));
  if (!media || !types.test(media.type)) throw new ApiError(131053, 400, 'Media upload error');
  const text = String(content.caption ?? '');
  if (text.length > 1024 || (text !== '' && /^(audio|sticker)$/.test(type)))
    refuse('caption is not allowed.');
  return { text, mediaId: String(content.id) };
}

function readButtons(content: Json, refuse: (details: string) => void) {
  const text = String((content.body as Json | undefined)?.text ?? '');
  const list = ((content.action as Json | undefined)?.buttons ?? []) as {
    reply: { id: string; title: string };
  }[];
  const buttons = list.map(({ reply }) => reply);
  const titles = new Set(buttons.map(({ title }) => title));
  if (text === '' || text.length > 1024) refuse('interactive.body.text must have 1 to 1024 characters.');
  if (buttons.length < 1 || buttons.length > 3 || titles.size < buttons.length) refuse('1 to 3 buttons.');
  if (buttons.some(({ id, title }) => title.length > 20 || id.length > 256)) refuse('A title is too long.');
  return { text, buttons };
}

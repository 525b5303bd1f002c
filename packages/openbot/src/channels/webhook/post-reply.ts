import type { ChannelMedia, SendFailure, SendFailureReason, SendRequest } from '../contract.ts';
import { callNetwork, type NetworkAnswer, readRetryAfter } from '../http/call-network.ts';
import { type Json, parseObject, readId, readLine, readObject } from '../http/hostile-json.ts';
import { type FileTries, readReplyFile, uploadMs } from '../http/try-file.ts';
import { sendFailure } from '../send-failure.ts';
import { leaveRoom, markPart } from '../text/mark-repeat.ts';
import { splitText } from '../text/split-text.ts';
import { signRequest } from './envelope.ts';
import { WEBHOOK } from './read-message.ts';
import type { WebhookSettings } from './settings.ts';
import { readConversation } from './target.ts';

export interface PostOptions {
  readonly settings: WebhookSettings;
  readonly accountId: string;
  readonly media: ChannelMedia;
  now(): number;
  wait: FileTries['wait'];
}

export interface PostFailure extends SendFailure {
  /** The receiver does not take our signature, so that no reply will get through. Other refusals may be about one conversation. */
  readonly isOfAccount?: boolean;
  /** Servers answer so where nothing takes replies at the address; a receiver may mean one conversation by it. */
  readonly mayBeOfAddress?: boolean;
}

/** Posts a reply, in parts where the receiver has a limit. Files go with the last part. */
export async function postReply(
  request: SendRequest,
  options: PostOptions,
): Promise<{ readonly ids: readonly string[] }> {
  const { key, target, payload, mayBeRepeat, mark, sentIds, onPart } = request;
  const { settings, accountId } = options;
  const { url, textLimit } = settings;
  if (url === undefined) {
    throw permanent('channels.webhook.url is not set, so replies have no way out', 'gone');
  }
  const texts = payload.text === undefined ? [''] : splitText(payload.text, leaveRoom(textLimit));
  const ids = [...sentIds];
  for (const [at, text] of texts.entries()) {
    if (at < sentIds.length) continue;
    const isLast = at === texts.length - 1;
    const partKey = texts.length === 1 ? key : `${key}#${at}`;
    const message = {
      key: partKey,
      account: accountId,
      conversation: readConversation(target.to),
      threadId: target.threadId,
      text: markPart(at === sentIds.length ? mark : undefined, text, textLimit),
      ...(at === 0 && { replyTo: payload.replyToId }),
      mayBeRepeat,
      ...(isLast && (await writeEnding(request, options))),
    };
    const id = await post(url, message, partKey, request, options);
    ids.push(id);
    if (!isLast) await onPart(id);
  }
  return { ids };
}

async function writeEnding(request: SendRequest, { media, wait }: PostOptions): Promise<Json> {
  const { mediaUrl, mediaUrls = [], audioAsVoice, isError, question, channelData } = request.payload;
  const urls = [...new Set(mediaUrl === undefined ? mediaUrls : [mediaUrl, ...mediaUrls])];
  const files: Json[] = [];
  for (const address of urls) {
    const read = await readReplyFile(address, { media, wait, request });
    if ('bytes' in read) {
      const { type, kind, name, bytes } = read;
      files.push({ type, kind, name, data: bytes.toString('base64') });
    } else files.push({ error: read.reason });
  }
  const extra = readObject(channelData?.[WEBHOOK]);
  return { ...(urls.length > 0 && { media: files }), audioAsVoice, isError, question, extra };
}

/** Resolves with the id that the receiver gave, or the key. */
async function post(
  url: string,
  message: Json,
  key: string,
  { allowTime, signal }: SendRequest,
  { settings, now }: PostOptions,
): Promise<string> {
  const body = JSON.stringify(message);
  if (message.media !== undefined) await allowTime(uploadMs(body.length));
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': encodeURI(key.toWellFormed()),
    ...signRequest(settings.secret, body, now()),
  };
  const answer = await callNetwork({ url, method: 'POST', headers, body, signal });
  if (answer.status >= 200 && answer.status < 300) return readId(parseObject(answer.text)?.id) ?? key;
  throw readRefusal(answer, now());
}

const REASONS: Readonly<Record<number, SendFailureReason>> = {
  401: 'forbidden',
  403: 'forbidden',
  404: 'gone',
  410: 'gone',
  413: 'too long',
  429: 'busy',
  503: 'busy',
};

/** Of these the request had no effect; of other failures of a server nothing is known. */
const WITHOUT_EFFECT: readonly number[] = [408, 425, 429, 503];

function readRefusal({ status, headers, text }: NetworkAnswer, now: number): PostFailure {
  const said = readLine(parseObject(text)?.error);
  const message = `The receiver answered ${status}${said ? `: ${said}` : ''}`;
  const isTemporary = status >= 500 || WITHOUT_EFFECT.includes(status);
  const reason = REASONS[status] ?? 'other';
  if (!isTemporary) {
    const mayBeOfAddress = status < 400 || status === 404 || status === 405;
    return Object.assign(permanent(message, reason), { isOfAccount: status === 401, mayBeOfAddress });
  }
  return sendFailure(message, {
    isPermanent: false,
    mayHaveArrived: !WITHOUT_EFFECT.includes(status),
    retryAfterMs: readRetryAfter(headers, now),
    reason,
  });
}

function permanent(message: string, reason: SendFailureReason): SendFailure {
  return sendFailure(message, { isPermanent: true, mayHaveArrived: false, reason });
}

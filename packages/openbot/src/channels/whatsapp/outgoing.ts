import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import type { ChannelMedia, SendFailure, SendRequest } from '../contract.ts';
import type { Json } from '../http/hostile-json.ts';
import { uploadMs } from '../http/try-file.ts';
import { assertShown, sendFailure } from '../send-failure.ts';
import { markPart } from '../text/mark-repeat.ts';
import { isApiFailure } from './api-failure.ts';
import { writeCallbackData } from './callback-data.ts';
import type { GraphClient } from './graph-client.ts';
import { CAPTIONLESS, type OutgoingFile, readOutgoingFile } from './outgoing-file.ts';
import { type Part, planParts } from './plan-parts.ts';
import { readRecipient } from './recipient.ts';
import type { WhatsAppSettings } from './settings.ts';
import { isAsTemplate, TEMPLATE_TEXT_LIMIT, templateMessage } from './template-message.ts';

export interface OutgoingOptions {
  readonly client: GraphClient;
  readonly settings: WhatsAppSettings;
  readonly media: ChannelMedia;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  report(message: string): void;
}

/** A send whose answer was lost is not repeated at once: a status that proves it may come first. */
const PROOF_WAIT_MS = 15_000;

/** `isWhole`: it stands for all parts of the reply. */
interface Sent {
  readonly id: string;
  readonly isWhole?: boolean;
}

interface Ends {
  readonly key: string;
  /** The whole reply. */
  readonly payload: ReplyPayload;
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/** Sends the replies of one account. */
export class Outgoing {
  readonly #options: OutgoingOptions;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  async send(request: SendRequest): Promise<{ readonly ids: readonly string[] }> {
    const { key, payload, mark, target, sentIds, onPart, signal } = request;
    if (isAsTemplate(payload))
      return { ids: sentIds.length > 0 ? sentIds : [await this.#sendTemplate(request)] };
    const recipient = readRecipient(target.to);
    const { media, wait } = this.#options;
    const files = new Map<string, Promise<OutgoingFile>>();
    const readFile = (url: string) => {
      const reading = files.get(url) ?? readOutgoingFile(url, { media, wait, request });
      files.set(url, reading);
      return reading;
    };
    const parts = planParts(payload);
    assertShown(parts, payload, 'WhatsApp');
    const ids = [...sentIds];
    for (const [at, part] of parts.entries()) {
      if (at < sentIds.length) continue;
      const ownMark = at === sentIds.length ? mark : undefined;
      const isMute =
        part.kind === 'file' &&
        part.caption === undefined &&
        CAPTIONLESS.includes((await readFile(part.url)).kind);
      // It is no part, so the count of those that got through stays right.
      if (ownMark !== undefined && isMute)
        await this.#options.client.sendMessage({ ...recipient, ...writeText(ownMark) }, signal);
      const message = {
        ...recipient,
        ...(at === 0 && quote(payload)),
        ...(await this.#writeMessage(part, {
          request,
          mark: isMute ? undefined : ownMark,
          readFile,
        })),
        biz_opaque_callback_data: writeCallbackData({ key, index: at, count: parts.length }),
      };
      const whole = ownMark === undefined ? payload : { ...payload, text: markPart(ownMark, payload.text) };
      const ends = { key, payload: whole, isFirst: at === 0, signal };
      const { id, isWhole } = await this.#sendMessage(message, ends);
      ids.push(id);
      if (isWhole) {
        for (const { url } of parts.filter((one) => one.kind === 'file'))
          request.onFile?.(url, 'a template has no files');
        break;
      }
      if (part.kind === 'file') files.delete(part.url);
      if (at < parts.length - 1) await onPart(id);
    }
    return { ids };
  }

  async #sendTemplate({ key, payload, target, signal }: SendRequest): Promise<string> {
    const { template } = this.#options.settings;
    if (template === undefined) {
      throw sendFailure('The settings have no template', { isPermanent: true, mayHaveArrived: false });
    }
    const message = {
      ...readRecipient(target.to),
      ...templateMessage(template, payload.text ?? ''),
      biz_opaque_callback_data: writeCallbackData({ key, index: 0, count: 1 }),
    };
    const { id } = await this.#sendMessage(message, { key, payload, isFirst: false, signal });
    return id;
  }

  async #sendMessage(message: Json, ends: Ends): Promise<Sent> {
    try {
      return { id: await this.#options.client.sendMessage(message, ends.signal) };
    } catch (error) {
      const failure = error as SendFailure;
      // Of what may be wrong in a message only what it answers can be left out.
      if (
        message.context !== undefined &&
        isApiFailure(error) &&
        error.isPermanent &&
        error.reason === 'other'
      ) {
        const { context: _refused, ...rest } = message;
        return this.#sendMessage(rest, ends);
      }
      if (failure.reason === 'window closed' && ends.isFirst) return this.#fallBack(message, ends, failure);
      throw awaitProof(failure);
    }
  }

  async #fallBack(message: Json, ends: Ends, failure: SendFailure): Promise<Sent> {
    const { template } = this.#options.settings;
    if (template === undefined) throw failure;
    const { to, recipient, messaging_product, recipient_type } = message;
    const invitation = {
      to,
      recipient,
      messaging_product,
      recipient_type,
      ...templateMessage(template, ends.payload.text ?? ''),
    };
    return template.withText
      ? this.#sendWithText(invitation, template.name, ends)
      : this.#invite(invitation, template.name, ends, failure);
  }

  /** The template stands for the reply, whatever parts that would have had. */
  async #sendWithText(invitation: Json, name: string, { key, payload, signal }: Ends): Promise<Sent> {
    const { client, report } = this.#options;
    const message = {
      ...invitation,
      biz_opaque_callback_data: writeCallbackData({ key, index: 0, count: 1 }),
    };
    const id = await client.sendMessage(message, signal).catch((error: SendFailure) => {
      throw awaitProof(error);
    });
    const { text = '', mediaUrl, mediaUrls } = payload;
    if (text.length > TEMPLATE_TEXT_LIMIT || mediaUrl || mediaUrls?.length)
      report(`A reply was sent as the template ${name}, which holds only the beginning of its text`);
    return { id, isWhole: true };
  }

  /** The template has nothing of the reply: it goes without its key, which would prove what was not delivered. */
  async #invite(invitation: Json, name: string, { signal }: Ends, failure: SendFailure): Promise<never> {
    const sent = await this.#options.client.sendMessage(invitation, signal).then(
      () => 'was sent',
      (error: SendFailure) => {
        if (error.mayHaveArrived !== true) throw error;
        // Another try would send it again; the reply is refused in any case.
        return `was perhaps sent (${error.message})`;
      },
    );
    throw sendFailure(`${failure.message}. The template ${name} ${sent} instead`, {
      isPermanent: true,
      mayHaveArrived: false,
      reason: 'window closed',
    });
  }

  async #writeMessage(
    part: Part,
    {
      request,
      mark,
      readFile,
    }: {
      request: SendRequest;
      mark: string | undefined;
      readFile: (url: string) => Promise<OutgoingFile>;
    },
  ): Promise<Json> {
    if (part.kind === 'text') {
      const text = markPart(mark, part.text);
      const { buttons } = part;
      if (buttons === undefined) return writeText(text);
      const action = { buttons: buttons.map((reply) => ({ type: 'reply', reply })) };
      return { type: 'interactive', interactive: { type: 'button', body: { text }, action } };
    }
    const outgoing = await readFile(part.url);
    if (outgoing.kind === 'refused') {
      this.#options.report(`A file of a reply was not sent: ${outgoing.reason}`);
      const notice = `(A file could not be sent: ${outgoing.reason})`.slice(0, 1000);
      return writeText(markPart(mark, part.caption === undefined ? notice : `${part.caption}\n\n${notice}`));
    }
    const { file } = outgoing;
    const isCaptioned = part.caption !== undefined && CAPTIONLESS.includes(outgoing.kind);
    const kind = isCaptioned ? 'document' : outgoing.kind;
    await request.allowTime(uploadMs(file.bytes.length));
    const id = await this.#upload(file, request.signal);
    const isVoice =
      kind === 'audio' && request.payload.audioAsVoice === true && file.type.startsWith('audio/ogg');
    return {
      type: kind,
      [kind]: {
        id,
        caption: mark === undefined ? part.caption : markPart(mark, part.caption),
        ...(kind === 'document' && { filename: file.name }),
        ...(isVoice && { voice: true }),
      },
    };
  }

  /** Nobody sees an upload, so a lost answer to it makes no repeat. */
  async #upload(file: Parameters<GraphClient['upload']>[0], signal: AbortSignal): Promise<string> {
    try {
      return await this.#options.client.upload(file, signal);
    } catch (error) {
      if (isApiFailure(error)) throw error;
      throw sendFailure((error as Error).message, {
        ...readFailure(error),
        mayHaveArrived: false,
        cause: error,
      });
    }
  }
}

/** What a reply answers, where it can be a message of WhatsApp. */
function quote({ replyToId }: ReplyPayload): Json {
  return replyToId?.startsWith('wamid.') ? { context: { message_id: replyToId } } : {};
}

function writeText(body: string): Json {
  return { type: 'text', text: { body } };
}

function awaitProof(failure: SendFailure): SendFailure {
  if (failure.mayHaveArrived !== true) return failure;
  return sendFailure(failure.message, {
    ...readFailure(failure),
    retryAfterMs: PROOF_WAIT_MS,
    cause: failure,
  });
}

function readFailure(error: unknown) {
  const { isPermanent = false, mayHaveArrived = true, retryAfterMs, reason } = error as Partial<SendFailure>;
  return { isPermanent, mayHaveArrived, retryAfterMs, reason };
}

import { callNetwork, openNetwork } from '../http/call-network.ts';
import { type Json, parseObject, readId, readObjects, readText } from '../http/hostile-json.ts';
import { composeForm } from '../http/multipart.ts';
import { sendFailure } from '../send-failure.ts';
import { readApiFailure } from './api-failure.ts';
import type { WhatsAppSettings } from './settings.ts';

export interface MediaInfo {
  readonly url: string;
  readonly type?: string;
  /** Bytes, as WhatsApp says. */
  readonly size?: number;
}

/** Whoever answers in the place of WhatsApp is given the token, so it goes to these hosts alone. */
const MEDIA_HOSTS = /(^|\.)(fbsbx\.com|facebook\.com|fbcdn\.net|whatsapp\.net)$/;

/** The calls of the Cloud API that are used, for one phone number. They fail as `send` does. */
export class GraphClient {
  readonly #settings: WhatsAppSettings;
  readonly #now: () => number;

  constructor(settings: WhatsAppSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** Resolves with the id of the message. */
  async sendMessage(message: Json, signal: AbortSignal): Promise<string> {
    const { phoneNumberId } = this.#settings;
    const answer = await this.#call(`${phoneNumberId}/messages`, signal, message);
    const id = readId(readObjects(answer.messages)[0]?.id);
    if (id !== undefined) return id;
    throw sendFailure('WhatsApp answered without the id of the message', {
      isPermanent: false,
      mayHaveArrived: true,
    });
  }

  /** Read marks and the like, which have no id. */
  async sendState(state: Json, signal: AbortSignal): Promise<void> {
    await this.#call(`${this.#settings.phoneNumberId}/messages`, signal, state);
  }

  /** Resolves with the id of the upload. */
  async upload(
    file: { readonly bytes: Uint8Array; readonly type: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<string> {
    const form = composeForm([
      { name: 'messaging_product', value: 'whatsapp' },
      { name: 'type', value: file.type },
      { name: 'file', value: file.bytes, filename: file.name, type: file.type },
    ]);
    const answer = await this.#call(`${this.#settings.phoneNumberId}/media`, signal, undefined, form);
    const id = readId(answer.id);
    if (id === undefined) {
      throw sendFailure('WhatsApp answered without the id of the upload', {
        isPermanent: false,
        mayHaveArrived: false,
      });
    }
    return id;
  }

  async findMedia(id: string, signal: AbortSignal): Promise<MediaInfo> {
    const answer = await this.#call(encodeURIComponent(id), signal);
    const url = readText(answer.url);
    if (url === undefined) throw new Error('WhatsApp gave no address for it');
    const size = Number(answer.file_size);
    return { url, type: readText(answer.mime_type), size: Number.isFinite(size) ? size : undefined };
  }

  /** The bytes of a file. A body that claims to be compressed is refused: it could be larger than any limit. */
  async *download({ url }: MediaInfo, signal: AbortSignal): AsyncIterable<Uint8Array> {
    this.#assertMediaHost(url);
    const headers = { ...this.#headers, 'accept-encoding': 'identity' };
    const response = await openNetwork({ url, method: 'GET', headers, signal });
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (response.status !== 200 || encoding !== 'identity' || response.body === null) {
      await response.body?.cancel();
      throw new Error(
        response.status === 200 ? `WhatsApp sent it as ${encoding}` : `WhatsApp answered ${response.status}`,
      );
    }
    yield* response.body;
  }

  /** Whose number it is. Fails where the token is not valid. */
  async describeNumber(signal: AbortSignal): Promise<{ readonly number?: string; readonly name?: string }> {
    const fields = 'display_phone_number,verified_name';
    const answer = await this.#call(`${this.#settings.phoneNumberId}?fields=${fields}`, signal);
    return { number: readText(answer.display_phone_number), name: readText(answer.verified_name) };
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#settings.accessToken}` };
  }

  async #call(
    path: string,
    signal: AbortSignal,
    json?: Json,
    form: Partial<ReturnType<typeof composeForm>> = {},
  ): Promise<Json> {
    const { apiRoot, apiVersion } = this.#settings;
    const { contentType = json && 'application/json', body = json && JSON.stringify(json) } = form;
    const answer = await callNetwork({
      url: `${apiRoot}/${apiVersion}/${path}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...this.#headers, ...(contentType && { 'content-type': contentType }) },
      body,
      signal,
    });
    if (answer.status < 200 || answer.status > 299) throw readApiFailure(answer, this.#now());
    return parseObject(answer.text) ?? {};
  }

  #assertMediaHost(url: string): void {
    const { protocol, hostname, origin } = new URL(url);
    if (origin === new URL(this.#settings.apiRoot).origin) return;
    if (protocol !== 'https:' || !MEDIA_HOSTS.test(hostname)) {
      throw new Error(`WhatsApp named an address that is not its own (${hostname})`);
    }
  }
}

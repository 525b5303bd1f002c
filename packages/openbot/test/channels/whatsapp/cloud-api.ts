import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readForm } from '../read-form.ts';
import { ApiError, checkMessage, type SentMessage } from './check-message.ts';

/** What happens to the next call of `/messages`. */
export type ApiFault =
  | {
      readonly fault: 'error';
      readonly code: number;
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly details?: string;
    }
  | { readonly fault: 'none' }
  /** The message is shown, and the connection ends without an answer. */
  | { readonly fault: 'lose answer' }
  | { readonly fault: 'stall' }
  /** A proxy answers in its place. */
  | { readonly fault: 'page'; readonly status: number };

export interface StoredMedia {
  /** Its download never ends. */
  isStalled?: boolean;
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly name?: string;
  /** What the API says of the size, where that is not true. */
  readonly claimedSize?: number;
  /** Headers of the download that are added. */
  readonly headers?: Record<string, string>;
  /** Where the API says that it is, where that is elsewhere. */
  readonly url?: string;
  /** How many of the next downloads break off. */
  failures?: number;
}

/** An imitation of WhatsApp's Cloud API on loopback, for one phone number and one app. */
export class CloudApi {
  readonly phoneNumberId = '106540352242922';
  readonly accessToken = 'EAAG-a-token';
  readonly appSecret = 'app-secret-of-tests';
  readonly verifyToken = 'words of the owner';
  readonly version = 'v24.0';
  /** What people see, in order. */
  readonly shown: SentMessage[] = [];
  readonly readMarks: { readonly id: string; readonly isTyping: boolean }[] = [];
  readonly media = new Map<string, StoredMedia>();
  /** People whose last message is older than 24 hours. */
  readonly silent = new Set<string>();
  readonly templates = new Set<string>();
  readonly faults: ApiFault[] = [];
  /** Calls of the number itself are answered with the token's error. */
  isTokenValid = true;
  downloads = 0;
  /** Where webhooks are posted. */
  webhookUrl = '';
  /** Bodies that got no 200, in order. */
  readonly #unconfirmed: string[] = [];
  #ids = 0;
  #isDown = false;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error) => {
      if (!(error instanceof ApiError)) throw error;
      sendJson(response, error.status, error.body, error.headers);
    });
  });

  static async open(): Promise<CloudApi> {
    const api = new CloudApi();
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Every connection ends at once, as when the network is down. */
  goDown(isDown = true): void {
    this.#isDown = isDown;
    if (isDown) this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Posts a webhook until the first refusal; `redeliver` posts it again. Resolves with the status of the answer. */
  async deliver(body: unknown): Promise<number> {
    const text = escapeJson(body);
    const status = await this.post(text);
    if (status !== 200) this.#unconfirmed.push(text);
    return status;
  }

  get isConfirmed(): boolean {
    return this.#unconfirmed.length === 0;
  }

  async redeliver(): Promise<void> {
    for (const text of this.#unconfirmed.splice(0)) {
      if ((await this.post(text)) !== 200) this.#unconfirmed.push(text);
    }
  }

  /** Posts these bytes, signed as the API signs unless a signature is given. 0 where no answer came. */
  async post(text: string, signature: string | undefined = this.sign(text)): Promise<number> {
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    try {
      const response = await fetch(this.webhookUrl, { method: 'POST', headers, body: text });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }

  sign(text: string): string {
    return `sha256=${createHmac('sha256', this.appSecret).update(text).digest('hex')}`;
  }

  /** The statuses of a message that was shown, as the API posts them. */
  statusOf(message: SentMessage, status: string, error?: { code: number; title: string }): object {
    const { id, to, recipient, callbackData } = message;
    return {
      id,
      status,
      timestamp: '1749416383',
      recipient_id: to ?? recipient,
      ...(callbackData && { biz_opaque_callback_data: callbackData }),
      ...(error && { errors: [{ ...error, message: error.title, error_data: { details: error.title } }] }),
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isDown) return void request.socket.destroy();
    const { pathname } = new URL(request.url!, this.url);
    const [, version, id = '', edge] = pathname.split('/');
    const body = await readBytes(request);
    if (pathname.startsWith('/download/')) return this.#download(id, request, response);
    if (!this.isTokenValid || request.headers.authorization !== `Bearer ${this.accessToken}`) {
      throw new ApiError(190, 401, 'Error validating access token');
    }
    if (version !== this.version) throw new ApiError(2635, 400, 'You are calling a deprecated version');
    const call = `${request.method} ${edge ?? ''}`;
    const stored = this.media.get(id);
    if (call === 'GET ' && stored) return this.#describeMedia(id, stored, response);
    if (id !== this.phoneNumberId) {
      throw new ApiError(100, 400, `Unsupported request. Object with ID '${id}' does not exist`);
    }
    if (call === 'GET ') {
      return sendJson(response, 200, { display_phone_number: '+1 555-010-0000', verified_name: 'Bot', id });
    }
    if (call === 'POST media') return this.#upload(request, body, response);
    if (call === 'POST messages') return this.#takeMessage(JSON.parse(body.toString()), response);
    throw new ApiError(3, 400, 'Unknown method');
  }

  #takeMessage(body: Record<string, unknown>, response: ServerResponse): void {
    if (body.status === 'read') {
      this.readMarks.push({ id: String(body.message_id), isTyping: body.typing_indicator !== undefined });
      sendJson(response, 200, { success: true });
      return;
    }
    const fault = this.faults.shift();
    if (fault?.fault === 'error') {
      throw new ApiError(fault.code, fault.status ?? 400, fault.details ?? 'As planned', fault.headers);
    }
    if (fault?.fault === 'page') {
      response.writeHead(fault.status, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
      return;
    }
    if (fault?.fault === 'stall') return;
    const message = checkMessage(body, this, `wamid.${++this.#ids}`);
    this.shown.push(message);
    if (fault?.fault === 'lose answer') return void response.destroy();
    const input = message.to ?? message.recipient;
    const contacts = [message.to ? { input, wa_id: message.to } : { input, user_id: message.recipient }];
    sendJson(response, 200, { messaging_product: 'whatsapp', contacts, messages: [{ id: message.id }] });
  }

  async #upload(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const type = request.headers['content-type'] ?? '';
    const form = await readForm(new Uint8Array(body), type);
    const file = form.get('file');
    if (form.get('messaging_product') !== 'whatsapp' || !(file instanceof File)) {
      throw new ApiError(100, 400, '(#100) The parameter file is required');
    }
    const id = `upload-${++this.#ids}`;
    const bytes = new Uint8Array(await file.arrayBuffer());
    this.media.set(id, { bytes, type: String(form.get('type')), name: file.name });
    sendJson(response, 200, { id });
  }

  #describeMedia(id: string, media: StoredMedia, response: ServerResponse): void {
    const { bytes, type, claimedSize = bytes.byteLength, url = `${this.url}/download/${id}` } = media;
    sendJson(response, 200, {
      messaging_product: 'whatsapp',
      url,
      mime_type: type,
      file_size: claimedSize,
      id,
    });
  }

  #download(id: string, request: IncomingMessage, response: ServerResponse): void {
    this.downloads++;
    if (this.media.get(id)?.isStalled) return;
    const media = this.media.get(id);
    if (media === undefined || request.headers.authorization !== `Bearer ${this.accessToken}`) {
      return void response.writeHead(404).end();
    }
    const { bytes, type, headers } = media;
    if ((media.failures ?? 0) > 0) {
      media.failures!--;
      response.writeHead(200, { 'content-type': type, 'content-length': String(bytes.byteLength + 1) });
      return void response.write(bytes, () => response.destroy());
    }
    response.writeHead(200, { 'content-type': type, ...headers }).end(bytes);
  }
}

/** Meta escapes what is not ASCII, and slashes: another program prints the same JSON otherwise. */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

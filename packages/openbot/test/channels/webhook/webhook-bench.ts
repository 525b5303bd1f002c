import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import type { SendRequest } from '../../../src/channels/contract.ts';
import { readWebhookSettings } from '../../../src/channels/webhook/settings.ts';
import { WebhookChannel } from '../../../src/channels/webhook/webhook-channel.ts';
import { ContextHost } from '../context-host.ts';
import { TempMedia } from '../temp-media.ts';
import { WebhookDoor } from '../webhook-door.ts';

export const SECRET = 'a secret of both sides';

type Json = Record<string, unknown>;

/** What the receiver does with the next reply. */
export type ReceiverFault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'none'
  | 'lose answer'
  | 'stall';

/** A program that was attached: it posts messages and takes replies, both signed. */
export class WebhookBench {
  readonly host = new ContextHost();
  readonly media: TempMedia;
  readonly door: WebhookDoor;
  readonly faults: ReceiverFault[] = [];
  /** Replies with a right signature, without those whose key was had, where the receiver looks. */
  readonly shown: Json[] = [];
  /** Headers of each request that arrived. */
  readonly requests: Json[] = [];
  /** Bodies that got no 2xx. */
  readonly #unconfirmed: string[] = [];
  readonly #recognises: boolean;
  /** ms */
  now = 1_749_416_383_000;
  channel!: WebhookChannel;
  #isDown = false;
  readonly #server = createServer(async (request, response) => {
    if (this.#isDown) return void request.socket.destroy();
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { headers } = request;
    this.requests.push({ ...headers, path: request.url });
    const fault = this.faults.shift();
    if (fault === 'stall') return;
    if (typeof fault === 'object') {
      return void response.writeHead(fault.status, fault.headers).end(fault.body);
    }
    if (headers['x-openbot-signature-256'] !== sign(`${headers['x-openbot-timestamp']}.`, body)) {
      return void response.writeHead(401).end();
    }
    const reply = JSON.parse(body.toString()) as Json;
    const isKnown = this.#recognises && this.shown.some(({ key }) => key === headers['idempotency-key']);
    if (!isKnown) this.shown.push(reply);
    if (fault === 'lose answer') return void response.destroy();
    response.writeHead(200).end(JSON.stringify({ id: `m-${this.shown.length}` }));
  });

  private constructor(door: WebhookDoor, recognises: boolean, media: TempMedia) {
    this.door = door;
    this.#recognises = recognises;
    this.media = media;
  }

  static async open({
    recognisesRepeats = false,
    media = new TempMedia(),
  }: {
    recognisesRepeats?: boolean;
    media?: TempMedia;
  } = {}): Promise<WebhookBench> {
    const bench = new WebhookBench(await WebhookDoor.open(), recognisesRepeats, media);
    await new Promise<void>((resolve) => bench.#server.listen(0, '127.0.0.1', resolve));
    bench.makeChannel();
    afterTest(() => bench.close());
    return bench;
  }

  static async start(options?: Parameters<typeof WebhookBench.open>[0]): Promise<WebhookBench> {
    const bench = await WebhookBench.open(options);
    await bench.channel.start(bench.host);
    return bench;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/replies?of=me`;
  }

  makeChannel(settings: Json = {}): WebhookChannel {
    const all = { secret: SECRET, url: this.url, recognisesRepeats: this.#recognises, ...settings };
    this.channel = new WebhookChannel({
      accountId: 'default',
      settings: readWebhookSettings(all),
      stateDir: this.media.folder,
      now: () => this.now,
      media: this.media,
      wait: async () => {},
    });
    this.door.channel = this.channel;
    return this.channel;
  }

  send(rest: Partial<SendRequest> = {}) {
    return this.channel.send({
      key: 'turn-1:0',
      target: { channel: 'webhook', accountId: 'default', to: 'webhook:ada' },
      payload: { text: 'Hello' },
      mayBeRepeat: false,
      sentIds: [],
      onPart: async () => {},
      allowTime: async () => {},
      signal: new AbortController().signal,
      ...rest,
    });
  }

  /** Resolves with the status and the body of the answer. */
  async post(message: unknown, headers?: Record<string, string>): Promise<readonly [number, Json]> {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    const response = await fetch(this.door.url, {
      method: 'POST',
      headers: headers ?? this.sign(body),
      body,
    });
    if (!response.ok) this.#unconfirmed.push(body);
    return [response.status, (await response.json().catch(() => ({}))) as Json];
  }

  async redeliver(): Promise<void> {
    for (const body of this.#unconfirmed.splice(0)) await this.post(body);
  }

  /** Every connection ends at once, as when the network is down. */
  goDown(isDown = true): void {
    this.#isDown = isDown;
    if (isDown) this.#server.closeAllConnections();
  }

  sign(body: string, at = this.now): Record<string, string> {
    const seconds = String(Math.floor(at / 1000));
    return { 'x-openbot-timestamp': seconds, 'x-openbot-signature-256': sign(`${seconds}.`, body) };
  }

  async close(): Promise<void> {
    await this.channel.stop();
    await this.door.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function sign(time: string, body: string | Uint8Array): string {
  return `sha256=${createHmac('sha256', SECRET).update(time).update(body).digest('hex')}`;
}

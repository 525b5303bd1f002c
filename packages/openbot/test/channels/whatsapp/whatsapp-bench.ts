import { afterTest } from '../../../../../test/setup/cleaning.ts';
import type { SendRequest } from '../../../src/channels/contract.ts';
import { readWhatsAppSettings } from '../../../src/channels/whatsapp/settings.ts';
import { WhatsAppChannel } from '../../../src/channels/whatsapp/whatsapp-channel.ts';
import { ContextHost } from '../context-host.ts';
import { TempMedia } from '../temp-media.ts';
import { WebhookDoor } from '../webhook-door.ts';
import { CloudApi } from './cloud-api.ts';

export const ADA = { number: '4915112345678', userId: 'DE.13491208655302741918', name: 'Ada' };

/** 2025-06-08, the time of the messages. */
export const SENT_AT = 1_749_416_383;

type Json = Record<string, unknown>;

/** An account on the imitation, with a host that keeps what arrives. */
export class WhatsAppBench {
  readonly api: CloudApi;
  readonly door: WebhookDoor;
  readonly media: TempMedia;
  readonly host = new ContextHost();
  /** ms */
  now = SENT_AT * 1000;
  /** What was waited for, and not slept. */
  readonly waits: number[] = [];
  /** How long a webhook waits for its files: no test fails because the machine is busy. */
  filesMs = 600_000;
  channel: WhatsAppChannel;

  private constructor(api: CloudApi, door: WebhookDoor, settings: Json, media: TempMedia) {
    this.api = api;
    this.door = door;
    this.media = media;
    this.channel = this.makeChannel(settings);
  }

  static async open({ settings = {}, media = new TempMedia() }: { settings?: Json; media?: TempMedia } = {}) {
    const [api, door] = [await CloudApi.open(), await WebhookDoor.open()];
    api.webhookUrl = `${door.url}?from=meta`;
    const bench = new WhatsAppBench(api, door, settings, media);
    afterTest(() => bench.close());
    return bench;
  }

  /** Opens it and starts it. */
  static async start(options?: Parameters<typeof WhatsAppBench.open>[0]): Promise<WhatsAppBench> {
    const bench = await WhatsAppBench.open(options);
    await bench.channel.start(bench.host);
    return bench;
  }

  makeChannel(settings: Json = {}): WhatsAppChannel {
    const { phoneNumberId, accessToken, appSecret, verifyToken, url: apiRoot } = this.api;
    this.channel = new WhatsAppChannel({
      accountId: 'default',
      settings: readWhatsAppSettings({
        phoneNumberId,
        accessToken,
        appSecret,
        verifyToken,
        apiRoot,
        ...settings,
      }),
      stateDir: this.media.folder,
      now: () => this.now,
      media: this.media,
      filesMs: this.filesMs,
      wait: async (ms, signal) => {
        this.waits.push(ms);
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      },
    });
    this.door.channel = this.channel;
    return this.channel;
  }

  send(rest: Partial<SendRequest> & { readonly to?: string } = {}) {
    const { to = `whatsapp:+${ADA.number}`, ...request } = rest;
    return this.channel.send({
      key: 'turn-1:0',
      target: { channel: 'whatsapp', accountId: 'default', to },
      payload: { text: 'Hello' },
      mayBeRepeat: false,
      sentIds: [],
      onPart: async () => {},
      allowTime: async () => {},
      signal: new AbortController().signal,
      ...request,
    });
  }

  /** A person writes; the API posts it. Resolves with the status that it got. */
  write(...messages: Json[]): Promise<number> {
    return this.api.deliver(this.webhook({ messages: messages.map((message) => messageOf(message)) }));
  }

  status(...statuses: object[]): Promise<number> {
    return this.api.deliver(this.webhook({ statuses }));
  }

  webhook(...values: Json[]): Json {
    const { phoneNumberId } = this.api;
    const changes = values.map((value) => ({
      field: 'messages',
      value: {
        messaging_product: 'whatsapp',
        metadata: { display_phone_number: '15550100000', phone_number_id: phoneNumberId },
        contacts: [{ profile: { name: ADA.name }, wa_id: ADA.number, user_id: ADA.userId }],
        ...value,
      },
    }));
    return { object: 'whatsapp_business_account', entry: [{ id: '102290129340398', changes }] };
  }

  async close(): Promise<void> {
    await this.channel.stop();
    await this.door.close();
    await this.api.close();
  }
}

/** A text where nothing else is said. */
export function messageOf(fields: Json): Json {
  const type = (fields.type as string | undefined) ?? 'text';
  const { text, ...rest } = fields;
  return {
    from: ADA.number,
    id: 'wamid.in',
    timestamp: String(SENT_AT),
    type,
    ...(typeof text === 'string' && { text: { body: text } }),
    ...rest,
  };
}

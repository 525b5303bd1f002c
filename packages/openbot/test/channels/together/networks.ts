import { afterTest } from '../../../../../test/setup/cleaning.ts';
import { Imitation } from '../discord/imitation/imitation.ts';
import { BotApi } from '../telegram/bot-api.ts';
import { CloudApi } from '../whatsapp/cloud-api.ts';

export const NETWORKS = ['telegram', 'discord', 'whatsapp'] as const;
export type NetworkName = (typeof NETWORKS)[number];

export interface Shown {
  readonly network: NetworkName;
  /** As the outbox names the chat. */
  readonly to: string;
  readonly text: string;
}

/** Three imitations of networks, on which people write directly to the bot. */
export class Networks {
  readonly telegram: BotApi;
  readonly discord: Imitation;
  readonly whatsapp: CloudApi;
  #written = 0;
  #statuses = 0;

  private constructor(telegram: BotApi, discord: Imitation, whatsapp: CloudApi) {
    this.telegram = telegram;
    this.discord = discord;
    this.whatsapp = whatsapp;
  }

  static async open(): Promise<Networks> {
    const [discord, whatsapp] = [await new Imitation().start(), await CloudApi.open()];
    afterTest(async () => {
      await discord.stop();
      await whatsapp.close();
    });
    return new Networks(await BotApi.start(), discord, whatsapp);
  }

  /** Everybody may talk, as much as they like. */
  get settings() {
    const { telegram, discord, whatsapp } = this;
    const { phoneNumberId, accessToken, appSecret, verifyToken } = whatsapp;
    const open = { dmPolicy: 'open', rateLimit: 0 } as const;
    return {
      telegram: { ...open, botToken: telegram.token, apiRoot: telegram.root },
      discord: { ...open, token: discord.world.token, apiRoot: discord.origin },
      whatsapp: { ...open, phoneNumberId, accessToken, appSecret, verifyToken, apiRoot: whatsapp.url },
    };
  }

  /** Where WhatsApp finds the gateway. */
  pointWebhooksTo(port: number): void {
    this.whatsapp.webhookUrl = `http://127.0.0.1:${port}/channels/whatsapp/default`;
  }

  /** One of three people of the network writes. Returns the id of the message, which no other one has. */
  write(network: NetworkName, person: number, text: string): string {
    const id = ++this.#written;
    switch (network) {
      case 'telegram': {
        const from = { id: 701 + person, is_bot: false, first_name: `Person ${person}` };
        const chat = { id: from.id, type: 'private', first_name: from.first_name };
        const date = Math.floor(Date.now() / 1000);
        this.telegram.updates.push({ message: { message_id: id, date, chat, from, text } });
        return String(id);
      }
      case 'discord': {
        const author = { id: String(501 + person), username: `person${person}` };
        this.#followTime();
        return this.discord.sayDirectly(this.discord.world.addUser(author), text).id;
      }
      case 'whatsapp': {
        const message = {
          from: `4915112345${person}`,
          id: `wamid.in${id}`,
          type: 'text',
          text: { body: text },
        };
        const timestamp = String(Math.floor(Date.now() / 1000));
        void this.#post({ messages: [{ ...message, timestamp }] });
        return message.id;
      }
    }
  }

  /** What WhatsApp does by itself: it tells what became of messages, and comes again with what was not taken. */
  async keepUp(): Promise<void> {
    this.#followTime();
    const { whatsapp } = this;
    const news = whatsapp.shown.slice(this.#statuses);
    this.#statuses += news.length;
    if (news.length > 0) void this.#post({ statuses: news.map((one) => whatsapp.statusOf(one, 'sent')) });
    await whatsapp.redeliver();
  }

  get shown(): readonly Shown[] {
    const { telegram, discord, whatsapp } = this;
    const { self, messages } = discord.world;
    return [
      ...telegram.chats.shown.map(({ chat_id, text }): Shown => {
        return { network: 'telegram', to: `telegram:${chat_id}`, text };
      }),
      ...[...messages.values()].flat().flatMap(({ author, channel_id, content }): Shown[] => {
        const to = `user:${channel_id.slice(1)}`;
        return author.id === self.id ? [{ network: 'discord', to, text: content }] : [];
      }),
      ...whatsapp.shown.map(({ to, text }): Shown => {
        return { network: 'whatsapp', to: `whatsapp:+${to}`, text };
      }),
    ];
  }

  /** The ids of Discord have the time of this machine in them, as the real ones have. */
  #followTime(): void {
    const { world } = this.discord;
    world.moveTime(Date.now() - world.time);
  }

  #post(value: Record<string, unknown>): Promise<number> {
    const metadata = {
      display_phone_number: '15550100000',
      phone_number_id: this.whatsapp.phoneNumberId,
    };
    const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
    return this.whatsapp.deliver({
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [change] }],
    });
  }
}

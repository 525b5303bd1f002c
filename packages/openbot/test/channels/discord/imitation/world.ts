/** What an imitation of Discord knows: people, guilds, channels and what was said. */

export interface User {
  id: string;
  username: string;
  global_name?: string | null;
  discriminator?: string;
  bot?: boolean;
}

export interface ChannelObject {
  id: string;
  /** 0 text, 1 direct, 11 thread, 15 forum. */
  type: number;
  guild_id?: string;
  parent_id?: string | null;
  name?: string;
  last_message_id?: string | null;
  recipients?: User[];
  thread_metadata?: Record<string, unknown>;
}

export interface MessageObject extends Record<string, unknown> {
  id: string;
  channel_id: string;
  author: User;
  content: string;
  timestamp: string;
  edited_timestamp: string | null;
  attachments: Record<string, unknown>[];
}

export interface Guild {
  id: string;
  name: string;
  botRoles: string[];
}

const EPOCH = 1_420_070_400_000n;

export class World {
  readonly token = 'bot-token-of-the-imitation';
  readonly self: User = { id: '900', username: 'openbot', discriminator: '0', bot: true };
  readonly applicationId = '901';
  /** Of the application: it may read messages. */
  flags = 1 << 19;
  readonly users = new Map<string, User>();
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, ChannelObject>();
  readonly messages = new Map<string, MessageObject[]>();
  /** Emoji of the bot, by channel, message and emoji. */
  readonly reactions = new Set<string>();
  readonly typing: string[] = [];
  readonly joinedThreads: string[] = [];
  commands: unknown[] = [];
  readonly interactionAnswers: { readonly id: string; readonly body: Record<string, unknown> }[] = [];
  readonly #nonces = new Map<string, MessageObject>();
  #time = BigInt(Date.parse('2026-05-01T00:00:00Z'));
  #count = 0n;

  constructor() {
    this.users.set(this.self.id, this.self);
  }

  /** Of the network, in ms. It stands still unless it is moved, but no two ids are the same. */
  get time(): number {
    return Number(this.#time);
  }

  moveTime(ms: number): void {
    this.#time += BigInt(ms);
  }

  newId(): string {
    this.#count++;
    return String(((this.#time - EPOCH) << 22n) + this.#count);
  }

  addUser(user: User): User {
    this.users.set(user.id, user);
    return user;
  }

  addGuild(id: string, name: string, botRoles: string[] = []): Guild {
    const guild = { id, name, botRoles };
    this.guilds.set(id, guild);
    return guild;
  }

  addChannel(channel: ChannelObject): ChannelObject {
    this.channels.set(channel.id, channel);
    return channel;
  }

  directChannel(user: User): ChannelObject {
    const id = `7${user.id}`;
    return this.channels.get(id) ?? this.addChannel({ id, type: 1, recipients: [user] });
  }

  keep(message: MessageObject): MessageObject {
    const said = this.messages.get(message.channel_id) ?? [];
    this.messages.set(message.channel_id, said);
    said.push(message);
    const channel = this.channels.get(message.channel_id);
    if (channel !== undefined) channel.last_message_id = message.id;
    return message;
  }

  find(channelId: string, id: string): MessageObject | undefined {
    return this.messages.get(channelId)?.find((message) => message.id === id);
  }

  makeMessage(channelId: string, author: User, fields: Partial<MessageObject> = {}): MessageObject {
    const id = fields.id ?? this.newId();
    const guildId = this.channels.get(channelId)?.guild_id;
    return {
      type: 0,
      tts: false,
      mention_everyone: false,
      mentions: [],
      mention_roles: [],
      embeds: [],
      pinned: false,
      flags: 0,
      content: '',
      timestamp: new Date(this.time).toISOString(),
      edited_timestamp: null,
      attachments: [],
      ...(guildId !== undefined && { guild_id: guildId }),
      ...fields,
      id,
      channel_id: channelId,
      author,
    };
  }

  /** The one that was made with this nonce, within the few minutes that a nonce is remembered. */
  recall(nonce: string): MessageObject | undefined {
    return this.#nonces.get(nonce);
  }

  remember(nonce: string, message: MessageObject): void {
    this.#nonces.set(nonce, message);
  }

  forgetNonces(): void {
    this.#nonces.clear();
  }

  /** What the bot has said, in order. */
  shown(channelId?: string): string[] {
    const all =
      channelId === undefined ? [...this.messages.values()].flat() : (this.messages.get(channelId) ?? []);
    return all.filter(({ author }) => author.id === this.self.id).map(({ content }) => content);
  }
}

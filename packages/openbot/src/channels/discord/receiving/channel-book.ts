import type { DiscordApi } from '../discord-api.ts';
import { isRefusal } from '../sending/send-errors.ts';
import { isId } from '../snowflake.ts';
import { readList, readName, readObject, readText } from './wire-message.ts';

/** Where a message was written. */
export interface ChannelPlace extends Channel {
  readonly kind: 'direct' | 'channel' | 'thread';
  readonly guildName?: string;
  /** Of a thread: the channel or forum that it was started in. */
  readonly parent?: Channel;
}

interface Channel {
  readonly id: string;
  readonly name?: string;
  readonly guildId?: string;
  readonly isForum?: boolean;
}

interface Known extends Channel {
  readonly type: number;
  readonly parentId?: string;
}

const DIRECT = 1;
const THREADS = [10, 11, 12];
/** Forums, and forums of pictures. */
export const FORUMS = [15, 16];
const MOST_CHANNELS = 10_000;
const MOST_OTHERS = 1000;
/** Roles are given and taken without our being told. */
const ROLES_MS = 10 * 60_000;

/** What is known of channels and guilds: as the gateway told it, else as the API answers. */
export class ChannelBook {
  readonly #api: DiscordApi;
  readonly #now: () => number;
  readonly #signal: AbortSignal;
  readonly #channels = new Map<string, Known>();
  readonly #guildNames = new Map<string, string | undefined>();
  readonly #roles = new Map<string, { readonly roles: readonly string[]; readonly until: number }>();
  readonly #starters = new Map<string, string | undefined>();

  constructor(api: DiscordApi, now: () => number, signal: AbortSignal) {
    this.#signal = signal;
    this.#api = api;
    this.#now = now;
  }

  /** Takes what an event says about channels. */
  learn(event: string, data: unknown): void {
    const raw = readObject(data);
    switch (event) {
      case 'GUILD_CREATE':
        if (isId(raw.id)) this.#nameGuild(raw.id, raw.name);
        this.learnAll([...readList(raw.channels), ...readList(raw.threads)], raw.id);
        break;
      case 'THREAD_LIST_SYNC':
        this.learnAll(readList(raw.threads), raw.guild_id);
        break;
      case 'CHANNEL_CREATE':
      case 'CHANNEL_UPDATE':
      case 'THREAD_CREATE':
      case 'THREAD_UPDATE':
        this.learnAll([raw], raw.guild_id);
        break;
      case 'CHANNEL_DELETE':
      case 'THREAD_DELETE':
        this.#channels.delete(String(raw.id));
        break;
    }
  }

  learnAll(channels: readonly unknown[], guildId: unknown): void {
    for (const raw of channels) {
      const channel = readChannel(raw, guildId);
      if (channel !== undefined) keep(this.#channels, channel.id, channel, MOST_CHANNELS);
    }
  }

  /** Rejects where Discord cannot be asked: a thread that is taken for a channel would begin another conversation. */
  async find(id: string, guildId?: string): Promise<ChannelPlace> {
    if (guildId === undefined && !this.#channels.has(id)) return { kind: 'direct', id };
    const channel = await this.#channel(id, guildId);
    if (channel.type === DIRECT) return { kind: 'direct', id };
    const guild = channel.guildId ?? guildId;
    const guildName = guild === undefined ? undefined : await this.#guildName(guild);
    const place = { ...plain(channel), ...(guild !== undefined && { guildId: guild }), guildName };
    if (!THREADS.includes(channel.type) || channel.parentId === undefined)
      return { ...place, kind: 'channel' };
    return { ...place, kind: 'thread', parent: plain(await this.#channel(channel.parentId, guildId)) };
  }

  async isForum(id: string): Promise<boolean> {
    return FORUMS.includes((await this.#channel(id)).type);
  }

  async guildOf(id: string): Promise<string | undefined> {
    return (await this.#channel(id)).guildId;
  }

  /** Of a member of a guild; none where Discord does not say. */
  async rolesOf(guildId: string, userId: string): Promise<readonly string[]> {
    const name = `${guildId} ${userId}`;
    const known = this.#roles.get(name);
    if (known !== undefined && known.until > this.#now()) return known.roles;
    const member = readObject(await this.#ask(`/guilds/${guildId}/members/${userId}`));
    const roles = readList(member.roles).filter(isId);
    keep(this.#roles, name, { roles, until: this.#now() + ROLES_MS }, MOST_OTHERS);
    return roles;
  }

  /** The words that a thread began with. A post of a forum has them in itself, a thread in the channel above. */
  async threadStarter({ id, parent }: ChannelPlace): Promise<string | undefined> {
    if (parent === undefined) return undefined;
    if (this.#starters.has(id)) return this.#starters.get(id);
    const raw = await this.#askAnyhow(`/channels/${parent.isForum ? id : parent.id}/messages/${id}`);
    const text = readText(readObject(raw).content) || undefined;
    keep(this.#starters, id, text, MOST_OTHERS);
    return text;
  }

  async #channel(id: string, guildId?: string): Promise<Known> {
    const known = this.#channels.get(id);
    if (known !== undefined) return known;
    const channel = readChannel(await this.#ask(`/channels/${id}`), guildId);
    // A refusal says nothing about what it is: kept, it would make a channel of a direct chat.
    if (channel === undefined) return { id, type: 0, guildId };
    keep(this.#channels, id, channel, MOST_CHANNELS);
    return channel;
  }

  async #guildName(id: string): Promise<string | undefined> {
    if (!this.#guildNames.has(id))
      this.#nameGuild(id, readObject(await this.#askAnyhow(`/guilds/${id}`)).name);
    return this.#guildNames.get(id);
  }

  #nameGuild(id: string, name: unknown): void {
    keep(this.#guildNames, id, readName(name) || undefined, MOST_OTHERS);
  }

  /** For what a message can do without. */
  async #askAnyhow(path: `/${string}`): Promise<unknown> {
    return this.#api.call('GET', path, { signal: this.#signal }).catch(() => undefined);
  }

  /** Undefined for what the bot may not see. */
  async #ask(path: `/${string}`): Promise<unknown> {
    try {
      return await this.#api.patiently('GET', path, { signal: this.#signal });
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }
}

function readChannel(raw: unknown, guild: unknown): Known | undefined {
  const { id, type, name, parent_id, guild_id = guild } = readObject(raw);
  if (!isId(id) || typeof type !== 'number') return undefined;
  const shown = readName(name);
  return {
    id,
    type,
    ...(shown !== '' && { name: shown }),
    ...(isId(guild_id) && { guildId: guild_id }),
    ...(isId(parent_id) && { parentId: parent_id }),
    ...(FORUMS.includes(type) && { isForum: true }),
  };
}

function plain({ id, name, guildId, isForum }: Known): Channel {
  return { id, name, guildId, isForum };
}

/** The oldest give way. */
function keep<T>(map: Map<string, T>, id: string, value: T, most: number): void {
  map.delete(id);
  map.set(id, value);
  if (map.size > most) map.delete(map.keys().next().value ?? '');
}

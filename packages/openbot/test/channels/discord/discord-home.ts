import { OpenBotError } from '@openbot/sessions';
import type { Channel, ChannelHealth, ChannelMedia } from '../../../src/channels/contract.ts';
import { DiscordChannel } from '../../../src/channels/discord/discord-channel.ts';
import type { KeptMedia } from '../../../src/media/contract.ts';
import { MemoryInboxHost } from '../memory-inbox-host.ts';
import { Imitation } from './imitation/imitation.ts';
import type { User } from './imitation/world.ts';

export const ADA: User = { id: '501', username: 'ada', global_name: 'Ada' };
export const BEN: User = { id: '502', username: 'ben', global_name: 'Ben' };

/** Files in memory: what was kept, and what can be sent. */
export class MemoryMedia implements ChannelMedia {
  maxBytes = 1000;
  readonly kept: { readonly name: string; readonly bytes: Buffer }[] = [];
  readonly sendable = new Map<string, Buffer>();
  /** Thrown by the next read. */
  refusal: Error | undefined;

  async keep({
    bytes,
    name = 'file',
    declaredType = '',
  }: Parameters<ChannelMedia['keep']>[0]): Promise<KeptMedia> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > this.maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    this.kept.push({ name, bytes: Buffer.concat(chunks) });
    return { path: `/media/${name}`, type: declaredType, size, name };
  }

  async read(url: string): ReturnType<ChannelMedia['read']> {
    if (this.refusal !== undefined) throw this.refusal;
    const bytes = this.sendable.get(url) ?? Buffer.from(url);
    return { bytes, type: 'image/png', kind: 'image', name: url.split('/').at(-1) ?? 'file' };
  }
}

function tooLarge(): Error {
  return new OpenBotError('MEDIA_TOO_LARGE', 'The file is too large');
}

/** A bot on an imitation of Discord. Pauses pass at once and are noted. */
export class DiscordHome {
  readonly network = new Imitation();
  readonly media = new MemoryMedia();
  readonly pauses: number[] = [];
  /** The pause after what only a person can mend lasts until this. */
  readonly mended = Promise.withResolvers<void>();
  readonly channels: Channel[] = [];
  host = new MemoryInboxHost();
  settings: Record<string, unknown> = {};

  static async open(): Promise<DiscordHome> {
    const home = new DiscordHome();
    await home.network.start();
    const { world } = home.network;
    world.addUser(ADA);
    world.addUser(BEN);
    world.addGuild('10', 'Workshop', ['77']);
    world.addChannel({ id: '20', type: 0, guild_id: '10', name: 'general' });
    world.addChannel({ id: '21', type: 15, guild_id: '10', name: 'ideas' });
    world.addChannel({ id: '30', type: 11, guild_id: '10', parent_id: '20', name: 'side talk' });
    world.directChannel(ADA);
    return home;
  }

  get world() {
    return this.network.world;
  }

  make(settings: Record<string, unknown> = {}): DiscordChannel {
    const { world, origin } = this.network;
    const now = () => world.time;
    const channel = new DiscordChannel(
      {
        accountId: 'default',
        settings: { token: world.token, apiRoot: origin, ...this.settings, ...settings },
        stateDir: '/nowhere',
        now,
        media: this.media,
      },
      {
        now,
        wait: async (ms, signal) => {
          this.pauses.push(ms);
          if (ms === 300_000) {
            signal?.addEventListener('abort', () => this.mended.resolve());
            await this.mended.promise;
          }
          await new Promise((resolve) => setImmediate(resolve));
        },
      },
    );
    this.channels.push(channel);
    return channel;
  }

  /** A channel that is connected. */
  async connect(): Promise<DiscordChannel> {
    const channel = this.make();
    await channel.start(this.host);
    await this.reach(channel, 'connected');
    await this.network.gateway.settled();
    return channel;
  }

  async reach(channel: Channel, state: ChannelHealth['state']): Promise<ChannelHealth> {
    await this.network.gateway.until(() => channel.health().state === state);
    return channel.health();
  }

  /** What was said has been taken. */
  async settle(channel: Channel): Promise<void> {
    await this.reach(channel, 'connected');
    await this.network.gateway.connected();
    // A busy machine may lose the connection meanwhile: then the rest comes with the next one.
    await this.network.gateway.settled({ isPatient: true });
  }

  async close(): Promise<void> {
    for (const channel of this.channels) await channel.stop();
    await this.network.stop();
  }
}

/** Runs a test on a home of its own. */
export function atHome(work: (home: DiscordHome) => Promise<void>): () => Promise<void> {
  return async () => {
    const home = await DiscordHome.open();
    try {
      await work(home);
    } finally {
      await home.close();
    }
  };
}

import type { Channel, Outlet } from '../channels/contract.ts';
import type { Sender } from '../delivery/sender.ts';
import type { OpenedChannel } from './contract.ts';

/** The channels of a bot, which come and go while it runs. */
export class BotChannels {
  /** Always the same list: those who hold it see what is open now. */
  readonly open: Channel[] = [];
  readonly #traffic = new Map<string, { lastInboundAt?: number; lastOutboundAt?: number }>();

  /** Those that are open, with what went through them. */
  list(): readonly OpenedChannel[] {
    return this.open.map((channel) => ({ channel, ...this.#traffic.get(nameOf(channel)) }));
  }

  find(place: { readonly channel: string; readonly accountId: string }): Channel | undefined {
    return this.open.find(({ name, accountId }) => name === place.channel && accountId === place.accountId);
  }

  noteInbound(channel: Pick<Outlet, 'name' | 'accountId'>, at: number): void {
    this.#noteAt(channel, { lastInboundAt: at });
  }

  noteOutbound(channel: Pick<Outlet, 'name' | 'accountId'>, at: number): void {
    this.#noteAt(channel, { lastOutboundAt: at });
  }

  /** From now on replies are sent through it. */
  add(channel: Channel, sender: Sender, hide?: (text: string) => string): void {
    this.open.push(channel);
    sender.add(channel, hide);
  }

  /** Messages that arrive later are not accepted, and replies to it wait for the next one that is opened. */
  async remove(channel: Channel, sender: Sender, withinMs: number): Promise<void> {
    const at = this.open.indexOf(channel);
    if (at >= 0) this.open.splice(at, 1);
    await sender.remove(channel, { withinMs });
    await channel.stop();
  }

  #noteAt(channel: Pick<Outlet, 'name' | 'accountId'>, times: object): void {
    const name = nameOf(channel);
    this.#traffic.set(name, { ...this.#traffic.get(name), ...times });
  }
}

function nameOf({ name, accountId }: Pick<Outlet, 'name' | 'accountId'>): string {
  return JSON.stringify([name, accountId]);
}

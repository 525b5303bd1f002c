/** All connections of a gateway: events go to those that want them. */
import type { Clock } from '../../clock.ts';
import { type EventFrame, formatEvent } from '../../gateway-protocol/frames.ts';
import type { EventHub, GatewayEvent } from '../../gateway-protocol/gateway-event.ts';
import { MOST_CONNECTIONS_OF_NETWORK, TICK_MS } from '../../gateway-protocol/limits.ts';
import { networkOf } from '../../gateway-protocol/network-of.ts';
import { Listeners } from '../../listeners.ts';
import type { Peer } from '../admission/peer.ts';
import type { Connection } from './connection.ts';
import { makePresence, type PresenceEntry } from './presence.ts';

/** Clients that come and go at about the same time are told about at once. */
const PRESENCE_MS = 100;
const LONGEST_PRESENCE_MS = 30_000;

export class Connections implements EventHub {
  readonly #all = new Set<Connection>();
  readonly #local = new Listeners<GatewayEvent>('of events');
  readonly #clock: Clock;
  readonly #self: PresenceEntry;
  #presenceVersion = 1;
  #healthVersion = 1;
  #cancelTick = () => {};
  #cancelPresence: (() => void) | undefined;

  constructor(clock: Clock, self: PresenceEntry) {
    this.#clock = clock;
    this.#self = self;
    this.#tick();
  }

  get size(): number {
    return this.#all.size;
  }

  /** Those that said hello. */
  get open(): readonly Connection[] {
    return [...this.#all].filter(({ caller }) => caller !== undefined);
  }

  /** Whether there are as many from the network of the peer as there may be. Programs of this machine are not limited. */
  isCrowded({ isLocal, address }: Peer): boolean {
    if (isLocal) return false;
    const network = networkOf(address);
    const those = [...this.#all].filter(({ peer }) => !peer.isLocal && networkOf(peer.address) === network);
    return those.length >= MOST_CONNECTIONS_OF_NETWORK;
  }

  get stateVersion() {
    return { presence: this.#presenceVersion, health: this.#healthVersion };
  }

  add(connection: Connection): void {
    this.#all.add(connection);
  }

  /** @param wasOpen it said hello, so that others were told of it */
  remove(connection: Connection, wasOpen: boolean): void {
    if (this.#all.delete(connection) && wasOpen) this.presenceChanged();
  }

  publish(event: GatewayEvent): void {
    this.#local.call(event);
    let format: ((seq: number) => string) | undefined;
    for (const connection of this.#all) {
      if (!connection.wants(event)) continue;
      format ??= formatEvent(event);
      connection.sendEvent(format, event);
    }
  }

  hasListener(event: Pick<GatewayEvent, 'audience' | 'cap' | 'agentId'>): boolean {
    for (const connection of this.#all) if (connection.wants(event)) return true;
    return false;
  }

  /** Hears all events in this process, such as those that an answer over HTTP is made of. */
  listen(listener: (event: GatewayEvent) => void): () => void {
    return this.#local.add(listener);
  }

  /** To all that said hello, whatever they may do. */
  tellAll(frame: EventFrame): void {
    const format = formatEvent(frame);
    for (const connection of this.open) connection.sendEvent(format);
  }

  presence(): readonly PresenceEntry[] {
    return [this.#self, ...this.open.map(makePresence)];
  }

  presenceChanged(): void {
    this.#presenceVersion++;
    // Each of many clients would be told of each other one: the more there are, the rarer it is done.
    const waitMs = Math.min(Math.max(PRESENCE_MS, this.#all.size ** 2 / 10), LONGEST_PRESENCE_MS);
    this.#cancelPresence ??= this.#clock.after(waitMs, () => {
      this.#cancelPresence = undefined;
      this.#tellOwners({ event: 'presence', payload: { presence: this.presence() } });
    });
  }

  /** @param only one connection, which has just come */
  tellHealth(payload: unknown, only?: Connection): void {
    if (only === undefined) this.#healthVersion++;
    this.#tellOwners({ event: 'health', payload }, only && [only]);
  }

  closeAll(code: number, reason: string): void {
    for (const connection of this.#all) connection.close(code, reason);
  }

  close(): void {
    this.#cancelTick();
    this.#cancelPresence?.();
    this.#local.end();
  }

  /** What is about all agents is not for clients of one. */
  #tellOwners(frame: EventFrame, those: Iterable<Connection> = this.#all): void {
    const format = formatEvent({ ...frame, stateVersion: this.stateVersion });
    for (const connection of those) {
      if (connection.wants({}) && connection.caller?.agentIds === undefined)
        connection.sendEvent(format, { isDroppable: true });
    }
  }

  #tick(): void {
    this.#cancelTick = this.#clock.after(TICK_MS, () => {
      this.tellAll({ event: 'tick', payload: { ts: this.#clock.now() } });
      for (const connection of this.#all) connection.ping();
      this.#tick();
    });
  }
}

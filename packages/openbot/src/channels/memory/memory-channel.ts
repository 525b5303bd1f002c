import type { Channel, ChannelHost, SendRequest } from '../contract.ts';
import { MemoryNetwork, type WrittenMessage } from './memory-network.ts';

/** An account on a network in memory: for tests, and the model for adapters. */
export class MemoryChannel implements Channel {
  readonly name: string;
  readonly accountId: string;
  readonly network: MemoryNetwork;
  #host: ChannelHost | undefined;
  #delivering: Promise<unknown> = Promise.resolve();

  constructor({
    name = 'memory',
    accountId = 'default',
    network = new MemoryNetwork(),
  }: {
    readonly name?: string;
    readonly accountId?: string;
    readonly network?: MemoryNetwork;
  } = {}) {
    this.name = name;
    this.accountId = accountId;
    this.network = network;
  }

  get recognisesRepeats(): boolean {
    return this.network.recognisesRepeats;
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
  }

  async send(request: SendRequest): Promise<{ readonly ids: readonly string[] }> {
    request.signal.throwIfAborted();
    return this.network.take(request);
  }

  /** A person writes, and the network delivers. Rejects when it was not taken; then `deliver` delivers it again. */
  async receive(message: WrittenMessage): Promise<void> {
    this.network.write(message);
    await this.deliver();
  }

  /** Delivers what the network has no confirmation for, in order, and confirms each message once it is kept. */
  async deliver(): Promise<void> {
    const delivering = this.#delivering.catch(() => {}).then(() => this.#deliverAll());
    this.#delivering = delivering;
    await delivering;
  }

  async #deliverAll(): Promise<void> {
    for (const message of [...this.network.unconfirmed]) {
      if (this.#host === undefined) return;
      await this.#host.accept(message);
      this.network.confirm(message);
    }
  }

  summary(): string {
    return `${this.name}: connected as ${this.accountId}`;
  }

  async stop(): Promise<void> {
    this.#host = undefined;
    await this.#delivering.catch(() => {});
  }
}

import type { DeliveryTarget } from '../../outbox/contract.ts';
import {
  type Channel,
  type ChannelCapabilities,
  type ChannelHealth,
  type ChannelHost,
  type MenuCommand,
  PLAIN_CHANNEL,
  type SendRequest,
} from '../contract.ts';
import { leaveRoom, markPart } from '../text/mark-repeat.ts';
import { splitText } from '../text/split-text.ts';
import { MemoryNetwork, type WrittenMessage } from './memory-network.ts';

/** An account on a network in memory: for tests, and the model for adapters. */
export class MemoryChannel implements Channel {
  readonly name: string;
  readonly accountId: string;
  readonly network: MemoryNetwork;
  readonly capabilities: ChannelCapabilities;
  #host: ChannelHost | undefined;
  #delivering: Promise<unknown> = Promise.resolve();

  constructor({
    name = 'memory',
    accountId = 'default',
    network = new MemoryNetwork(),
    capabilities = {},
  }: {
    readonly name?: string;
    readonly accountId?: string;
    readonly network?: MemoryNetwork;
    readonly capabilities?: Partial<ChannelCapabilities>;
  } = {}) {
    this.name = name;
    this.accountId = accountId;
    this.network = network;
    const { recognisesRepeats } = network;
    this.capabilities = { ...PLAIN_CHANNEL, recognisesRepeats, ...capabilities };
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host;
  }

  async send(request: SendRequest): Promise<{ readonly ids: readonly string[] }> {
    const { textLimit } = this.capabilities;
    const texts = splitText(request.payload.text ?? '', leaveRoom(textLimit));
    const ids = [...request.sentIds];
    for (const [index, part] of [...texts.entries()].slice(ids.length)) {
      request.signal.throwIfAborted();
      const mark = index === request.sentIds.length ? request.mark : undefined;
      const text = markPart(mark, part, textLimit);
      const key = texts.length === 1 ? request.key : `${request.key}/${index}`;
      const payload = index === 0 ? { ...request.payload, text } : { text };
      const id = await this.network.take({
        ...request,
        key,
        payload: texts.length === 1 && mark === undefined ? request.payload : payload,
      });
      ids.push(id);
      if (index < texts.length - 1) await request.onPart(id);
    }
    return { ids };
  }

  async edit({ target, id, text, signal }: Parameters<NonNullable<Channel['edit']>>[0]): Promise<void> {
    signal.throwIfAborted();
    await this.network.edit(target, id, text, signal);
  }

  async react(_target: DeliveryTarget, messageId: string, emoji: string | undefined): Promise<void> {
    this.network.react(messageId, emoji);
  }

  async showActivity(target: DeliveryTarget): Promise<void> {
    this.network.activity.push(target.to);
  }

  async setCommands(commands: readonly MenuCommand[]): Promise<void> {
    this.network.commands = commands;
  }

  async probe(): Promise<string> {
    return `${this.name}: the network knows ${this.accountId}`;
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

  health(): ChannelHealth {
    return this.#host === undefined ? { state: 'stopped' } : { state: 'connected', since: 0 };
  }

  summary(): string {
    return `${this.name}: connected as ${this.accountId}`;
  }

  async stop(): Promise<void> {
    this.#host = undefined;
    await this.#delivering.catch(() => {});
  }
}

/** Telegram's Bot API on loopback, as far as messages of many people and the answers to them need it. It costs little. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 10;
const FIRST_PERSON = 1000;
const BOT = { id: 123456, is_bot: true, first_name: 'Bot', username: 'bench_bot' };
const JSON_TYPE = { 'content-type': 'application/json' };

interface Answered {
  /** From the arrival of each message until its answer was sent, in ms, sorted. */
  readonly times: readonly number[];
  readonly lost: number;
  readonly outOfOrder: number;
  readonly doubled: number;
  /** From the first message until the last answer. */
  readonly seconds: number;
}

export class TelegramLoad {
  readonly token = '123456:AAF-token-of-the-bench';
  readonly #server = createServer((request, response) => this.#serve(request, response));
  #queue: { readonly update_id: number; readonly message: object }[] = [];
  #held: ServerResponse | undefined;
  #nextId = 1;
  #onPoll = () => {};
  readonly #arrived = new Map<string, number>();
  readonly #times = new Map<string, number>();
  readonly #last = new Map<string, number>();
  #outOfOrder = 0;
  #doubled = 0;
  #lastAnswer = 0;

  static async open(): Promise<TelegramLoad> {
    const load = new TelegramLoad();
    await new Promise<void>((resolve) => load.#server.listen(0, '127.0.0.1', resolve));
    return load;
  }

  get root(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the bot asks for messages the next time. */
  nextPoll(): Promise<void> {
    return new Promise((resolve) => {
      this.#onPoll = resolve;
    });
  }

  /** So many messages a second, of each person in turn, and until they are answered. `patienceMs` without an answer end it. */
  async talk(people: number, perSecond: number, seconds: number, patienceMs = 20_000): Promise<Answered> {
    for (const kept of [this.#arrived, this.#times, this.#last]) kept.clear();
    this.#outOfOrder = 0;
    this.#doubled = 0;
    const begun = performance.now();
    const total = perSecond * seconds;
    for (let said = 0; said < total; await sleep(STEP_MS)) {
      const due = Math.min(total, Math.floor(((performance.now() - begun) / 1000) * perSecond));
      for (; said < due; said++) this.#say(said % people, Math.floor(said / people));
      this.#give();
    }
    this.#lastAnswer = performance.now();
    while (this.#times.size < total && performance.now() - this.#lastAnswer < patienceMs)
      await sleep(STEP_MS);
    return {
      times: [...this.#times.values()].sort((one, other) => one - other),
      lost: total - this.#times.size,
      outOfOrder: this.#outOfOrder,
      doubled: this.#doubled,
      seconds: (this.#lastAnswer - begun) / 1000,
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #say(person: number, count: number): void {
    const id = FIRST_PERSON + person;
    const message = {
      message_id: this.#nextId,
      date: Math.floor(Date.now() / 1000),
      chat: { id, type: 'private', first_name: `Person ${person}` },
      from: { id, is_bot: false, first_name: `Person ${person}` },
      text: `message ${count} of ${id}`,
    };
    this.#arrived.set(`${count} of ${id}`, performance.now());
    this.#queue.push({ update_id: this.#nextId++, message });
  }

  #give(): void {
    if (this.#held === undefined || this.#queue.length === 0) return;
    const held = this.#held;
    this.#held = undefined;
    answer(held, this.#queue.slice(0, 100));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const params = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
      this.#carryOut(request.url!.slice(request.url!.lastIndexOf('/') + 1), params, response);
    });
  }

  #carryOut(method: string, params: Record<string, unknown>, response: ServerResponse): void {
    if (method === 'getUpdates') this.#poll(params, response);
    else if (method === 'getMe') answer(response, BOT);
    else if (method === 'sendMessage') {
      this.#hear(String(params.text));
      answer(response, { message_id: this.#nextId++, date: 1, chat: { id: params.chat_id } });
    } else answer(response, true);
  }

  #poll({ offset = 0, timeout = 0 }: { offset?: number; timeout?: number }, response: ServerResponse): void {
    this.#onPoll();
    const first = this.#queue.findIndex(({ update_id }) => update_id >= offset);
    this.#queue = first < 0 ? [] : this.#queue.slice(first);
    this.#held = response;
    if (this.#queue.length > 0) this.#give();
    else if (timeout === 0) {
      this.#held = undefined;
      answer(response, []);
    }
  }

  #hear(text: string): void {
    const now = performance.now();
    const [name, count, person] = /(\d+) of (\d+)/.exec(text) ?? [];
    const arrivedAt = this.#arrived.get(name ?? '');
    if (name === undefined || person === undefined || arrivedAt === undefined) return;
    if (this.#times.has(name)) {
      this.#doubled++;
      return;
    }
    if (Number(count) !== (this.#last.get(person) ?? -1) + 1) this.#outOfOrder++;
    this.#last.set(person, Number(count));
    this.#times.set(name, now - arrivedAt);
    this.#lastAnswer = now;
  }
}

function answer(response: ServerResponse, result: unknown): void {
  response.writeHead(200, JSON_TYPE).end(JSON.stringify({ ok: true, result }));
}

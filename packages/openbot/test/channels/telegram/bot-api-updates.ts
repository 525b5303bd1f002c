import type { IncomingMessage } from 'node:http';
import { refuse } from './bot-api-refusal.ts';

export type Update = { readonly update_id: number } & Record<string, unknown>;

interface Waiting {
  readonly answer: (updates: Update[]) => void;
  readonly end: (error: unknown) => void;
}

/** Updates of the bot until they are confirmed: by the offset of the next poll, or by the answer to a webhook. */
export class UpdateQueue {
  #queue: Update[] = [];
  /** Given out again although they were confirmed. */
  readonly #again = new Set<Update>();
  #waiting: Waiting | undefined;
  #allowed: readonly string[] = [];
  #nextId = 1000;
  #delivering: Promise<unknown> = Promise.resolve();
  webhook: { readonly url: string; readonly secret: string; readonly connections: number } | undefined;
  /** Of the last call of the webhook that failed: Telegram never takes it back. */
  lastError: { readonly last_error_date: number; readonly last_error_message: string } | undefined;
  polls = 0;

  get unconfirmed(): readonly Update[] {
    return this.#queue;
  }

  get isPolled(): boolean {
    return this.#waiting !== undefined;
  }

  get allowed(): readonly string[] {
    return this.#allowed;
  }

  /** Something happens. Undefined where the bot did not ask for such updates. */
  push(update: Record<string, unknown>): Update | undefined {
    if (this.#allowed.length > 0 && !Object.keys(update).some((key) => this.#allowed.includes(key))) return;
    const whole = { update_id: this.#nextId++, ...update };
    this.#queue.push(whole);
    this.#wake();
    return whole;
  }

  repeat(update: Update): void {
    this.#again.add(update);
    this.#queue = [update, ...this.#queue.filter((mine) => mine !== update)];
    this.#wake();
  }

  /** Resolves when the webhook was called for what there was. */
  get delivering(): Promise<unknown> {
    return this.#delivering;
  }

  /**
   * A webhook is called for one update after the other, until one is not taken. With several connections the calls of a
   * group of updates pass each other: the last one arrives first.
   */
  callWebhook(): Promise<unknown> {
    this.#delivering = this.#delivering.then(async () => {
      while (this.webhook !== undefined && this.#queue.length > 0) {
        const group = this.#queue.slice(0, this.webhook.connections).reverse();
        const taken = await Promise.all(group.map((update) => this.#call(update)));
        if (taken.includes(false)) return;
      }
    });
    return this.#delivering;
  }

  async #call(update: Update): Promise<boolean> {
    if (this.webhook === undefined) return false;
    const { url, secret } = this.webhook;
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(update) }).catch(
      () => undefined,
    );
    await answer?.text();
    if (!answer?.ok) {
      const last_error_date = (this.lastError?.last_error_date ?? 1_700_000_000) + 1;
      const last_error_message = answer
        ? `Wrong response from the webhook: ${answer.status} ${answer.statusText}`
        : 'Connection refused';
      this.lastError = { last_error_date, last_error_message };
      return false;
    }
    this.#again.delete(update);
    this.#queue = this.#queue.filter((mine) => mine !== update);
    return true;
  }

  async setWebhook(params: Record<string, unknown>): Promise<true> {
    const { url = '', secret_token = '', max_connections = 40, allowed_updates } = params;
    const connections = Number(max_connections);
    this.webhook = url === '' ? undefined : { url: String(url), secret: String(secret_token), connections };
    if (Array.isArray(allowed_updates)) this.#allowed = allowed_updates;
    if (this.webhook !== undefined) void this.callWebhook();
    return true;
  }

  async poll(params: Record<string, unknown>, request: IncomingMessage): Promise<Update[]> {
    this.polls++;
    if (this.webhook !== undefined)
      refuse(
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        409,
      );
    this.#waiting?.end(refusal());
    const { offset = 0, timeout = 0, limit = 100, allowed_updates } = params as Record<string, number>;
    if (Array.isArray(allowed_updates)) this.#allowed = allowed_updates;
    this.#queue = this.#queue.filter((mine) => mine.update_id >= offset || this.#again.has(mine));
    const give = () => {
      const given = this.#queue.slice(0, limit);
      for (const update of given) this.#again.delete(update);
      return given;
    };
    if (this.#queue.length > 0 || timeout === 0) return give();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#waiting?.answer([]), 1000 * timeout);
      const leave = () => {
        clearTimeout(timer);
        request.socket.off('close', leave);
        if (this.#waiting === waiting) this.#waiting = undefined;
      };
      const waiting: Waiting = {
        answer: () => {
          leave();
          resolve(give());
        },
        end: (error) => {
          leave();
          reject(error);
        },
      };
      this.#waiting = waiting;
      request.socket.once('close', leave);
    });
  }

  #wake(): void {
    this.#waiting?.answer([]);
    if (this.webhook !== undefined) void this.callWebhook();
  }

  close(): void {
    this.#waiting?.answer([]);
    this.webhook = undefined;
  }
}

function refusal(): unknown {
  try {
    return refuse(
      'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      409,
    );
  } catch (error) {
    return error;
  }
}

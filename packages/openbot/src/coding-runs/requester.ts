import { setTimeout as sleep } from 'node:timers/promises';
import { resolveSendPolicy, type SessionStore } from '@openbot/sessions';
import { shorten } from '@openbot/sessions/terminal-text';
import type { BotConfig } from '../config/bot-config.ts';
import type { Inbox } from '../inbox/contract.ts';
import type { Outbox, OutboxMessage } from '../outbox/contract.ts';
import { addressOf } from '../session-address.ts';
import type { RunRecord } from './contract.ts';

const MOST_CHARACTERS = 3500;

export interface RequesterParts {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly config: BotConfig;
  storeOf(agentId: string): SessionStore;
  now(): number;
  wakeSender(): void;
}

/** Tells the person who asked for a run, and the agent, what happens in it. */
export class Requester {
  readonly #parts: RequesterParts;
  readonly #run: RunRecord;
  #count = 0;

  constructor(parts: RequesterParts, run: RunRecord) {
    this.#parts = parts;
    this.#run = run;
  }

  /** False when the send policy does not allow it; the agent reads it all the same. Once for each `name`. */
  async tell(text: string, name?: string): Promise<boolean> {
    const { inbox, outbox, now, wakeSender } = this.#parts;
    const { id, agentId, sessionKey, requester: target } = this.#run;
    const maySend = await this.#maySend();
    const words = shorten(text, MOST_CHARACTERS);
    if (maySend) {
      // Only what is sent has a number: replies are looked for by them, up to the first that is missing.
      const key = keyOf(this.#run, name ?? this.#count++);
      await outbox.put([{ key, agentId, sessionKey, target, payload: { text: words }, createdAt: now() }]);
      wakeSender();
    }
    const told = maySend ? 'The person was told' : 'The send policy kept this from the person';
    const event = `Coding run ${id} in ${this.#run.repoPath}. ${told}: ${words}`;
    await inbox.addEvent(addressOf({ agentId, sessionKey }), { text: event, at: now() });
    return maySend;
  }

  async #maySend(): Promise<boolean> {
    const { config: cfg, storeOf } = this.#parts;
    const { agentId, sessionKey, requester } = this.#run;
    const entry = await storeOf(agentId).get(sessionKey);
    return resolveSendPolicy({ cfg, entry, sessionKey, channel: requester.channel }) === 'allow';
  }
}

function keyOf({ id }: RunRecord, name: string | number): string {
  return `coding:${id}:${name}`;
}

/** Whether a message that the network named `messageId` is one of those that the run sent. */
export async function hasSent(outbox: Outbox, run: RunRecord, messageId: string): Promise<boolean> {
  for (let n = 0; ; n++) {
    const message = await getSettled(outbox, keyOf(run, n));
    if (message === undefined) return false;
    if (message.state === 'sent' && message.ids.includes(messageId)) return true;
  }
}

const SETTLE_TRIES = 100;

/** A person may reply before the id of the message is written down: that is waited for, at most some seconds. */
async function getSettled(outbox: Outbox, key: string): Promise<OutboxMessage | undefined> {
  for (let tries = 0; ; tries++) {
    const message = await outbox.get(key);
    if (message?.state !== 'sending' || tries === SETTLE_TRIES) return message;
    await sleep(50);
  }
}

import { OpenBotError } from '@openbot/sessions';
import type { QueueSettings } from '@openbot/sessions/policy';
import type { InboxMessage } from '../inbox/contract.ts';
import type { SessionRef } from '../session-address.ts';
import type { QueueDependencies } from './dependencies.ts';
import { type Drop, describeLeftOut, findLeftOut } from './overflow.ts';
import { type NextStep, planNext, type QueueRules, targetOf } from './plan.ts';

/** How far back to look for messages that were pushed out of the queue. */
const RECENT = 200;

/** Reads and moves the messages of one session. */
export class SessionMessages {
  readonly #session: SessionRef;
  readonly #dependencies: QueueDependencies;

  constructor(session: SessionRef, dependencies: QueueDependencies) {
    this.#session = session;
    this.#dependencies = dependencies;
  }

  waiting(): Promise<readonly InboxMessage[]> {
    return this.#dependencies.inbox.waiting(this.#session);
  }

  async plan(waiting: readonly InboxMessage[]): Promise<NextStep> {
    if (waiting.length === 0) return { step: 'nothing' };
    // The usual case needs no settings.
    if (isSingle(waiting)) return { step: 'start', messages: waiting, queue: [] };
    const { drops, next } = planNext(waiting, await this.makeRules(waiting));
    for (const drop of drops) await this.drop(drop, waiting);
    return next;
  }

  async begin(messages: readonly InboxMessage[], turnId: string, queue: readonly number[]): Promise<void> {
    const { inbox } = this.#dependencies;
    const seqs = messages.map(({ seq }) => seq);
    const [begun] = await Promise.all([
      inbox.move(seqs, { state: 'running', turnId }),
      queue.length === 0 ? undefined : inbox.move(queue, { state: 'queued' }, ['received']),
    ]);
    if (begun.length < seqs.length) {
      throw new OpenBotError('MESSAGE_WITHDRAWN', 'A message was withdrawn when its turn began.');
    }
  }

  async findNote(messages: readonly InboxMessage[]): Promise<string | undefined> {
    const first = messages[0]!;
    const { channel, accountId, conversationId } = first.identity;
    const { sessionKey } = this.#session;
    const conversation = { channel, accountId, conversationId };
    const recent = await this.#dependencies.inbox.recent(conversation, RECENT, { sessionKey });
    const target = targetOf(first);
    return describeLeftOut(
      findLeftOut(
        recent.filter((message) => targetOf(message) === target),
        first,
      ),
    );
  }

  async makeRules(messages: readonly InboxMessage[]): Promise<QueueRules> {
    const { clock, settingsOf, kindOf } = this.#dependencies;
    const settings = new Map<string, QueueSettings>();
    for (const { channel } of messages.map(({ identity }) => identity)) {
      if (!settings.has(channel)) settings.set(channel, await settingsOf(this.#session, channel));
    }
    return { now: clock.now(), kindOf, settingsOf: ({ identity }) => settings.get(identity.channel)! };
  }

  async drop({ seqs, reason }: Drop, among: readonly InboxMessage[]): Promise<void> {
    await this.#dependencies.inbox.move(seqs, { state: 'dropped', reason });
    this.#dependencies.onDropped(
      among.filter(({ seq }) => seqs.includes(seq)),
      reason,
    );
  }
}

export function isSingle(messages: readonly InboxMessage[]): boolean {
  return messages.length === 1 && messages[0]?.state === 'received';
}

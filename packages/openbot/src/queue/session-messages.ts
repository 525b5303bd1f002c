import { OpenBotError } from '@openbot/sessions';
import type { QueueSettings } from '@openbot/sessions/policy';
import type { InboxMessage } from '../inbox/contract.ts';
import type { SessionRef } from '../session-address.ts';
import { type Lane, laneOf } from './contract.ts';
import type { QueueDependencies } from './dependencies.ts';
import { type Drop, describeLeftOut, findLeftOut } from './overflow.ts';
import { type NextStep, planAsides, planNext, type QueueRules, targetOf } from './plan.ts';

/**
 * How far back to look for messages that were pushed out of the queue: as far as the last one that had a turn, which is
 * mostly the one before.
 */
const LOOKS_BACK = [1, 20, 200];

/** Reads and moves the messages of one lane of a session. */
export class SessionMessages {
  readonly #session: SessionRef;
  readonly #lane: Lane;
  readonly #dependencies: QueueDependencies;

  constructor(session: SessionRef, lane: Lane, dependencies: QueueDependencies) {
    this.#session = session;
    this.#lane = lane;
    this.#dependencies = dependencies;
  }

  async waiting(): Promise<readonly InboxMessage[]> {
    const { kindOf } = this.#dependencies;
    return (await this.#waitingInBoth()).filter((message) => laneOf(kindOf(message)) === this.#lane);
  }

  async #waitingInBoth(): Promise<readonly InboxMessage[]> {
    const { inbox, kindOf } = this.#dependencies;
    const all = await inbox.waiting(this.#session);
    const open = all.filter(({ kind }) => kind === undefined);
    if (open.length === 0) return all;
    await inbox.decideKinds(new Map(open.map((message) => [message.seq, kindOf(message)])));
    // The other lane, or another process, may have been faster.
    return inbox.waiting(this.#session);
  }

  async plan(all: readonly InboxMessage[]): Promise<NextStep> {
    const waiting = await this.#dropRefused(all);
    if (waiting.length === 0) return { step: 'nothing' };
    if (this.#lane === 'asides') return planAsides(waiting);
    // The usual case needs no settings.
    if (isSingle(waiting)) return { step: 'start', messages: waiting, queue: [] };
    const { drops, next } = planNext(waiting, await this.makeRules(waiting));
    for (const drop of drops) await this.drop(drop, waiting);
    return next;
  }

  /** Returns the others. Of a turn that was begun its run closes what it has left. */
  async #dropRefused(waiting: readonly InboxMessage[]): Promise<readonly InboxMessage[]> {
    const { refusalOf } = this.#dependencies;
    const gone = new Set<InboxMessage>();
    for (const message of waiting) {
      const reason = message.state === 'running' ? undefined : refusalOf(message);
      if (reason === undefined) continue;
      gone.add(message);
      await this.drop({ seqs: [message.seq], reason }, waiting);
    }
    return gone.size === 0 ? waiting : waiting.filter((message) => !gone.has(message));
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
    if (this.#lane === 'asides') return undefined;
    const first = messages[0]!;
    const { channel, accountId, conversationId } = first.identity;
    const { sessionKey } = this.#session;
    const conversation = { channel, accountId, conversationId };
    const among = { sessionKey, beforeSeq: first.seq };
    const target = targetOf(first);
    const isAlike = (message: InboxMessage) =>
      targetOf(message) === target && laneOf(this.#dependencies.kindOf(message)) === this.#lane;
    let earlier: readonly InboxMessage[] = [];
    for (const limit of LOOKS_BACK) {
      const recent = await this.#dependencies.inbox.recent(conversation, limit, among);
      earlier = recent.filter(isAlike);
      if (recent.length < limit || earlier.some(({ state }) => state !== 'dropped')) break;
    }
    return describeLeftOut(findLeftOut(earlier));
  }

  async makeRules(messages: readonly InboxMessage[]): Promise<QueueRules> {
    const { clock, settingsOf, kindOf, hintOf } = this.#dependencies;
    const settings = new Map<string, QueueSettings>();
    for (const { channel } of messages.map(({ identity }) => identity)) {
      if (!settings.has(channel)) settings.set(channel, await settingsOf(this.#session, channel));
    }
    return {
      now: clock.now(),
      kindOf,
      settingsOf: (message) => ({ ...settings.get(message.identity.channel)!, ...hintOf(message) }),
    };
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

import type { MsgContext } from '@openbot/sessions';
import { type Outlet, OWN_OUTLET } from '../channels/contract.ts';
import type { Inbox, InboxMessage, Relay, TurnWish } from '../inbox/contract.ts';
import type { Outbox, OutboxMessage } from '../outbox/contract.ts';
import { addressOf, type SessionRef } from '../session-address.ts';
import { SESSIONS_CHANNEL } from '../turn/deliver.ts';
import { describeAnnouncement, describeLateAnswer } from './relay-words.ts';

const ACCOUNT = 'default';

export interface RelayParts {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  /** With the key that its messages are accepted under. */
  canonical(session: SessionRef): SessionRef;
  /** The chat type of a session; undefined where it is not known. */
  chatTypeOf(session: SessionRef): Promise<MsgContext['ChatType']>;
  now(): number;
  wakeSession(session: SessionRef): void;
  /** A turn of the agent waits: another one may have its place until the returned function is called. */
  lendPlace(agentId: string): () => void;
}

/** How the turn of a message ended. */
export interface RelayEnd {
  readonly isAnswered: boolean;
  /** What was answered, or what went wrong. */
  readonly text: string;
}

/**
 * Messages between the sessions of an agent. One is accepted into the inbox like that of a person, and its reply leaves by
 * the outbox, to an account that brings it to the asker: both are durable, and each arrives once whatever process dies.
 */
export class RelayDesk {
  readonly #parts: RelayParts;
  /** Messages whose answer a tool of this process waits for. */
  readonly #awaited = new Set<number>();

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  isAwaited(seq: number): boolean {
    return this.#awaited.has(seq);
  }

  /** @param key the same one is accepted once */
  async put(request: {
    readonly key: string;
    readonly to: SessionRef;
    readonly text: string;
    readonly relay: Relay;
    readonly wish?: TurnWish;
  }): Promise<InboxMessage> {
    const { inbox, now, chatTypeOf } = this.#parts;
    const { key, text, relay, wish } = request;
    const to = this.#parts.canonical(request.to);
    const conversationId = `${relay.chain.at(-1)} > ${addressOf(to)}`;
    const { message } = await inbox.accept({
      identity: { channel: SESSIONS_CHANNEL, accountId: ACCOUNT, conversationId, messageId: key },
      ...to,
      // As an event of the system it neither ends a session that is old nor changes where its person is answered.
      ctx: { RawBody: text, Provider: 'exec-event', ChatType: (await chatTypeOf(to)) ?? 'direct' },
      wish: { ...wish, relay },
      receivedAt: now(),
    });
    return message;
  }

  wake({ agentId, sessionKey }: SessionRef): void {
    this.#parts.wakeSession(this.#parts.canonical({ agentId, sessionKey }));
  }

  /** Undefined when the message has no answer in time. The answer then comes as its relay says. */
  async wait(
    message: InboxMessage,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<RelayEnd | undefined> {
    const { inbox, lendPlace } = this.#parts;
    const { seq } = message;
    const ended = Promise.withResolvers<RelayEnd | undefined>();
    const look = () => {
      this.#findEnd(seq).then((end) => end && ended.resolve(end), ended.reject);
    };
    const giveUp = () => ended.resolve(undefined);
    this.#awaited.add(seq);
    const stopLooking = inbox.onChange(look);
    const timer = setTimeout(giveUp, timeoutMs);
    signal.addEventListener('abort', giveUp, { once: true });
    const takeBack = lendPlace(message.agentId);
    try {
      this.wake(message);
      look();
      // A reply that arrived at the last moment was kept back for this wait.
      return (await ended.promise) ?? (await this.#findReply(seq));
    } finally {
      this.#awaited.delete(seq);
      takeBack();
      clearTimeout(timer);
      stopLooking();
      signal.removeEventListener('abort', giveUp);
    }
  }

  async #findEnd(seq: number): Promise<RelayEnd | undefined> {
    const message = await this.#parts.inbox.get(seq);
    switch (message?.state) {
      case 'answered':
        return (await this.#findReply(seq)) ?? { isAnswered: true, text: '' };
      case 'failed':
        return (await this.#findReply(seq)) ?? { isAnswered: false, text: message.error };
      case 'dropped':
        return { isAnswered: false, text: message.reason };
      default:
        return undefined;
    }
  }

  async #findReply(seq: number): Promise<RelayEnd | undefined> {
    const message = await this.#parts.inbox.get(seq);
    const turnId = message !== undefined && 'turnId' in message ? message.turnId : undefined;
    const replies = turnId === undefined ? [] : await this.#repliesOf(turnId);
    return replies.length === 0 ? undefined : endOf(replies);
  }

  async #repliesOf(turnId: string): Promise<OutboxMessage[]> {
    const all = await this.#parts.outbox.ofTurn(turnId);
    return all.filter(({ target }) => target.channel === SESSIONS_CHANNEL);
  }

  /** Brings replies to the sessions that asked. */
  openAccount(): Outlet {
    return {
      name: SESSIONS_CHANNEL,
      accountId: ACCOUNT,
      // What it does is recognised by its key in the inbox.
      capabilities: OWN_OUTLET,
      send: async ({ key }) => {
        await this.#bring(key);
        return { ids: [] };
      },
    };
  }

  async #bring(key: string): Promise<void> {
    const { inbox, outbox } = this.#parts;
    const turnId = (await outbox.get(key))?.turnId;
    if (turnId === undefined) return;
    const message = (await inbox.ofTurn(turnId)).findLast(({ wish }) => wish?.relay !== undefined);
    const relay = message?.wish?.relay;
    if (message === undefined || relay === undefined) return;
    if (relay.kind === 'announce' || this.#awaited.has(message.seq)) return;
    const replies = await this.#repliesOf(turnId);
    // All replies of a turn are told together, with the first one.
    const [first] = replies;
    if (first?.key !== key) return;
    await this.#tell(message, relay, endOf(replies), first.createdAt);
  }

  async #tell(message: InboxMessage, relay: Relay, end: RelayEnd, at: number): Promise<void> {
    const { agentId, sessionKey } = message;
    const asker = { agentId, sessionKey: relay.chain.at(-1)! };
    const told = { ...end, sessionKey, label: relay.label };
    if (relay.announceTo === undefined) {
      const text = describeLateAnswer(told);
      // Of the time of the reply: a process that brings it again after a crash adds nothing.
      await this.#parts.inbox.addEvent(addressOf(asker), { text, at });
      return;
    }
    await this.put({
      key: `${message.identity.messageId}:told`,
      to: asker,
      text: describeAnnouncement(told),
      relay: { kind: 'announce', chain: [...relay.chain, sessionKey] },
      wish: { deliverTo: relay.announceTo },
    });
    this.wake(asker);
  }
}

function endOf(replies: readonly OutboxMessage[]): RelayEnd {
  const texts = replies.map(({ payload }) =>
    [payload.text, ...(payload.mediaUrls ?? []).map((url) => `MEDIA:${url}`)].filter(Boolean).join('\n'),
  );
  return {
    isAnswered: !replies.some(({ payload }) => payload.isError),
    text: texts.filter((text) => text !== '').join('\n\n'),
  };
}

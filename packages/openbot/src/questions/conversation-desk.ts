import { randomBytes } from 'node:crypto';
import type { MessageIdentity } from '../inbox/contract.ts';
import type { DeliveryTarget, OutboundMessage, Outbox } from '../outbox/contract.ts';
import type { Answer, Asker, OpenQuestion, Question } from '../permissions/contract.ts';
import { type ParsedAnswer, parseAnswer } from './parse-answer.ts';
import { listAnswers, type QuestionEnd, writeEnd, writeLate, writeQuestion } from './write-question.ts';

export type Conversation = Omit<MessageIdentity, 'messageId'>;

/** Who asks, and where the person is. */
export interface AskingTurn {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly turnId: string;
  /** Only answers from here count. */
  readonly conversation: Conversation;
  readonly target: DeliveryTarget;
}

/** A message of a sender who may answer. */
export interface PossibleAnswer {
  readonly identity: MessageIdentity;
  readonly text: string;
  /** The message that it is a reply to, and the text of that. */
  readonly replyToId?: string;
  readonly replyToText?: string;
}

/** A message that is an answer and no turn of its own. */
export interface TakenAnswer {
  /** Of the run that asked. */
  readonly turnId: string;
  /** Call it once the message is kept, and for its first delivery only. */
  settle(): Promise<void>;
}

interface Open {
  readonly turnId: string;
  readonly conversation: string;
  settle(how: QuestionEnd): Promise<void>;
}

export interface DeskOptions {
  readonly outbox: Outbox;
  /** ms */
  now(): number;
  /** Something is in the outbox. */
  onPut(): void;
  newId?(): string;
}

/**
 * Asks people in their conversations: the question is a message, and so is its answer. Each question and each end is in
 * the outbox under a key of its own, so that an answer that comes too late, also after a crash, is recognised.
 */
export class ConversationDesk {
  readonly #options: DeskOptions;
  /** By the key of the question. */
  readonly #open = new Map<string, Open>();

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  askerFor(turn: AskingTurn): Asker {
    return { ask: (question) => this.#ask(turn, question) };
  }

  /** Undefined for a message that answers no question of its conversation. */
  async take(message: PossibleAnswer): Promise<TakenAnswer | undefined> {
    const parsed = parseAnswer(message.text);
    const key = parsed && (await this.#findKey(message, parsed));
    if (key === undefined) return undefined;
    const { answer } = parsed!;
    const open = this.#open.get(key);
    if (open !== undefined) return { turnId: open.turnId, settle: () => open.settle(answer) };
    const asked = await this.#options.outbox.get(key);
    const mark = asked?.payload.question;
    if (asked === undefined || mark === undefined) return undefined;
    return {
      turnId: mark.turnId,
      settle: () => this.#answerLate(asked, mark.id, message.identity.messageId),
    };
  }

  async #ask(turn: AskingTurn, question: Question): Promise<OpenQuestion> {
    const { turnId } = turn;
    const { promise: answer, resolve } = Promise.withResolvers<Answer>();
    const { id, key } = await this.#enter(nameOf(turn.conversation), (id, key) => ({
      turnId,
      conversation: nameOf(turn.conversation),
      settle: async (how) => {
        if (!this.#open.delete(key)) return;
        if (how === 'yes' || how === 'always' || how === 'no') resolve(how);
        await this.#put({ ...turn, key: endOf(key), payload: { text: writeEnd(id, how, question) } });
      },
    }));
    const { settle: close } = this.#open.get(key)!;
    try {
      const answers = listAnswers(id, question);
      const payload = { text: writeQuestion(id, question), question: { id, turnId, answers } };
      await this.#put({ ...turn, key, payload });
    } catch (error) {
      this.#open.delete(key);
      throw error;
    }
    return { answer, close };
  }

  /** Opens a question under an id that its conversation has not had: the outbox would take it for the former one. */
  async #enter(
    conversation: string,
    make: (id: string, key: string) => Open,
  ): Promise<{ id: string; key: string }> {
    const { outbox, newId = () => randomBytes(2).toString('hex') } = this.#options;
    for (;;) {
      const id = newId();
      const key = keyOf(conversation, id);
      const former = await outbox.get(key);
      if (former !== undefined || this.#open.has(key)) continue;
      this.#open.set(key, make(id, key));
      return { id, key };
    }
  }

  async #findKey(message: PossibleAnswer, { id }: ParsedAnswer): Promise<string | undefined> {
    const conversation = nameOf(message.identity);
    if (id !== undefined) return keyOf(conversation, id);
    const { replyToId, replyToText } = message;
    if (replyToId === undefined) return undefined;
    for (const [key, open] of this.#open) {
      if (open.conversation !== conversation) continue;
      const sent = await this.#options.outbox.get(key);
      if (sent?.state === 'sent' && sent.ids.includes(replyToId)) return key;
    }
    // The words of a quoted message may be anyone's, so they can close nothing that is open.
    const quoted = /^Permission needed \[([0-9a-f]{4,8})\]/.exec(replyToText ?? '')?.[1];
    const key = quoted && keyOf(conversation, quoted);
    return key && !this.#open.has(key) ? key : undefined;
  }

  async #answerLate(asked: OutboundMessage, id: string, messageId: string): Promise<void> {
    const ended = await this.#options.outbox.get(endOf(asked.key));
    const text = writeLate(ended?.payload.text ?? writeEnd(id, 'lost'));
    await this.#put({ ...asked, key: `${asked.key}:late:${messageId}`, payload: { text } });
  }

  async #put(message: Omit<OutboundMessage, 'createdAt' | 'turnId'>): Promise<void> {
    const { outbox, now, onPut } = this.#options;
    const { key, agentId, sessionKey, target, payload } = message;
    // Without a turn id: a turn that has messages in the outbox counts as answered.
    await outbox.put([{ key, agentId, sessionKey, target, payload, createdAt: now() }]);
    onPut();
  }
}

function nameOf({ channel, accountId, conversationId }: Conversation): string {
  return JSON.stringify([channel, accountId, conversationId]);
}

function keyOf(conversation: string, id: string): string {
  return `question:${conversation}:${id}`;
}

function endOf(key: string): string {
  return `${key}:end`;
}

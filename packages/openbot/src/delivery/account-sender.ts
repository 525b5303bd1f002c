import type { Outlet } from '../channels/contract.ts';
import { readSendFailure, sendFailure } from '../channels/send-failure.ts';
import { REPEAT_MARK } from '../channels/text/mark-repeat.ts';
import { type Clock, delayAfter } from '../clock.ts';
import type { Outbox, OutboxMessage } from '../outbox/contract.ts';
import { findDraft, firstReplyOf, sendOverDraft } from './drafts.ts';
import { decideAfterFailure, type RetryLimits } from './next-try.ts';

export interface SenderDependencies {
  readonly outbox: Outbox;
  readonly clock: Clock;
  /** Names this process among those that use the outbox. */
  readonly owner: string;
  /** A send of which nothing gets through for so long is aborted, and counts as perhaps arrived. A channel may ask for more. */
  readonly sendTimeoutMs: number;
  /** How much longer the claim on a message lasts than a send may take: after it another process sends it again. */
  readonly leaseMarginMs: number;
  /** Sends of one account at a time, each to another target. */
  readonly concurrency: number;
  /** How often to look in any case; changes of the outbox are heard before. */
  readonly pollMs: number;
  /** Between two looks, however much changes. */
  readonly lookPauseMs: number;
  readonly limits: RetryLimits;
  random(): number;
  /** The network has it. @param fault why files of it were not sent */
  onSent(message: OutboxMessage, fault: string | undefined): void;
  /** The message will not be tried again. */
  onDead(message: OutboxMessage, error: string): void;
  /** The network has not taken it this time. */
  onRetry(message: OutboxMessage, error: string): void;
  /** The outbox could not be read or written; it is tried again. */
  onTrouble(error: unknown, channel: Outlet, step: OutboxStep): void;
  onWorked(channel: Outlet, step: OutboxStep): void;
}

/** To look for replies, and to write down what became of a send. */
export type OutboxStep = 'look' | 'record';

/** After so many sends that took too long the files of a reply are left out: replies behind it wait for it. */
const MOST_TIMEOUTS = 3;
/** While some are sent, until the next look at what is to be tried later. */
const NEXT_LOOK_MS = 100;
const STORAGE_RETRY = { firstMs: 100, mostMs: 10_000 };

/** Sends the replies of one account of a channel. */
export class AccountSender {
  readonly #channel: Outlet;
  readonly #dependencies: SenderDependencies;
  readonly #hide: (text: string) => string;
  readonly #sending = new Map<Promise<void>, AbortController>();
  readonly #listeners = new Set<() => void>();
  /** How many sends of a reply with files took too long, by its key. A restart counts anew. */
  readonly #timeouts = new Map<string, number>();
  /** Why files of a reply are not sent, by its key and their address: of earlier tries, too. A restart forgets it. */
  readonly #fileFaults = new Map<string, Map<string, string>>();
  #looking: Promise<void> | undefined;
  #mustLookAgain = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #troubles = 0;
  #cancelTimer: (() => void) | undefined;
  #endListening: (() => void) | undefined;

  constructor(channel: Outlet, dependencies: SenderDependencies, hide = (text: string) => text) {
    this.#channel = channel;
    this.#hide = hide;
    this.#dependencies = dependencies;
  }

  /** Looks for replies that are due. */
  wake(): void {
    if (this.#isStopped) return;
    this.#endListening ??= this.#dependencies.outbox.onChange(() => this.wake());
    this.#mustLookAgain = true;
    this.#looking ??= this.#lookWhileNeeded().finally(() => {
      this.#looking = undefined;
      for (const listener of [...this.#listeners]) listener();
      if (this.#mustLookAgain) this.wake();
    });
  }

  /** Resolves with true when no reply waits, with false when one still does at `deadline` or is not due before it. */
  async drain(deadline: number): Promise<boolean> {
    const { clock, outbox } = this.#dependencies;
    const { name, accountId } = this.#channel;
    for (;;) {
      this.wake();
      await this.#looking;
      if (this.#sending.size === 0) {
        const due = await outbox.nextDue(name, accountId);
        if (due === undefined) return true;
        if (due >= deadline) return false;
      }
      if (this.#isStopped || clock.now() >= deadline) return false;
      await this.#nextLook(deadline);
    }
  }

  /** Claims nothing any more, waits so long for the sends in progress and aborts the others. */
  async stop({ withinMs }: { withinMs?: number }): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    this.#endListening?.();
    for (const listener of [...this.#listeners]) listener();
    await this.#looking;
    const abort = () => {
      for (const controller of this.#sending.values()) controller.abort(timedOut('The process ends.'));
    };
    const cancel = withinMs === undefined ? undefined : this.#dependencies.clock.after(withinMs, abort);
    await Promise.all(this.#sending.keys());
    cancel?.();
  }

  #nextLook(deadline: number): Promise<void> {
    const { clock } = this.#dependencies;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#listeners.delete(end);
        resolve();
      };
      const cancel = clock.after(deadline - clock.now(), end);
      this.#listeners.add(end);
    });
  }

  async #lookWhileNeeded(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    let waitMs = this.#dependencies.pollMs;
    try {
      while (this.#mustLookAgain && !this.#isStopped) {
        await this.#untilNextLook();
        if (this.#isStopped) break;
        this.#mustLookAgain = false;
        this.#lookedAt = performance.now();
        waitMs = await this.#look();
      }
      this.#troubles = 0;
      this.#dependencies.onWorked(this.#channel, 'look');
    } catch (error) {
      this.#dependencies.onTrouble(error, this.#channel, 'look');
      waitMs = delayAfter(++this.#troubles, STORAGE_RETRY);
    }
    if (!this.#isStopped) this.#cancelTimer = this.#dependencies.clock.after(waitMs, () => this.wake());
  }

  /** While many replies are made and sent, one look is for all changes of a while. */
  async #untilNextLook(): Promise<void> {
    const { clock, lookPauseMs } = this.#dependencies;
    const pauseMs = this.#lookedAt + lookPauseMs - performance.now();
    if (pauseMs > 0) await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
  }

  /** Returns when to look again. */
  async #look(): Promise<number> {
    const { outbox, clock, owner, sendTimeoutMs, leaseMarginMs, concurrency, pollMs } = this.#dependencies;
    const leaseMs = sendTimeoutMs + leaseMarginMs;
    const { name: channel, accountId } = this.#channel;
    const limit = concurrency - this.#sending.size;
    if (limit <= 0) return pollMs;
    const claimed = await outbox.claim({ channel, accountId, owner, now: clock.now(), leaseMs, limit });
    for (const message of claimed) this.#start(message);
    // A send that ends wakes us.
    if (claimed.length === limit || this.#mustLookAgain) return pollMs;
    if (claimed.length > 0) return Math.min(pollMs, NEXT_LOOK_MS);
    const due = await outbox.nextDue(channel, accountId);
    // Due now, and yet not claimed: it became due in between, or another process has it.
    return due === undefined ? pollMs : Math.min(pollMs, Math.max(1, due - clock.now()));
  }

  #start(message: OutboxMessage): void {
    const controller = new AbortController();
    const sending: Promise<void> = this.#send(message, controller).finally(() => {
      this.#sending.delete(sending);
      this.wake();
    });
    this.#sending.set(sending, controller);
  }

  async #send(message: OutboxMessage, controller: AbortController): Promise<void> {
    const { outbox, clock, owner, limits, random, onSent, onDead, onRetry } = this.#dependencies;
    const { key } = message;
    if (await this.#endDraft(message)) return;
    try {
      const { ids } = await this.#callChannel(message, controller);
      const faults = [...(this.#fileFaults.get(key)?.values() ?? [])];
      const error = faults.length === 0 ? undefined : [...new Set(faults)].join('; ');
      onSent(message, error);
      this.#forget(key);
      await this.#record(() => outbox.sent(key, owner, { at: clock.now(), ids, error }));
    } catch (error) {
      // The reply comes anyway: a draft that was not shown is none.
      if (message.payload.draft) {
        await this.#record(() => outbox.sent(key, owner, { at: clock.now(), ids: [] }));
        return;
      }
      const said = readSendFailure(error);
      const failure = { ...said, text: this.#hide(said.text) };
      const now = clock.now();
      const after = decideAfterFailure(message, failure, { limits, now, chance: random() });
      const { mayHaveArrived } = failure;
      if (after.action === 'retry') {
        const { nextTryAt } = after;
        onRetry(message, failure.text);
        await this.#record(() =>
          outbox.retry(key, owner, { error: failure.text, nextTryAt, mayHaveArrived }),
        );
      } else if (await this.#record(() => outbox.dead(key, owner, { error: after.error, at: now }))) {
        this.#forget(key);
        onDead(message, after.error);
      }
    }
  }

  #forget(key: string): void {
    this.#timeouts.delete(key);
    this.#fileFaults.delete(key);
  }

  #noteFile(key: string, url: string, fault: string | undefined): void {
    const faults = this.#fileFaults.get(key) ?? new Map<string, string>();
    if (fault === undefined) faults.delete(url);
    else faults.set(url, this.#hide(fault));
    this.#fileFaults.set(key, faults);
  }

  /** Ends a draft that is not to be sent: it may have arrived before, or the reply is there already. */
  async #endDraft({ key, payload, turnId = '', mayBeRepeat }: OutboxMessage): Promise<boolean> {
    if (!payload.draft) return false;
    const { outbox, owner, clock } = this.#dependencies;
    // One that is recognised keeps its id, and the reply takes its place.
    const isSecond = mayBeRepeat && !this.#channel.capabilities.recognisesRepeats;
    const isLate = async () => (await outbox.get(firstReplyOf(turnId)).catch(() => undefined)) !== undefined;
    if (!isSecond && !(await isLate())) return false;
    await this.#record(() => outbox.sent(key, owner, { at: clock.now(), ids: [] }));
    return true;
  }

  /** A channel that does not obey the signal is left alone when its time is up. */
  async #callChannel(
    message: OutboxMessage,
    controller: AbortController,
  ): Promise<{ readonly ids: readonly string[] }> {
    const { outbox, owner, clock, sendTimeoutMs, leaseMarginMs } = this.#dependencies;
    const { key, target, payload, mayBeRepeat, parts } = message;
    const { signal } = controller;
    let isOver = false;
    let cancel = () => {};
    /** Begins the time of the send anew. Returns when the claim ends. */
    const allow = (ms: number) => {
      cancel();
      cancel = isOver ? cancel : clock.after(ms, () => this.#giveUp(message, controller, ms));
      return clock.now() + ms + leaseMarginMs;
    };
    allow(sendTimeoutMs);
    const isMarked = mayBeRepeat && !this.#channel.capabilities.recognisesRepeats;
    const request = {
      key,
      target,
      payload,
      createdAt: message.createdAt,
      mayBeRepeat,
      ...(isMarked && { mark: REPEAT_MARK }),
      sentIds: parts?.ids ?? [],
      // What got through is recorded also after the time is up.
      onPart: async (id: string) => {
        const until = allow(sendTimeoutMs);
        await this.#record(() => outbox.addPart(key, owner, { id, isMarked, until }));
      },
      allowTime: async (ms: number) => {
        const until = allow(Math.max(ms, sendTimeoutMs));
        await this.#record(() => outbox.extend(key, owner, until));
      },
      onFile: (url: string, fault: string | undefined) => this.#noteFile(key, url, fault),
      ...((this.#timeouts.get(key) ?? 0) >= MOST_TIMEOUTS && { skipFiles: 'it took too long' }),
      signal,
    };
    const aborted = new Promise<never>((_, reject) => {
      // Later than the channel: its own failure may tell more.
      signal.addEventListener('abort', () => setImmediate(() => reject(signal.reason)), { once: true });
    });
    try {
      const draftId = await findDraft(outbox, this.#channel, message).catch((cause) => {
        // The outbox cannot be read: nothing was sent.
        throw sendFailure(String(cause), { isPermanent: false, mayHaveArrived: false, cause });
      });
      const sending =
        draftId === undefined ? this.#channel.send(request) : sendOverDraft(this.#channel, request, draftId);
      return await Promise.race([sending, aborted]);
    } finally {
      isOver = true;
      cancel();
    }
  }

  #giveUp({ key, payload }: OutboxMessage, controller: AbortController, ms: number): void {
    const hasFiles = payload.mediaUrl !== undefined || (payload.mediaUrls ?? []).length > 0;
    if (hasFiles) this.#timeouts.set(key, (this.#timeouts.get(key) ?? 0) + 1);
    controller.abort(timedOut(`The channel took longer than ${ms} ms.`));
  }

  /** Until it succeeds: what the network has taken is not forgotten because a disk was full for a while. */
  async #record(write: () => Promise<boolean>): Promise<boolean> {
    const { clock, onTrouble, onWorked } = this.#dependencies;
    for (let failures = 1; ; failures++) {
      try {
        const isOurs = await write();
        if (failures > 1) onWorked(this.#channel, 'record');
        return isOurs;
      } catch (error) {
        onTrouble(error, this.#channel, 'record');
        // The claim runs out, and the message counts as a possible repeat.
        if (this.#isStopped) return false;
        await new Promise<void>((resolve) => void clock.after(delayAfter(failures, STORAGE_RETRY), resolve));
      }
    }
  }
}

function timedOut(message: string) {
  return sendFailure(message, { isPermanent: false, mayHaveArrived: true });
}

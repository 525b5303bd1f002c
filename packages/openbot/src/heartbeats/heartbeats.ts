import type { StoredEntry } from '@openbot/sessions';
import type { Clock } from '../clock.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { Heartbeat } from '../config/heartbeats.ts';
import type { Inbox } from '../inbox/contract.ts';
import { resolveAddress } from '../routing/request-route.ts';
import type { RunLock } from '../run-lock/contract.ts';
import { addressOf, type SessionRef } from '../session-address.ts';
import { isHeartbeat } from '../turn/heartbeat/heartbeat-message.ts';
import { nextActive } from './active-time.ts';
import { isChecklistEmpty } from './checklist.ts';
import { composeHeartbeat, conversationOf, findHeartbeatTarget } from './compose-heartbeat.ts';

export interface HeartbeatDependencies {
  readonly config: BotConfig;
  readonly clock: Clock;
  readonly inbox: Inbox;
  readonly runLock: RunLock;
  findEntry(session: SessionRef): Promise<StoredEntry | undefined>;
  readonly channels: readonly { readonly name: string; readonly accountId: string }[];
  /** A heartbeat was accepted. */
  wake(session: SessionRef): void;
  /** It is tried again. */
  onTrouble(error: unknown, session: SessionRef): void;
  /** It worked, or is not tried for now. */
  onWorked(session: SessionRef): void;
}

/** The longest sleep: the clock may be set, and the machine may sleep too. */
const LOOK_EVERY_MS = 60_000;

/**
 * Time is cut into intervals that begin at multiples of the length since 1970, so that all processes have the same ones
 * and nothing drifts. Each has at most one heartbeat: the inbox knows it by the beginning of its interval.
 */
export class HeartbeatTimer {
  readonly #heartbeat: Heartbeat;
  readonly #session: SessionRef;
  readonly #dependencies: HeartbeatDependencies;
  /** The interval that has had its heartbeat, or needs none. */
  #done: number | undefined;
  #cancel: (() => void) | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(heartbeat: Heartbeat, dependencies: HeartbeatDependencies) {
    const { agentId } = heartbeat;
    const { sessionKey } = resolveAddress({ config: dependencies.config, agentId });
    this.#heartbeat = heartbeat;
    this.#session = { agentId, sessionKey };
    this.#dependencies = dependencies;
  }

  /** Drops what an earlier process accepted for an interval that is over, and begins to wait. */
  async start(): Promise<void> {
    const { inbox } = this.#dependencies;
    const slot = this.#slot();
    const messageId = new Date(slot).toISOString();
    const waiting = await inbox.waiting(this.#session);
    const stale = waiting.filter((one) => isHeartbeat(one) && one.identity.messageId !== messageId);
    const seqs = stale.map(({ seq }) => seq);
    if (seqs.length > 0) {
      await inbox.move(seqs, { state: 'dropped', reason: 'its time is over' }, ['received', 'queued']);
    }
    const [last] = await inbox.recent(conversationOf(this.#session), 1, {
      sessionKey: this.#session.sessionKey,
    });
    // The first one of all comes with the next interval; one that was missed comes now.
    if (last === undefined || last.identity.messageId >= messageId) this.#done = slot;
    this.#sleep(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#looking;
    this.#dependencies.onWorked(this.#session);
  }

  #slot(): number {
    const { everyMs } = this.#heartbeat;
    return Math.floor(this.#dependencies.clock.now() / everyMs) * everyMs;
  }

  #sleep(ms: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#dependencies.clock.after(Math.min(ms, LOOK_EVERY_MS), () => {
      this.#looking = this.#look().then((next) => this.#sleep(next));
    });
  }

  /** How long to sleep, ms. */
  async #look(): Promise<number> {
    const { clock, onTrouble, onWorked } = this.#dependencies;
    const { everyMs, activeHours } = this.#heartbeat;
    const now = clock.now();
    const slot = this.#slot();
    const end = slot + everyMs;
    if (this.#done === slot) return end - now;
    const at = nextActive(now, activeHours);
    if (at > now) {
      onWorked(this.#session);
      return Math.min(at, end) - now;
    }
    try {
      const isDone = await this.#beat(slot, now);
      onWorked(this.#session);
      if (!isDone) return LOOK_EVERY_MS;
      this.#done = slot;
      return end - now;
    } catch (error) {
      onTrouble(error, this.#session);
      return LOOK_EVERY_MS;
    }
  }

  /** False while the session is busy. */
  async #beat(slot: number, now: number): Promise<boolean> {
    const { inbox, runLock, channels, findEntry, wake } = this.#dependencies;
    const session = this.#session;
    if (isChecklistEmpty(this.#heartbeat.workspaceDir)) return true;
    const waiting = await inbox.waiting(session);
    if (waiting.length > 0 || (await runLock.holder(addressOf(session))) !== undefined) {
      // Another process may have been faster with this very one.
      return waiting.some((one) => isHeartbeat(one) && Date.parse(one.identity.messageId) === slot);
    }
    const deliverTo = findHeartbeatTarget(this.#heartbeat, await findEntry(session), channels);
    const { isNew } = await inbox.accept(
      composeHeartbeat(this.#heartbeat, session, { slot, now, deliverTo }),
    );
    if (isNew) wake(session);
    return true;
  }
}

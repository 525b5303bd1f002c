import type { QueueSettings } from '@openbot/sessions/policy';
import type { Inbox } from '../../src/inbox/contract.ts';
import { openMemoryInbox } from '../../src/inbox/memory/memory-inbox.ts';
import type { Steer, TurnOutcome, TurnWork } from '../../src/queue/contract.ts';
import { Dispatcher, type DispatcherOptions } from '../../src/queue/dispatcher.ts';
import type { RunLock } from '../../src/run-lock/contract.ts';
import { openMemoryRunLock } from '../../src/run-lock/memory/memory-run-lock.ts';
import { ManualClock } from '../setup/manual-clock.ts';
import { arrival, kindOf, SETTINGS, type Wanted } from './messages.ts';

/** A turn that was begun. Tests end it. */
export interface BegunTurn {
  readonly work: TurnWork;
  readonly ids: readonly string[];
  end(outcome?: TurnOutcome): void;
  fail(error: Error): void;
}

export interface QueueBench {
  readonly inbox: Inbox;
  readonly runLock: RunLock;
  readonly clock: ManualClock;
  readonly dispatcher: Dispatcher;
  readonly settings: QueueSettings;
  /** All turns that were begun, in order. */
  readonly turns: BegunTurn[];
  readonly troubles: unknown[];
  /** A message is accepted by this process; by another one with `isForeign`. */
  send(wanted: Wanted & { isForeign?: boolean }): Promise<number>;
  /** Waits for the turn of this number, from 1. */
  turn(number: number): Promise<BegunTurn>;
  states(): Promise<Record<string, string>>;
}

/** A dispatcher with everything in memory. With `shared` it is another process at the same inbox. */
export function makeQueue(
  options: Partial<Omit<DispatcherOptions, 'settingsOf' | 'clock'>> & {
    settings?: Partial<QueueSettings>;
    shared?: QueueBench;
  } = {},
): QueueBench {
  const { settings, shared, ...rest } = options;
  const inbox = rest.inbox ?? shared?.inbox ?? openMemoryInbox();
  const runLock = rest.runLock ?? shared?.runLock ?? openMemoryRunLock();
  const clock = shared?.clock ?? new ManualClock();
  const current = { ...SETTINGS, ...settings };
  const turns: BegunTurn[] = [];
  const troubles: unknown[] = [];
  const dispatcher = new Dispatcher({
    kindOf,
    newTurnId: () => `turn-${++turnIds}`,
    onTrouble: (error) => troubles.push(error),
    runTurn: async (work) => {
      await work.begun;
      const { promise, resolve, reject } = Promise.withResolvers<TurnOutcome>();
      // As a real run: it ends soon after its signal.
      work.signal.addEventListener('abort', () => resolve({ end: 'answered' }));
      const ids = work.messages.map(({ identity }) => identity.messageId);
      turns.push({ work, ids, fail: reject, end: (outcome = { end: 'answered' }) => resolve(outcome) });
      return promise;
    },
    ...rest,
    inbox,
    runLock,
    clock,
    settingsOf: () => current,
  });
  return {
    inbox,
    runLock,
    clock,
    dispatcher,
    settings: current,
    turns,
    troubles,
    send: async ({ isForeign = false, ...wanted }) => {
      const { message } = await inbox.accept(arrival({ receivedAt: clock.now(), ...wanted }));
      if (!isForeign) dispatcher.wake(message.sessionKey, message.agentId);
      return message.seq;
    },
    turn: async (number) => {
      await clock.until(() => turns.length >= number);
      return turns[number - 1]!;
    },
    states: async () => {
      const states: Record<string, string> = {};
      for (let seq = 1; ; seq++) {
        const message = await inbox.get(seq);
        if (message === undefined) return states;
        const turnId = 'turnId' in message ? ` ${message.turnId}` : '';
        states[message.identity.messageId] = `${message.state}${turnId}`;
      }
    },
  };
}

let turnIds = 0;

/** Takes every message, and reports it at once as part of the conversation. */
export function openSteering({ work }: BegunTurn, takes: () => boolean = () => true): string[] {
  const taken: string[] = [];
  const steer: Steer = (message, { joins }) => {
    if (!takes()) return false;
    taken.push(`${message.identity.messageId}${joins ? '' : ' (hint)'}`);
    void work.joined(message.seq);
    return true;
  };
  work.openSteering(steer);
  return taken;
}

import { expect, test } from 'vitest';
import { HUNT, makeChance, tries } from '../../../../test/setup/hunt.ts';
import type { Inbox } from '../../src/inbox/contract.ts';
import { openMemoryInbox } from '../../src/inbox/memory/memory-inbox.ts';
import type { TurnOutcome, TurnWork } from '../../src/queue/contract.ts';
import { makeQueue, type QueueBench } from './bench.ts';

const MODES = ['steer', 'followup', 'collect', 'steer-backlog', 'interrupt'] as const;
const SESSIONS = ['agent:main:a', 'agent:main:b', 'agent:main:c'];

/**
 * Two processes on one inbox whose disk fails now and then, with turns that end, throw, and take messages in. Each run
 * that reports an answer is counted for all messages that belong to it then.
 */
test(
  'whatever fails, each message is answered by one turn, and a session has one run at a time',
  HUNT,
  async () => {
    const chance = makeChance();
    const pick = <T>(list: readonly T[]) => list[Math.floor(chance() * list.length)]!;
    for (let round = 0; round < tries({ gate: 8, torture: 400 }); round++) {
      const mode = pick(MODES);
      const inbox = openMemoryInbox();
      let isFailing = true;
      const flaky = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
        return async (...args: A): Promise<R> => {
          const broken = Object.assign(new Error('database is locked'), { errcode: 5 });
          if (isFailing && chance() < 0.1) throw broken;
          const result = await work(...args);
          // Done, and yet reported as failed.
          if (isFailing && chance() < 0.05) throw broken;
          return result;
        };
      };
      const failing: Inbox = { ...inbox, waiting: flaky(inbox.waiting), move: flaky(inbox.move) };

      const running = new Map<string, string>();
      const answers = new Map<number, string[]>();
      /** What the transcript has of each turn: messages that joined it. They survive what fails. */
      const joinedOf = new Map<string, Set<number>>();
      const runTurn = async (work: TurnWork): Promise<TurnOutcome> => {
        expect(running.has(work.sessionKey), `${work.sessionKey} runs twice`).toBe(false);
        running.set(work.sessionKey, work.turnId);
        try {
          await work.begun;
          const joined = joinedOf.get(work.turnId) ?? new Set();
          joinedOf.set(work.turnId, joined);
          for (const seq of joined) await work.joined(seq);
          const joining: Promise<void>[] = [];
          work.openSteering((message, { joins }) => {
            if (chance() < 0.3) return false;
            if (!joins) return true;
            joined.add(message.seq);
            const join = work.joined(message.seq);
            join.catch(() => {});
            joining.push(join);
            return true;
          });
          const waits = Math.floor(chance() * 4);
          for (let n = 0; n < waits && !work.signal.aborted; n++) {
            await new Promise<void>((resolve) => void one.clock.after(chance() * 400, resolve));
          }
          const kind = chance();
          if (kind < 0.1) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          if (kind < 0.15 && Math.max(...work.messages.map(({ tries }) => tries)) < 2)
            throw new Error('broken');
          await Promise.all(joining);
          const members = [...new Set([...work.messages.map(({ seq }) => seq), ...joined])];
          for (const seq of members) answers.set(seq, [...(answers.get(seq) ?? []), work.turnId]);
          return { end: 'answered' };
        } finally {
          running.delete(work.sessionKey);
        }
      };

      const settings = { mode, debounceMs: pick([0, 300]), cap: 1000 };
      const options = { inbox: failing, runTurn, settings, maxConcurrentRuns: pick([1, 2, 4]) };
      const one: QueueBench = makeQueue({ ...options, runLock: undefined });
      const two = makeQueue({ ...options, shared: one });
      const count = 12;
      for (let n = 0; n < count; n++) {
        const sessionKey = pick(SESSIONS);
        await pick([one, two]).send({ sessionKey, conversation: pick(['x', 'y']) });
        if (chance() < 0.7) await one.clock.advance(chance() * 300);
      }
      await one.clock.advance(5000);
      isFailing = false;
      let idle = 0;
      for (const queue of [one, two]) void queue.dispatcher.idle().then(() => idle++);
      await one.clock.until(() => idle === 2);

      for (let seq = 1; seq <= count; seq++) {
        const message = await inbox.get(seq);
        expect(message?.state, `round ${round}, ${mode}, message ${seq}`).toBe('answered');
        // A turn may be run again after it threw, but a message belongs to one turn.
        expect(new Set(answers.get(seq)).size).toBe(1);
        expect(answers.get(seq)).toContain(message?.state === 'answered' && message.turnId);
      }
    }
  },
);

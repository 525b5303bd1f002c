import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import type { Outbox } from '../outbox/contract.ts';
import { CODING_CHANNEL, type RunRecord } from './contract.ts';

const WAIT_MS = 15_000;

/** What became of a follow-up. `waiting`: its process has not looked yet, and will. */
export type FollowUpState = 'taken' | 'waiting';

/** Keeps a follow-up for the process that has the run, and waits some time until it was taken. Throws RUN_ENDED. */
export async function sendFollowUp(
  outbox: Outbox,
  run: RunRecord,
  { key, text, now }: { readonly key: string; readonly text: string; readonly now: number },
  { waitMs = WAIT_MS, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
): Promise<FollowUpState> {
  if (run.endedAt !== undefined) throw runEnded(run.id);
  await outbox.put([
    {
      key,
      agentId: run.agentId,
      sessionKey: run.sessionKey,
      target: { channel: CODING_CHANNEL, accountId: run.owner, to: run.id },
      payload: { text },
      createdAt: now,
    },
  ]);
  return waitUntilTaken(outbox, run, key, waitMs, signal);
}

async function waitUntilTaken(
  outbox: Outbox,
  { id }: RunRecord,
  key: string,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<FollowUpState> {
  let wake = () => {};
  const end = outbox.onChange(() => wake());
  const deadline = performance.now() + waitMs;
  try {
    for (;;) {
      const message = await outbox.get(key);
      if (message?.state === 'sent') return 'taken';
      if (message?.state === 'dead') throw runEnded(id, message.error);
      const left = deadline - performance.now();
      if (left <= 0 || signal?.aborted) return 'waiting';
      await Promise.race([
        new Promise<void>((resolve) => {
          wake = resolve;
        }),
        sleep(Math.min(left, 250), undefined, { ref: true }),
      ]);
    }
  } finally {
    end();
  }
}

export function runEnded(id: string, reason = 'The run has ended'): OpenBotError {
  return new OpenBotError('RUN_ENDED', `The coding run ${id} takes no follow-up: ${reason}`, {
    hint: 'Start another one; it continues the session if that fits.',
  });
}

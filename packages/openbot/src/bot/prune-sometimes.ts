import type { BotState } from '../state/open-state.ts';

/** Long after a network would deliver a message again, and longer than a group's history needs. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** Removes old messages and replies now and then. Counted by messages, so that short commands do it too. */
export function pruneSometimes({ inbox, outbox }: BotState, seq: number, now: number): void {
  if (seq % 100 !== 0) return;
  const before = now - KEPT_MS;
  // What is not removed now is removed later.
  void Promise.all([inbox.prune(before), outbox.prune(before)]).catch(() => {});
}

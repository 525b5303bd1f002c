import type { BotConfig } from '../config/bot-config.ts';
import { keptMediaMs } from '../media/media-settings.ts';
import { pruneMedia } from '../media/prune-media.ts';
import type { BotState } from '../state/open-state.ts';
import { LOCAL_CHANNEL } from '../turn/deliver.ts';

/** Long after a network would deliver a message again, and longer than a group's history needs. */
const KEPT_DAYS = 30;
/** A person should have found a reply that was not delivered by then. */
const DEAD_DAYS = 90;
/** The transcript has what a command that was ended did not show. */
const LOCAL_DEAD_DAYS = 3;

/** Removes old messages, their files and replies now and then. Counted by messages, so that short commands do it too. */
export function pruneSometimes(
  { inbox, outbox }: BotState,
  { config, stateDir }: { readonly config: BotConfig; readonly stateDir: string },
  seq: number,
  now: number,
): void {
  if (seq % 100 !== 0) return;
  const daysAgo = (days: number) => now - days * 24 * 3_600_000;
  const before = daysAgo(KEPT_DAYS);
  const replies = {
    sent: before,
    dead: daysAgo(DEAD_DAYS),
    deadIn: { [LOCAL_CHANNEL]: daysAgo(LOCAL_DEAD_DAYS) },
  };
  // What is not removed now is removed later.
  void Promise.all([
    inbox.prune(before),
    outbox.prune(replies),
    pruneMedia(stateDir, now - keptMediaMs(config)),
  ]).catch(() => {});
}

import { OpenBotError } from '@openbot/sessions';
import type { Outlet } from '../channels/contract.ts';
import type { InboxMessage } from '../inbox/contract.ts';
import { isStorageTrouble } from '../queue/storage-trouble.ts';
import type { BotState } from '../state/open-state.ts';
import type { TurnReport } from '../turn/turn-tools.ts';
import type { BotParts, SayWatcher } from './bot-parts.ts';

/** How long a person waits for a disk or a database that fails. */
const PATIENCE_MS = 5000;

interface Waits {
  readonly state: BotState;
  readonly watchers: BotParts['watchers'];
  readonly local: Outlet;
  readonly hasChannels: boolean;
}

interface Failure {
  readonly error: unknown;
  readonly sessionKey: string;
  readonly messages: readonly InboxMessage[];
}

/**
 * Whether a turn that failed is tried again. A person at a command waits for it: storage that fails is waited for some
 * seconds; any other failure would come again, so it is the answer. A message from a channel is always tried again.
 */
export async function mayRetry(waits: Waits, failure: Failure): Promise<boolean> {
  const { watchers, local, hasChannels } = waits;
  const { error, sessionKey, messages } = failure;
  const all = [...watchers].filter(([, watcher]) => watcher.sessionKey === sessionKey);
  const seqsOf = (some: typeof all) => some.map(([seq]) => seq);
  if (isPassing(error)) {
    const impatient = all.filter(([, watcher]) => watcher.isAborted() || isTiredOf(watcher));
    await end(waits, seqsOf(impatient), error);
    return hasChannels || impatient.length < all.length || all.length === 0;
  }
  const own = messages.filter(({ identity }) => identity.channel === local.name).map(({ seq }) => seq);
  if (messages.length > 0 && own.length === messages.length) {
    await end(waits, own, error);
    return false;
  }
  // A message of a channel, or the session itself: those that wait behind it would wait in vain.
  await end(waits, seqsOf(all), error);
  return hasChannels || all.length === 0;
}

/** Storage that may work again, or another process that has the session now. */
function isPassing(error: unknown): boolean {
  const code = error instanceof OpenBotError ? error.code : undefined;
  return code === 'RUN_LOCK_LOST' || code === 'BOT_STOPPING' || isStorageTrouble(error);
}

function isTiredOf(watcher: SayWatcher): boolean {
  watcher.troubledSince ??= performance.now();
  return performance.now() - watcher.troubledSince >= PATIENCE_MS;
}

async function end({ state, watchers }: Waits, seqs: readonly number[], error: unknown): Promise<void> {
  if (seqs.length === 0) return;
  const ended = seqs.flatMap((seq) => watchers.get(seq) ?? []);
  // Before the inbox changes: `say` must not take the end from there, which has no hint.
  for (const seq of seqs) watchers.delete(seq);
  const message = error instanceof Error ? error.message : String(error);
  const isEnded = await state.inbox.move(seqs, { state: 'failed', error: message }).then(
    () => true,
    () => false,
  );
  const next = isEnded
    ? 'The message is not tried again. Remove the cause and say it again.'
    : 'The message is kept, and gets its answer when its session is used again.';
  const hint = error instanceof OpenBotError && error.hint !== undefined ? `${error.hint} ${next}` : next;
  for (const watcher of ended) {
    if (watcher.isAborted()) watcher.onReport(abortedReport(GONE), '');
    else watcher.onReport({ ...NOTHING, outcome: 'failed', error: { message, hint } }, '');
  }
}

export const GONE = 'The message was withdrawn and gets no answer';

const NOTHING = { sessionId: '', provider: '', model: '', payloads: [], compactions: 0 } as const;

/** Of a message whose sender does not wait for its turn. */
export function abortedReport(message: string): TurnReport {
  return { ...NOTHING, outcome: 'aborted', abortedBy: 'person', error: { message } };
}

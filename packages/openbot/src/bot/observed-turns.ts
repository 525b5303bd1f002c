import { OpenBotError, type StoredEntry } from '@openbot/sessions';
import type { OutboundMessage } from '../outbox/contract.ts';
import type { TurnOutcome, TurnWork } from '../queue/contract.ts';
import type { SessionRef } from '../session-address.ts';
import { carryOutClean } from '../session-tools/pending-cleans.ts';
import { refuseTurn } from '../turn/refuse-turn.ts';
import { runTurn } from '../turn/turn.ts';
import type { TurnReport } from '../turn/turn-tools.ts';
import type { BotParts } from './bot-parts.ts';
import type { BotNotice, ObservedTurn, TurnObserver } from './contract.ts';
import { reportHeartbeatFailure } from './heartbeat.ts';
import { describeDrop } from './notices.ts';
import { openStream } from './streaming/open-stream.ts';
import { showActivity, takeAcksAway } from './streaming/signs.ts';

/** Runs a turn, and tells those who wait for it or follow all of them. */
export async function runWatched(
  parts: Pick<BotParts, 'tools' | 'watchers' | 'sender' | 'channels'> & {
    findEntry(session: SessionRef): Promise<StoredEntry | undefined>;
    readonly observer?: TurnObserver;
    report(notice: BotNotice): void;
  },
  work: TurnWork,
): Promise<TurnOutcome> {
  const { tools, watchers, sender, observer } = parts;
  const { turnId } = work;
  const watching = work.messages.flatMap(({ seq }) => watchers.get(seq) ?? []);
  observer?.onBegan(work);
  const stream = openStream(parts, work);
  const stopActivity = showActivity(parts, work);
  // A turn ends with the configuration that it began with.
  const { outcome, report } = await runTurn({ ...tools, config: { ...tools.config } }, work, {
    showsTools: watching.some(({ showsTools }) => showsTools),
    asker: watching.find(({ asker }) => asker !== undefined)?.asker,
    onEvent: (event) => {
      for (const watcher of watching) watcher.onEvent(event);
      observer?.onEvent(turnId, event);
      stream?.onEvent(event);
      // A command whose caller hears it prints what is reported in the same place.
      if (event.type === 'warning' && event.isForLog && (watching.length === 0 || observer !== undefined))
        parts.report({ about: 'trouble', message: event.message });
      if (event.type === 'thinking-dropped') parts.report(describeDrop(work.sessionKey, event));
    },
    ...(stream && { settle: () => stream.settle() }),
  })
    .finally(() => {
      stopActivity();
      return stream?.settle();
    })
    .catch((error: unknown) => {
      if (!(error instanceof OpenBotError) || error.code !== 'AGENT_NOT_FOUND') {
        for (const watcher of watching) watcher.onFailed();
        observer?.onEnded(turnId, 'later', reportOfFailure(messageOf(error)));
        throw error;
      }
      parts.report({ about: 'configuration', message: `${error.message}. ${error.hint}`, cause: error });
      return refuseTurn(tools, work, error);
    });
  const isOver = outcome.end !== 'later' && outcome.end !== 'held';
  // What is shown stays as it is where this fails: the turn has ended all the same.
  if (isOver) await stream?.finish?.().catch(() => {});
  sender.wake();
  reportHeartbeatFailure(work, outcome, parts.report);
  for (const watcher of watching) watcher.onReport(report, turnId);
  observer?.onEnded(turnId, outcome.end, report);
  if (isOver) {
    takeAcksAway(parts, work.messages);
    const { agentId } = work;
    const sessions = { ...tools.openStore(agentId), agentId, mainKey: tools.config.session?.mainKey };
    await carryOutClean({ ...tools, sessions }, work);
  }
  return outcome;
}

/** A turn that is given up without another run. */
export function observeFailure(
  observer: TurnObserver | undefined,
  failure: ObservedTurn & { readonly error: string },
  told: readonly OutboundMessage[],
): void {
  const { turnId, error } = failure;
  const payloads = told.map(({ payload }) => payload);
  observer?.onBegan(failure);
  observer?.onEnded(turnId, 'failed', { ...reportOfFailure(error), payloads });
}

function reportOfFailure(message: string): TurnReport {
  const nothing = { sessionId: '', provider: '', model: '', payloads: [], compactions: 0 };
  return { ...nothing, outcome: 'failed', error: { message } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

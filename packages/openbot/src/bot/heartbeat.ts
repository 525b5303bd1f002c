import { isDeepStrictEqual } from 'node:util';
import { type Outlet, OWN_OUTLET } from '../channels/contract.ts';
import { backgroundClock } from '../clock.ts';
import { type Heartbeat, listHeartbeats } from '../config/heartbeats.ts';
import { HEARTBEAT_ACCOUNT } from '../heartbeats/compose-heartbeat.ts';
import { HeartbeatTimer } from '../heartbeats/heartbeats.ts';
import type { TurnOutcome, TurnWork } from '../queue/contract.ts';
import { HEARTBEAT_CHANNEL, isHeartbeat } from '../turn/heartbeat/heartbeat-message.ts';
import type { BotParts } from './bot-parts.ts';
import type { BotNotice, BotOptions } from './contract.ts';
import { findEntry } from './find-entry.ts';
import { describeTrouble, warn } from './notices.ts';
import { nameHeartbeatStep } from './step-names.ts';

/** Takes what is said to a heartbeat itself, such as that its turn was given up: there is no person to read it. */
export const HEARTBEAT_SINK: Outlet = {
  name: HEARTBEAT_CHANNEL,
  accountId: HEARTBEAT_ACCOUNT,
  capabilities: OWN_OUTLET,
  send: async () => ({ ids: [] }),
};

/** Starts them, and starts them anew when the configuration has others. */
export async function keepHeartbeats(
  parts: BotParts,
  options: BotOptions,
): Promise<{ stop(): Promise<void> }> {
  const { report = warn } = options;
  let listed = listHeartbeats(parts.tools);
  let timers = await startHeartbeats(listed, parts, options);
  let isStopped = false;
  let changing: Promise<unknown> = Promise.resolve();
  const change = async () => {
    const next = listHeartbeats(parts.tools);
    if (isStopped || isDeepStrictEqual(listed, next)) return;
    await stopAll(timers);
    listed = next;
    timers = await startHeartbeats(next, parts, options);
  };
  const forget = options.onConfigChange?.(() => {
    changing = changing.then(change).catch((error: unknown) => report(describeTrouble(error)));
  });
  return {
    stop: async () => {
      isStopped = true;
      forget?.();
      await changing;
      await stopAll(timers);
    },
  };
}

async function stopAll(timers: readonly HeartbeatTimer[]): Promise<void> {
  await Promise.all(timers.map((timer) => timer.stop()));
}

async function startHeartbeats(
  heartbeats: readonly Heartbeat[],
  { state, tools, dispatcher, channels, steps }: BotParts,
  { clock = { ...backgroundClock, now: tools.now }, report = warn }: BotOptions,
): Promise<readonly HeartbeatTimer[]> {
  const timers = heartbeats.map(
    (heartbeat) =>
      new HeartbeatTimer(heartbeat, {
        config: tools.config,
        clock,
        inbox: state.inbox,
        runLock: state.runLock,
        findEntry: (session) => findEntry(state, tools.config, session),
        channels: channels.open,
        wake: ({ agentId, sessionKey }) => dispatcher.wake(sessionKey, agentId),
        onTrouble: (error, session) => {
          steps.failed('heartbeat', nameHeartbeatStep(session), error);
          report(describeTrouble(error, session.sessionKey));
        },
        onWorked: (session) => steps.worked(nameHeartbeatStep(session)),
      }),
  );
  for (const timer of timers) await timer.start();
  return timers;
}

/** A person is told about a message that failed; about a heartbeat only the owner of the bot can be. */
export function reportHeartbeatFailure(
  { messages, agentId }: TurnWork,
  outcome: TurnOutcome,
  report: (notice: BotNotice) => void,
): void {
  if (outcome.end !== 'failed' || !messages.some(isHeartbeat)) return;
  report({ about: 'trouble', message: `A heartbeat of the agent ${agentId} failed: ${outcome.error}` });
}

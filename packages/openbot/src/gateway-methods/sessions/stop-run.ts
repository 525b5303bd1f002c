import { openFileKeeper } from '../../kept-sessions/files/file-keeper.ts';
import type { SessionRef } from '../../session-address.ts';
import type { GatewayServices } from '../services.ts';

/** An agent that was told to stop ends its tools first. */
const STOP_MS = 30_000;

/**
 * Runs `body` while this process has the session to itself. With `stops`, a run is ended and waited for; otherwise it is
 * waited for as long as `waitMs` says.
 */
export async function whileIdle<T>(
  services: GatewayServices,
  ref: SessionRef,
  options: { readonly stops?: boolean; readonly waitMs?: number; readonly signal: AbortSignal },
  body: () => Promise<T>,
): Promise<T> {
  const { state, host } = services;
  const address = addressOf(ref);
  const { stops = false, signal, waitMs = stops ? STOP_MS : 0 } = options;
  // Asked for first: what waits for its turn must not begin in between.
  const [run] = await Promise.all([
    state.runLock.acquire(address, { waitMs, signal }),
    stops ? host.calls.abort(ref).catch(() => false) : false,
  ]);
  if (run === undefined) {
    const holder = await state.runLock.holder(address);
    const who =
      holder === undefined ? 'another process has just begun to run it' : `${holder.description} runs it`;
    throw refuse('UNAVAILABLE', `${ref.sessionKey} is in use: ${who}. Nothing was changed`, {
      details: { reason: 'SESSION_IN_USE' },
      retryable: true,
      retryAfterMs: 1000,
    });
  }
  try {
    return await body();
  } finally {
    await run.release();
  }
}

/** What can be done to the sessions of an agent, for a caller that holds the run lock of the one it changes. */
export function openChangesOf({ stateDir, state, config }: GatewayServices, agentId: string) {
  return keeperOf({ stateDir, state, config }, agentId).openChanges({ holdsRun: true });
}

export function keeperOf(
  { stateDir, state, config }: Pick<GatewayServices, 'stateDir' | 'state' | 'config'>,
  agentId: string,
) {
  const { mainKey, scope } = config.session ?? {};
  const storePath = state.storePathOf(agentId);
  return openFileKeeper({ stateDir, agentId, storePath, isRunHere: true, mainKey, scope });
}

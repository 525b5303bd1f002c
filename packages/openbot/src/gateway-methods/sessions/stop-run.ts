import type { StoredSession } from '@openbot/sessions';
import { takeRun } from '../../gateway-worker/take-run.ts';
import type { CompactOutcome } from '../../kept-sessions/contract.ts';
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
  const { stops = false, signal, waitMs = stops ? STOP_MS : 0 } = options;
  // Asked for first: what waits for its turn must not begin in between.
  const [run, isHeard] = await Promise.all([
    takeRun(state.runLock, ref, { waitMs, signal }),
    stops &&
      host.calls.abort(ref).then(
        () => true,
        () => false,
      ),
  ]);
  try {
    // A turn that waits for a model has no lock, and would begin the session anew.
    if (isHeard) await host.calls.abort(ref, { holdsRun: true });
    return await body();
  } finally {
    await run.release();
  }
}

/** What can be done to the sessions of an agent, for a caller that holds the run lock of the one it changes. */
export function openChangesOf({ stateDir, state, config }: GatewayServices, agentId: string) {
  return keeperOf({ stateDir, state, config }, agentId).openChanges({ holdsRun: true });
}

/** Cuts a transcript to its last lines. Without `holdsRun` the run lock of the session is taken for it. */
export function compactLines(
  { state, config, worker }: GatewayServices,
  agentId: string,
  given: { readonly stored: StoredSession; readonly maxLines?: number; readonly holdsRun: boolean },
): Promise<CompactOutcome> {
  const { mainKey, scope } = config.session ?? {};
  return worker.run('compact', { agentId, storePath: state.storePathOf(agentId), mainKey, scope, ...given });
}

export function keeperOf(
  { stateDir, state, config }: Pick<GatewayServices, 'stateDir' | 'state' | 'config'>,
  agentId: string,
) {
  const { mainKey, scope } = config.session ?? {};
  const storePath = state.storePathOf(agentId);
  return openFileKeeper({ stateDir, agentId, storePath, isRunHere: true, mainKey, scope });
}

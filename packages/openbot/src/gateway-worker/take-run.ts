import { refuse } from '../gateway-protocol/wire-errors.ts';
import type { RunLock } from '../run-lock/contract.ts';
import { addressOf, type SessionRef } from '../session-address.ts';

/** A run whose end is known gives its lock back a moment later. */
const ENDING_MS = 500;

/** The run lock of a session. Throws UNAVAILABLE where another process has it for longer than the time. */
export async function takeRun(
  runLock: RunLock,
  ref: SessionRef,
  options: { readonly waitMs: number; readonly signal: AbortSignal },
) {
  const address = addressOf(ref);
  const waitMs = Math.max(options.waitMs, ENDING_MS);
  const run = await runLock.acquire(address, { ...options, waitMs });
  if (run !== undefined) return run;
  const holder = await runLock.holder(address);
  const isHere = (await runLock.running([address])).get(address) === process.pid;
  const who =
    holder === undefined ? 'another process has just begun to run it' : `${holder.description} runs it`;
  throw refuse(
    'UNAVAILABLE',
    `${ref.sessionKey} is in use: ${isHere ? 'another clean or change of it is under way' : who}. Nothing was changed`,
    {
      details: { reason: 'SESSION_IN_USE' },
      retryable: true,
      retryAfterMs: 1000,
    },
  );
}

import { WEB_ACCOUNT, WEB_CHANNEL } from '../../agent-host/contract.ts';
import { addressOf, type SessionRef } from '../../session-address.ts';
import type { GatewayServices } from '../services.ts';

/** An agent that was told to stop ends its tools first. ms */
const END_MS = 10_000;

/** Ends the runs of a session, or one of them, and takes back what waits. Resolves to those that were ended. */
export async function abortRuns(
  { runs, host, state }: GatewayServices,
  session: SessionRef,
  { runId, signal }: { readonly runId?: string; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const all = runs.ofSession(session);
  const wanted = all.filter((run) => runId === undefined || run.runId === runId);
  const conversation = { channel: WEB_CHANNEL, accountId: WEB_ACCOUNT, conversationId: addressOf(session) };
  const ended: string[] = [];
  // What waits goes first: it must not begin in the place of what is ended.
  for (const { runId: messageId, turnId } of wanted) {
    if (turnId === undefined && (await host.calls.withdraw({ ...conversation, messageId })))
      ended.push(messageId);
  }
  const turnIds = new Set(wanted.flatMap(({ turnId }) => turnId ?? []));
  const running = all.filter(
    ({ turnId }) => turnId !== undefined && turnIds.has(turnId) && host.turns.has(turnId),
  );
  if (running.length === 0) {
    const held = (await state.inbox.waiting(session)).find((message) => message.state === 'running');
    if (held?.state !== 'running' || (runId ?? held.turnId) !== held.turnId) return ended;
    return (await host.calls.abort(session)) ? [...ended, held.turnId] : ended;
  }
  if (!(await host.calls.abort(session))) return ended;
  for (const run of running) {
    if (await runs.waitForEnd(run, { timeoutMs: END_MS, signal })) ended.push(run.runId);
  }
  return ended;
}

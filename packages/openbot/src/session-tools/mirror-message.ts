import type { StoredSession } from '@openbot/sessions';
import { composeDeliveryMirror } from '@openbot/sessions/transcript';
import type { ReplyPayload } from '../outbox/reply-payload.ts';
import { addressOf } from '../session-address.ts';
import type { ToolScope } from './parts.ts';

/**
 * Notes in the transcript of another session what its person was sent, so that the agent knows it there. Once for each key.
 * During a run of that session the line could come between a call and its result; then its next turn reads an event.
 */
export async function mirrorMessage(
  scope: ToolScope,
  { key: sessionKey, entry }: StoredSession,
  { key, payload }: { readonly key: string; readonly payload: ReplyPayload },
): Promise<void> {
  const { state, now } = scope.parts;
  const address = addressOf({ agentId: scope.session.agentId, sessionKey });
  const message = composeDeliveryMirror(payload, now());
  if (message === undefined) return;
  const lock = await state.runLock.acquire(address, { waitMs: 0 });
  if (lock === undefined) {
    const text = `Your session ${scope.session.sessionKey} sent to this person: ${payload.text ?? 'a file'}`;
    await state.inbox.addEvent(address, { text, at: now() });
    return;
  }
  try {
    const ref = scope.refOf(sessionKey, entry);
    const known = await state.transcripts.readContext(ref);
    if (known.some((one) => one.message.idempotencyKey === key)) return;
    await state.transcripts.append(ref, [{ type: 'message', message: { ...message, idempotencyKey: key } }]);
  } finally {
    await lock.release();
  }
}

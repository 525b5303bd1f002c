import type { HostEvent } from '../../agent-host/contract.ts';
import { addressOf } from '../../session-address.ts';
import { rowInEvent } from '../announce.ts';
import type { MessageCounts } from '../history/message-counts.ts';
import { type HistoryMessage, readMessagesBack } from '../history/read-messages.ts';
import type { GatewayServices } from '../services.ts';

/** `session.message` for messages that were added to a transcript, in order. */
export async function tellStoredMessages(
  services: GatewayServices,
  counts: MessageCounts,
  { session, entryIds }: Extract<HostEvent, { type: 'appended' }>,
  ofRun: string | undefined,
): Promise<void> {
  const { hub, rows, state } = services;
  const { agentId, sessionKey, sessionFile } = session;
  const audience = { to: 'messages', address: addressOf(session) } as const;
  if (!hub.hasListener({ audience, agentId })) return;
  const total = await counts.count(sessionFile);
  const wanted = new Set(entryIds);
  const found: HistoryMessage[] = [];
  for await (const message of readMessagesBack(state.transcripts, { ...session, cwd: '' }, total)) {
    if (wanted.has(message.__openclaw.id)) found.push(message);
    // Lines that others added meanwhile are few.
    if (found.length === wanted.size || total - message.__openclaw.seq > wanted.size + 100) break;
  }
  const row = rowInEvent(await rows.find(session));
  for (const message of found.reverse()) {
    const { id, seq } = message.__openclaw;
    const runId = ofRun !== undefined && message.role !== 'user' ? { runId: ofRun } : {};
    const told = { ...message, __openclaw: { ...message.__openclaw, ...runId } };
    const payload = {
      ...row,
      sessionKey,
      agentId,
      message: told,
      messageId: id,
      messageSeq: seq,
      ...runId,
    };
    hub.publish({ event: 'session.message', payload, agentId, audience });
  }
}

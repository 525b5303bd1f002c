import type { StoredEntry } from '@openbot/sessions';
import { resolveHeartbeat } from '../../config/heartbeats.ts';
import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import { findSession } from '../../session-address.ts';
import type { Turn } from '../open-turn.ts';
import { listMedia } from '../reply/drop-repeats.ts';
import { stripHeartbeatToken } from '../reply/tokens.ts';
import type { RunTally } from '../run-tally.ts';

const REPEAT_MS = 24 * 3_600_000;

/**
 * What a person is sent after a heartbeat: the last words of the agent, unless they say that there is nothing, or the
 * same was sent within a day. A failure is for the owner of the bot and not for the person.
 */
export function buildHeartbeatReplies(
  { tools, agent }: Turn,
  entry: Pick<StoredEntry, 'lastHeartbeatText' | 'lastHeartbeatSentAt'>,
  { texts, end }: RunTally,
  build: (payload: ReplyPayload) => readonly ReplyPayload[],
): readonly ReplyPayload[] {
  if (end.reason !== 'stop') return [];
  const { ackMaxChars } = resolveHeartbeat({ ...tools, agentId: agent.agentId });
  const { text, isAck } = readAnswer(texts.at(-1) ?? '', ackMaxChars);
  const payloads = build({ text });
  const hasMedia = payloads.some((payload) => listMedia(payload).length > 0);
  if ((isAck && !hasMedia) || isRepeat(entry, payloads, tools.now())) return [];
  return payloads;
}

/** The token counts at the beginning and at the end; a few words beside it do not make an alert. */
export function readAnswer(answer: string, ackMaxChars: number): { text: string; isAck: boolean } {
  const whole = answer.trim();
  const text = stripHeartbeatToken(whole).trim();
  return { text, isAck: text === '' || (text !== whole && text.length <= ackMaxChars) };
}

function isRepeat(
  { lastHeartbeatText, lastHeartbeatSentAt = 0 }: Parameters<typeof buildHeartbeatReplies>[1],
  payloads: readonly ReplyPayload[],
  now: number,
): boolean {
  const age = now - lastHeartbeatSentAt;
  return (
    lastHeartbeatText !== undefined &&
    age >= 0 &&
    age < REPEAT_MS &&
    alertOf(payloads) === lastHeartbeatText.trim()
  );
}

function alertOf(payloads: readonly ReplyPayload[]): string {
  return payloads
    .flatMap(({ text }) => text ?? [])
    .join('\n\n')
    .trim();
}

/** Remembers an alert that is in the outbox, so that it is not sent again. */
export async function noteAlert(
  { sessions, work, tools }: Turn,
  payloads: readonly ReplyPayload[],
): Promise<void> {
  const change = { lastHeartbeatText: alertOf(payloads), lastHeartbeatSentAt: tools.now() };
  const found = await findSession(sessions, work.sessionKey);
  if (found === undefined) return;
  await sessions.store.update(found.key, (entry) => entry && { ...entry, ...change });
}

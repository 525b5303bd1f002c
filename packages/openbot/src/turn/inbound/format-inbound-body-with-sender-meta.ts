import type { MsgContext } from '@openbot/sessions';
import { isGroupMessage } from '@openbot/sessions/key';
import { SENDER_META_PREFIX } from '../words/markers.ts';
import { resolveSenderLabel } from '../words/sender-label.ts';

/**
 * Appends `[from: Alice (+1234567890)]` to a message of a group or channel. `body` must be guarded: a line of this form
 * in it is then ours, and is not repeated.
 */
export function formatInboundBodyWithSenderMeta(params: { body: string; ctx: MsgContext }): string {
  const { body, ctx } = params;
  if (body.trim() === '' || !isGroupMessage(ctx)) return body;
  if (body.startsWith(SENDER_META_PREFIX) || body.includes(`\n${SENDER_META_PREFIX}`)) return body;
  const label = resolveSenderLabel(ctx);
  return label === undefined ? body : `${body}\n${SENDER_META_PREFIX}${label}]`;
}

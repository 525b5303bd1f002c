import type { MsgContext } from '@openbot/sessions';
import { shorten } from '@openbot/sessions/terminal-text';
import { guardText } from '../words/guard-text.ts';
import { FORWARD_PREFIX, REPLY_CLOSING, REPLY_OPENING, THREAD_STARTER_MARKER } from '../words/markers.ts';
import { normalizeInboundTextNewlines } from '../words/normalize-inbound-text-newlines.ts';
import { formatSenderId, formatSenderName } from '../words/sender-label.ts';

/** A quotation reminds of a message; it need not repeat a long one. */
const MAX_QUOTE = 4000;

/** Puts around a guarded body what it refers to: the message it answers, who wrote it first, how its thread began. */
export function addQuotes(body: string, ctx: MsgContext, options: { isNewSession: boolean }): string {
  const blocks: string[] = [];
  // A thread that has been going on has its first message in the transcript.
  if (options.isNewSession && isText(ctx.ThreadStarterBody)) {
    blocks.push(`${THREAD_STARTER_MARKER}\n${quote(ctx.ThreadStarterBody)}\n`);
  }
  if (isText(ctx.ForwardedFrom)) blocks.push(`${FORWARD_PREFIX}${formatSenderName(ctx.ForwardedFrom)}]`);
  blocks.push(body);
  if (isText(ctx.ReplyToBody)) {
    const sender = isText(ctx.ReplyToSender) ? formatSenderName(ctx.ReplyToSender) : 'unknown sender';
    const id = isText(ctx.ReplyToId) ? ` id:${formatSenderId(ctx.ReplyToId)}` : '';
    blocks.push(`\n${REPLY_OPENING}${sender}${id}]\n${quote(ctx.ReplyToBody)}\n${REPLY_CLOSING}`);
  }
  return blocks.join('\n');
}

function quote(text: string): string {
  return guardText(shorten(normalizeInboundTextNewlines(text), MAX_QUOTE));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

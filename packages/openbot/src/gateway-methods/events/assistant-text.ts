import type { ReplyPayload } from '../../outbox/reply-payload.ts';

/** A message of the agent, as events have it. */
export function assistantText(text: string, timestamp: number) {
  return { role: 'assistant', content: [{ type: 'text', text }], timestamp };
}

/** All that a person is sent, as one text. */
export function textOfPayloads(payloads: readonly ReplyPayload[]): string {
  return payloads
    .map(({ text = '', mediaUrl, mediaUrls = mediaUrl === undefined ? [] : [mediaUrl] }) =>
      [text, ...mediaUrls.map((url) => `MEDIA:${url}`)].filter((part) => part !== '').join('\n'),
    )
    .filter((text) => text !== '')
    .join('\n\n');
}

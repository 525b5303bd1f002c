import type { ServerResponse } from 'node:http';
import { breakOff, halves, sendJson } from './loopback-server.ts';
import type { ErrorReply, MessageReply, ReplyUsage } from './messages-format.ts';

export interface ReplyContext {
  readonly id: string;
  readonly model: string;
}

/** A reply in one piece, as to a request without `stream`. */
export function sendMessage(response: ServerResponse, reply: MessageReply, context: ReplyContext): void {
  sendJson(response, 200, {
    ...openMessage(context),
    ...transformations(reply),
    content: reply.blocks,
    stop_reason: stopReasonOf(reply),
    usage: wholeUsage(reply.usage),
  });
}

/** A reply as server-sent events; each block's content comes in two pieces, so that a client must join them. */
export function streamMessage(response: ServerResponse, reply: MessageReply, context: ReplyContext): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (type: string, fields: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  };
  const usage = wholeUsage(reply.usage);
  send('message_start', {
    message: { ...openMessage(context), ...transformations(reply), usage: { ...usage, output_tokens: 1 } },
  });
  for (const [index, block] of reply.blocks.entries()) {
    const delta = (fields: object): void => send('content_block_delta', { index, delta: fields });
    if (block.type === 'text') {
      send('content_block_start', { index, content_block: { type: 'text', text: '' } });
      for (const text of halves(block.text)) delta({ type: 'text_delta', text });
    } else if (block.type === 'thinking') {
      send('content_block_start', {
        index,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      });
      for (const thinking of halves(block.thinking)) delta({ type: 'thinking_delta', thinking });
      delta({ type: 'signature_delta', signature: block.signature });
    } else if (block.type === 'redacted_thinking') {
      send('content_block_start', { index, content_block: block });
    } else {
      send('content_block_start', { index, content_block: { ...block, input: {} } });
      for (const json of halves(JSON.stringify(block.input)))
        delta({ type: 'input_json_delta', partial_json: json });
    }
    // A reply that does not end is in the middle of its last block.
    if (reply.breaksOff === undefined || index < reply.blocks.length - 1)
      send('content_block_stop', { index });
  }
  if (reply.breaksOff !== undefined) {
    breakOff(response, reply.breaksOff, ({ type, message }) => send('error', { error: { type, message } }));
    return;
  }
  send('message_delta', { delta: { stop_reason: stopReasonOf(reply), stop_sequence: null }, usage });
  send('message_stop', {});
  response.end();
}

export function sendError(response: ServerResponse, error: ErrorReply): void {
  const body = { type: 'error', error: { type: error.type, message: error.message } };
  sendJson(response, error.status, body, error.headers);
}

function openMessage({ id, model }: ReplyContext): object {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function transformations({ dropped = [] }: MessageReply): object {
  return dropped.length === 0 ? {} : { input_transformations: dropped };
}

function wholeUsage(usage: ReplyUsage = {}): Required<ReplyUsage> {
  return {
    input_tokens: 100,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 10,
    ...usage,
  };
}

function stopReasonOf(reply: MessageReply): string {
  return (
    reply.stopReason ?? (reply.blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn')
  );
}

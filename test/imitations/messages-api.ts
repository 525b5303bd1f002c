/**
 * An imitation of the Anthropic Messages API: a real HTTP server on loopback that answers from a script and remembers
 * what it was asked. A conversation that the real API would refuse is refused here too, with its kind of message.
 */
import type { ServerResponse } from 'node:http';
import { type RecordedRequest, sendJson, startLoopbackServer, tokensOf } from './loopback-server.ts';
import {
  apiErrors,
  type DroppedThinking,
  isErrorReply,
  type MessagesRequest,
  type Reply,
} from './messages-format.ts';
import { findHistoryFault } from './messages-history.ts';
import { sendError, sendMessage, streamMessage } from './messages-reply.ts';
import { type BindingMode, bindReply, checkThinking } from './thinking-binding.ts';

export interface MessagesApiOptions {
  /**
   * Answers each POST /v1/messages: a function, or replies in the order of the requests. A request beyond the last
   * one gets an error that says so.
   */
  readonly replies: ((request: MessagesRequest, count: number) => Reply | Promise<Reply>) | readonly Reply[];
  /** Whether a conversation that the real API would refuse is taken. Default: it is refused. */
  readonly takeAnyHistory?: boolean;
  /** What happens to thinking whose conversation was changed, on models that bind it. Default: `enforce`. */
  readonly binding?: BindingMode;
  readonly models?: readonly string[];
  /** Requests with another key are refused. */
  readonly key?: string;
  /** Tokens; a longer conversation is refused. */
  readonly window?: number;
}

export interface MessagesApi {
  /** For ANTHROPIC_BASE_URL. */
  readonly url: string;
  /** Every request, whatever its path and its answer. */
  readonly requests: readonly RecordedRequest[];
  /** Bodies of POST /v1/messages, oldest first. */
  readonly conversations: readonly MessagesRequest[];
  /** What was wrong with refused conversations, oldest first. */
  readonly faults: readonly string[];
  /** Thinking that was left out of requests, oldest first. */
  readonly dropped: readonly DroppedThinking[];
  /** Answers what comes from now on by another script. */
  setReplies(replies: MessagesApiOptions['replies']): void;
  setBinding(mode: BindingMode): void;
  /** Forgets what was asked so far. */
  forget(): void;
  close(): Promise<void>;
}

export async function startMessagesApi(options: MessagesApiOptions): Promise<MessagesApi> {
  const conversations: MessagesRequest[] = [];
  const faults: string[] = [];
  const dropped: DroppedThinking[] = [];
  let { replies, binding = 'enforce' } = options;
  let answered = 0;
  let messageCount = 0;

  async function nextReply(request: MessagesRequest, headers: RecordedRequest['headers']): Promise<Reply> {
    if (options.key !== undefined && headers['x-api-key'] !== options.key) return apiErrors.authentication();
    const tokens = tokensOf([request.system, request.messages]);
    if (options.window !== undefined && tokens > options.window)
      return apiErrors.promptTooLong(tokens, options.window);
    const checked = checkThinking(request, headers, binding);
    const fault =
      options.takeAnyHistory === true ? undefined : (findHistoryFault(request.messages) ?? checked.fault);
    if (fault !== undefined) {
      faults.push(fault);
      return apiErrors.invalidRequest(fault);
    }
    const count = answered++;
    const reply = typeof replies === 'function' ? await replies(request, count) : replies[count];
    if (reply === undefined)
      return apiErrors.invalidRequest(`the script has ${count} replies and this is one more request`);
    if (isErrorReply(reply) || checked.fault !== undefined) return reply;
    dropped.push(...checked.dropped);
    return bindReply(request, checked, reply);
  }

  async function answer(
    { method, path, body, headers }: RecordedRequest,
    response: ServerResponse,
  ): Promise<void> {
    if (method === 'POST' && path === '/v1/messages') {
      const request = body as MessagesRequest;
      conversations.push(request);
      const reply = await nextReply(request, headers);
      messageCount += 1;
      const context = { id: `msg_${String(messageCount).padStart(6, '0')}`, model: request.model };
      if (isErrorReply(reply)) sendError(response, reply);
      else if (request.stream === true) streamMessage(response, reply, context);
      else sendMessage(response, reply, context);
    } else if (method === 'POST' && path === '/v1/messages/count_tokens') {
      sendJson(response, 200, { input_tokens: tokensOf(body) });
    } else if (method === 'GET' && path === '/v1/models') {
      sendJson(response, 200, listModels(options.models ?? ['claude-sonnet-4-5']));
    } else {
      sendError(response, {
        status: 404,
        type: 'not_found_error',
        message: `no such address: ${method} ${path}`,
      });
    }
  }

  const server = await startLoopbackServer({
    answer,
    refuse: (response, message) =>
      sendError(response, { status: 400, type: 'invalid_request_error', message }),
  });

  return {
    url: server.url,
    requests: server.requests,
    conversations,
    faults,
    dropped,
    setReplies(next) {
      replies = next;
      answered = 0;
    },
    setBinding(mode) {
      binding = mode;
    },
    forget() {
      server.requests.length = 0;
      conversations.length = 0;
      faults.length = 0;
      dropped.length = 0;
    },
    close: server.close,
  };
}

function listModels(models: readonly string[]): object {
  const data = models.map((id) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: '2025-01-01T00:00:00Z',
  }));
  return { data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
}

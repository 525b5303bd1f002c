/**
 * An imitation of a provider of OpenAI's chat completions: a real HTTP server on loopback that answers from a script
 * and remembers what it was asked. A conversation that a provider would refuse is refused here too.
 */
import { type ChatReply, type ChatRequest, chatErrors, isRefusal } from './chat-format.ts';
import { findChatFault } from './chat-history.ts';
import { sendAnswer, sendRefusal } from './chat-reply.ts';
import { type RecordedRequest, sendJson, startLoopbackServer, tokensOf } from './loopback-server.ts';

export interface ChatApiOptions {
  /** Answers each POST /chat/completions whose conversation is in order. */
  readonly reply: (request: ChatRequest) => ChatReply | Promise<ChatReply>;
  readonly models?: readonly string[];
  /** Requests with another key are refused. */
  readonly key?: string;
  /** Tokens; a longer conversation is refused. */
  readonly window?: number;
}

export interface ChatApi {
  /** The base address of the provider, with `/v1`. */
  readonly url: string;
  /** Every request, whatever its path and its answer. */
  readonly requests: readonly RecordedRequest[];
  /** Bodies of POST /chat/completions, oldest first. */
  readonly conversations: readonly ChatRequest[];
  /** What was wrong with refused conversations, oldest first. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

export async function startChatApi(options: ChatApiOptions): Promise<ChatApi> {
  const conversations: ChatRequest[] = [];
  const faults: string[] = [];
  const models = options.models ?? ['imitation'];

  async function findReply(request: ChatRequest, headers: RecordedRequest['headers']): Promise<ChatReply> {
    if (options.key !== undefined && headers.authorization !== `Bearer ${options.key}`)
      return chatErrors.authentication();
    const tokens = tokensOf(request.messages);
    if (options.window !== undefined && tokens > options.window)
      return chatErrors.tooLong(tokens, options.window);
    const fault = findChatFault(request.messages);
    if (fault === undefined) return options.reply(request);
    faults.push(fault);
    return { status: 400, message: fault };
  }

  const server = await startLoopbackServer({
    async answer({ method, path, body, headers }, response) {
      if (method === 'POST' && path === '/v1/chat/completions') {
        const request = body as ChatRequest;
        const id = String(conversations.push(request)).padStart(6, '0');
        const reply = await findReply(request, headers);
        if (isRefusal(reply)) sendRefusal(response, reply);
        else sendAnswer(response, request, reply, id);
      } else if (method === 'GET' && path === '/v1/models') {
        const data = models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'imitation' }));
        sendJson(response, 200, { object: 'list', data });
      } else {
        sendRefusal(response, { status: 404, message: `no such address: ${method} ${path}` });
      }
    },
    refuse: (response, message) => sendRefusal(response, { status: 400, message }),
  });
  return {
    url: `${server.url}/v1`,
    requests: server.requests,
    conversations,
    faults,
    close: server.close,
  };
}

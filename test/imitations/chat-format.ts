/** The parts of OpenAI's chat completions that the imitation speaks: what comes in and what goes out. */

export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly content?: string | null | readonly { readonly type: string; readonly text?: string }[];
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export interface ChatCall {
  /** Unless given: one of the server's own. */
  readonly id?: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ChatAnswer {
  readonly text?: string;
  /** As providers of thinking models stream it. */
  readonly thinking?: string;
  readonly calls?: readonly ChatCall[];
  /** Of the request; estimated from its length where not given. */
  readonly promptTokens?: number;
  /** What follows a streamed answer in the place of its end. */
  readonly breaksOff?: 'cut' | 'stall' | ChatRefusal;
}

export interface ChatRefusal {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The errors of real providers that callers must cope with. */
export const chatErrors = {
  tooLong: (tokens: number, limit: number): ChatRefusal => ({
    status: 400,
    code: 'context_length_exceeded',
    message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens.`,
  }),
  authentication: (): ChatRefusal => ({
    status: 401,
    code: 'invalid_api_key',
    message: 'Incorrect API key provided.',
  }),
  rateLimit: (retryAfter?: string): ChatRefusal => ({
    status: 429,
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached for requests',
    headers: retryAfter === undefined ? undefined : { 'retry-after': retryAfter },
  }),
  noCredit: (): ChatRefusal => ({
    status: 429,
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  }),
  overloaded: (): ChatRefusal => ({ status: 503, message: 'The engine is currently overloaded' }),
} as const;

export type ChatReply = ChatAnswer | ChatRefusal;

export function isRefusal(reply: ChatReply): reply is ChatRefusal {
  return 'status' in reply;
}

/** The text of a message, whichever way its content is written. */
export function textOf(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? []).map((part) => part.text ?? '').join('');
}

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
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ChatAnswer {
  readonly text?: string;
  readonly calls?: readonly ChatCall[];
  /** Of the request; estimated from its length where not given. */
  readonly promptTokens?: number;
}

export interface ChatRefusal {
  readonly status: number;
  readonly message: string;
}

export type ChatReply = ChatAnswer | ChatRefusal;

export function isRefusal(reply: ChatReply): reply is ChatRefusal {
  return 'status' in reply;
}

/** The text of a message, whichever way its content is written. */
export function textOf(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? []).map((part) => part.text ?? '').join('');
}

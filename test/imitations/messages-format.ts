/** The parts of the Anthropic Messages API that the imitation speaks: what comes in and what goes out. */

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}
export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly ContentBlock[];
  readonly is_error?: boolean;
}
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}
/** A block of a kind that the imitation only passes on: images, documents, and what comes later. */
export interface OtherBlock {
  readonly type: 'image' | 'document';
}
export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | OtherBlock;
/** What a model says. */
export type ReplyBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;

export interface ApiMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly ContentBlock[];
}

export interface MessagesRequest {
  readonly model: string;
  readonly messages: readonly ApiMessage[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly thinking?: unknown;
}

/** What the caller says that the reply cost; the rest is filled in. */
export interface ReplyUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
}

export interface MessageReply {
  readonly blocks: readonly ReplyBlock[];
  /** Thinking of the request that the API left out. */
  readonly dropped?: readonly DroppedThinking[];
  readonly usage?: ReplyUsage;
  /** Unless given: `tool_use` when a call is among the blocks, else `end_turn`. */
  readonly stopReason?: string;
  /** What follows the blocks of a streamed reply in the place of its end. */
  readonly breaksOff?: BreakOff;
}

/** As the API lists it in `input_transformations`. */
export interface DroppedThinking {
  readonly type: 'thinking_dropped';
  readonly path: string;
  readonly reason: string;
}

/** The connection is lost, nothing more comes, or the stream ends with an error. */
export type BreakOff = 'cut' | 'stall' | ErrorReply;

export interface ErrorReply {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Reply = MessageReply | ErrorReply;

export const say = (text: string): TextBlock => ({ type: 'text', text });
export const think = (thinking: string): ThinkingBlock => ({
  type: 'thinking',
  thinking,
  signature: signThinking(thinking),
});
export const redact = (secret: string): RedactedThinkingBlock => ({
  type: 'redacted_thinking',
  data: signRedacted(secret),
});
/**
 * The imitation's own signature: thinking that it did not issue, or that was changed since, does not match it.
 * @param prefix a hash of all that came before, added when the thinking is sent
 */
export const signThinking = (thinking: string, prefix = ''): string => sign('signed', prefix, thinking);
export const signRedacted = (secret: string, prefix = ''): string => sign('redacted', prefix, secret);

const sign = (kind: string, prefix: string, text: string): string =>
  Buffer.from(`${kind}:${prefix}:${text}`).toString('base64');

/** What a signature says; undefined for one that the imitation did not issue. */
export function readSignature(
  signature: string,
): { readonly prefix: string; readonly text: string } | undefined {
  const [, prefix, text] =
    /^(?:signed|redacted):([0-9a-f]*):(.*)$/s.exec(Buffer.from(signature, 'base64').toString()) ?? [];
  return prefix === undefined || text === undefined ? undefined : { prefix, text };
}

export const call = (id: string, name: string, input: Readonly<Record<string, unknown>>): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
});

const fail = (status: number, type: string, message: string): ErrorReply => ({
  status,
  type,
  message,
  // Without it Claude Code tries again for minutes.
  headers: { 'x-should-retry': 'false' },
});

/** The errors of the real API that callers must cope with. */
export const apiErrors = {
  invalidRequest: (message: string) => fail(400, 'invalid_request_error', message),
  promptTooLong: (tokens: number, limit: number) =>
    fail(400, 'invalid_request_error', `prompt is too long: ${tokens} tokens > ${limit} maximum`),
  authentication: () => fail(401, 'authentication_error', 'invalid x-api-key'),
  rateLimit: (retryAfter?: string) => ({
    ...fail(429, 'rate_limit_error', 'This request would exceed the rate limit'),
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  }),
  noCredit: () =>
    fail(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API'),
  overloaded: () => fail(529, 'overloaded_error', 'Overloaded'),
} as const;

/** The blocks of a message, whichever way its content is written. */
export function blocksOf(message: ApiMessage): readonly ContentBlock[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}

export function isErrorReply(reply: Reply): reply is ErrorReply {
  return 'status' in reply;
}

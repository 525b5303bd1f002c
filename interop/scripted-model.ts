/**
 * A model that does what the person's message says (script.ts), so that a scenario is told in its messages alone. Two
 * providers offer it, and each refuses what the real one refuses: chat completions as OpenAI has them, and the Messages
 * API of Anthropic, where it thinks before each answer.
 */
import { startChatApi } from '../test/imitations/chat-api.ts';
import {
  type ChatAnswer,
  type ChatMessage,
  type ChatReply,
  type ChatRequest,
  textOf,
} from '../test/imitations/chat-format.ts';
import { startMessagesApi } from '../test/imitations/messages-api.ts';
import {
  apiErrors,
  call,
  type MessagesRequest,
  type Reply,
  say,
  think,
} from '../test/imitations/messages-format.ts';
import type { BindingMode } from '../test/imitations/thinking-binding.ts';
import { asChatRequest, thoughtsIn } from './messages-as-chat.ts';
import { readScript, type Step } from './script.ts';

export interface ScriptedModel {
  /** Base address of the provider of chat completions. */
  readonly chatUrl: string;
  /** Base address of the provider of the Messages API. */
  readonly messagesUrl: string;
  /** Where the requests end now. */
  mark(): RequestMark;
  /** Requests since then, those of one provider in order; also those that were refused. */
  requestsSince(mark: RequestMark): HeardRequest[];
  /** What was wrong with requests that were refused since then. */
  faultsSince(mark: RequestMark): string[];
  /** Where in requests since then the Messages API left out thinking. */
  droppedSince(mark: RequestMark): string[];
  /** What the Messages API does with thinking whose conversation was changed, on models that bind it. */
  setBinding(mode: BindingMode): void;
  /** Lets answers go that wait under this name, now and later. */
  release(name: string): void;
  /** Whether an answer waits under this name. */
  isHeld(name: string): boolean;
  close(): Promise<void>;
}

export interface HeardRequest extends ChatRequest {
  /** Earlier thinking that the model was shown. */
  readonly thoughts?: readonly string[];
  /** What the request says about thinking whose conversation was changed. */
  readonly mismatch?: string;
}

interface Thinking {
  readonly block_binding?: { readonly prefix_mismatch_behavior?: string };
}

export interface RequestMark {
  readonly requests: readonly [chat: number, messages: number];
  readonly faults: readonly [chat: number, messages: number];
  readonly dropped: number;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const released = new Set<string>();
  const waiting = new Map<string, (() => void)[]>();
  let calls = 0;

  async function reply(request: ChatRequest): Promise<ChatAnswer> {
    if (isSideRequest(request)) return { text: 'SUMMARY of what was said.' };
    const { answer, hold } = chooseStep(request.messages);
    if (hold !== undefined && !released.has(hold)) {
      await new Promise<void>((resolve) => waiting.set(hold, [...(waiting.get(hold) ?? []), resolve]));
    }
    return answer;
  }

  async function replyToMessages(request: MessagesRequest): Promise<Reply> {
    const asChat = asChatRequest(request);
    if (chooseStep(asChat.messages).refusesThinking === true && thoughtsIn(request).length > 0) {
      return apiErrors.invalidRequest('messages.1.content.0: Invalid `signature` in `thinking` block');
    }
    const answer = await reply(asChat);
    const thinks = (request.thinking as { type?: string } | undefined)?.type;
    const toolUses = (answer.calls ?? []).map((one) => {
      calls += 1;
      return call(`toolu_${String(calls).padStart(6, '0')}`, one.name, one.arguments);
    });
    return {
      blocks: [
        ...(thinks === 'enabled' || thinks === 'adaptive' ? [think(`What now? ${nameAnswer(answer)}.`)] : []),
        ...(answer.text === undefined ? [] : [say(answer.text)]),
        ...toolUses,
      ],
      usage: { input_tokens: answer.promptTokens ?? Math.ceil(JSON.stringify(request.messages).length / 4) },
    };
  }

  function replyToChat(request: ChatRequest): ChatReply | Promise<ChatReply> {
    const { failure } = chooseStep(request.messages);
    return failure === undefined ? reply(request) : { status: 400, message: failure };
  }

  const chat = await startChatApi({ reply: replyToChat });
  const messages = await startMessagesApi({ replies: replyToMessages });
  const hearMessages = (request: MessagesRequest): HeardRequest => ({
    ...asChatRequest(request),
    thoughts: thoughtsIn(request),
    mismatch: (request.thinking as Thinking | undefined)?.block_binding?.prefix_mismatch_behavior,
  });
  return {
    chatUrl: chat.url,
    messagesUrl: messages.url,
    mark: () => ({
      requests: [chat.conversations.length, messages.conversations.length],
      faults: [chat.faults.length, messages.faults.length],
      dropped: messages.dropped.length,
    }),
    requestsSince: ({ requests: [ofChat, ofMessages] }) => [
      ...chat.conversations.slice(ofChat),
      ...messages.conversations.slice(ofMessages).map(hearMessages),
    ],
    faultsSince: ({ faults: [ofChat, ofMessages] }) => [
      ...chat.faults.slice(ofChat),
      ...messages.faults.slice(ofMessages),
    ],
    droppedSince: ({ dropped }) => messages.dropped.slice(dropped).map(({ path }) => path),
    setBinding: messages.setBinding,
    release(name) {
      released.add(name);
      for (const go of waiting.get(name) ?? []) go();
      waiting.delete(name);
    },
    isHeld: (name) => waiting.has(name),
    async close() {
      await chat.close();
      await messages.close();
    },
  };
}

/** A request without tools is OpenClaw's own business and no turn: the summary for a compaction. */
export function isSideRequest(request: ChatRequest): boolean {
  return (request.tools ?? []).length === 0;
}

/** What OpenClaw adds in the person's name behind the conversation. */
export function isRuntimeContext(message: ChatMessage): boolean {
  return message.role === 'user' && textOf(message).startsWith('<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>');
}

function chooseStep(messages: readonly ChatMessage[]): Step {
  const last = messages.findLastIndex((message) => message.role === 'user' && !isRuntimeContext(message));
  const asked = messages[last];
  const done = messages.slice(last + 1).filter((message) => message.role === 'assistant').length;
  const steps = readScript(asked === undefined ? '' : textOf(asked));
  return steps[done] ?? { answer: { text: 'Nothing to say.' } };
}

function nameAnswer({ text, calls = [] }: ChatAnswer): string {
  return calls.length > 0 ? `I call ${calls.map(({ name }) => name).join(', ')}` : `I say: ${text}`;
}

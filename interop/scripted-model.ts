/** A model that does what the person's message says (script.ts), so that a scenario is told in its messages alone. */
import { type ChatApi, startChatApi } from '../test/imitations/chat-api.ts';
import {
  type ChatAnswer,
  type ChatMessage,
  type ChatRequest,
  textOf,
} from '../test/imitations/chat-format.ts';
import { readScript, type Step } from './script.ts';

export interface ScriptedModel extends Pick<ChatApi, 'url' | 'faults' | 'conversations'> {
  /** Lets answers go that wait under this name, now and later. */
  release(name: string): void;
  /** Whether an answer waits under this name. */
  isHeld(name: string): boolean;
  close(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const released = new Set<string>();
  const waiting = new Map<string, (() => void)[]>();

  async function reply(request: ChatRequest): Promise<ChatAnswer> {
    if (isSideRequest(request)) return { text: 'SUMMARY of what was said.' };
    const { answer, hold } = chooseStep(request.messages);
    if (hold !== undefined && !released.has(hold)) {
      await new Promise<void>((resolve) => waiting.set(hold, [...(waiting.get(hold) ?? []), resolve]));
    }
    return answer;
  }

  const { url, faults, conversations, close } = await startChatApi({ reply });
  return {
    url,
    faults,
    conversations,
    release(name) {
      released.add(name);
      for (const go of waiting.get(name) ?? []) go();
      waiting.delete(name);
    },
    isHeld: (name) => waiting.has(name),
    close,
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

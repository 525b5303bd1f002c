import { type ChatMessage, textOf } from './chat-format.ts';

/**
 * What a provider of chat completions would refuse in a conversation; undefined when it would take it. Every call has
 * its result right behind it, every result its call right before it, and nothing that speaks says nothing.
 */
export function findChatFault(messages: readonly ChatMessage[]): string | undefined {
  const seen = new Set<string>();
  let open = new Set<string>();
  let spoken = false;
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    if (message.role === 'tool') {
      const id = message.tool_call_id ?? '';
      if (!open.delete(id)) {
        return `${at}: Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls': ${id}`;
      }
      continue;
    }
    if (open.size > 0) return `${at}: ${describeUnanswered(open)}`;
    if (message.role === 'system' || message.role === 'developer') {
      if (spoken) return `${at}: a ${message.role} message among the conversation`;
      continue;
    }
    if (!spoken && message.role !== 'user') return `${at}: the conversation begins with ${message.role}`;
    spoken = true;
    const calls = message.tool_calls ?? [];
    if (calls.length === 0 && textOf(message) === '') return `${at}: an empty ${message.role} message`;
    for (const { id } of calls) {
      if (seen.has(id)) return `${at}: a tool call id is used twice: ${id}`;
      seen.add(id);
    }
    open = new Set(calls.map((call) => call.id));
  }
  if (!spoken) return 'messages: nobody says anything';
  return open.size > 0 ? `messages: ${describeUnanswered(open)}` : undefined;
}

function describeUnanswered(ids: ReadonlySet<string>): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`;
}

/**
 * The rules of the Messages API about a conversation, once: for Claude Code in the tests and for OpenClaw in interop.
 */
import { type ApiMessage, blocksOf, type ContentBlock, readSignature } from './messages-format.ts';

interface Turn {
  /** Of its first message in the request. */
  readonly index: number;
  readonly role: 'user' | 'assistant';
  readonly blocks: ContentBlock[];
}

/**
 * What the real API would refuse in a conversation, in its words; undefined when it would take it. Like the API, it
 * reads neighbouring messages of one role as one.
 */
export function findHistoryFault(messages: readonly ApiMessage[]): string | undefined {
  if (messages.length === 0) return 'messages: at least one message is required';
  const turns = joinRoles(messages);
  if (turns[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  const seen = new Set<string>();
  for (const [place, turn] of turns.entries()) {
    const fault = findBlockFault(turn, turns[place - 1], seen) ?? findUnanswered(turn, turns[place + 1]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function joinRoles(messages: readonly ApiMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    // A system message among the others is an instruction in passing: it is no side of the conversation.
    if (message.role === 'system') continue;
    const last = turns.at(-1);
    if (last?.role === message.role) last.blocks.push(...blocksOf(message));
    else turns.push({ index, role: message.role, blocks: [...blocksOf(message)] });
  }
  return turns;
}

function findBlockFault(turn: Turn, before: Turn | undefined, seen: Set<string>): string | undefined {
  const at = `messages.${turn.index}`;
  if (turn.blocks.length === 0) return `${at}: all messages must have non-empty content`;
  const asked = new Set(before?.role === 'assistant' ? callIds(before) : []);
  const answered = new Set<string>();
  for (const [place, block] of turn.blocks.entries()) {
    if (block.type === 'text' && block.text === '') return 'messages: text content blocks must be non-empty';
    if (block.type === 'tool_use') {
      if (turn.role !== 'assistant')
        return `${at}: \`tool_use\` blocks can only be in \`assistant\` messages`;
      if (seen.has(block.id)) return `${at}.content.${place}: \`tool_use\` ids must be unique`;
      seen.add(block.id);
    }
    if (block.type === 'tool_result') {
      const id = block.tool_use_id;
      if (turn.role !== 'user') return `${at}: \`tool_result\` blocks can only be in \`user\` messages`;
      if (!asked.has(id)) {
        return `${at}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      }
      if (answered.has(id)) {
        return `${at}.content.${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
      }
      answered.add(id);
    }
  }
  return findThinkingFault(turn);
}

/** Thinking stands first in what the assistant said between two messages of the user, unchanged, and never last. */
function findThinkingFault(turn: Turn): string | undefined {
  const at = `messages.${turn.index}`;
  const place = turn.blocks.findIndex(isThinking);
  if (place === -1) return undefined;
  if (turn.role !== 'assistant') return `${at}: \`thinking\` blocks can only be in \`assistant\` messages`;
  if (place > 0) {
    return `${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${turn.blocks[0]?.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns.`;
  }
  for (const [index, block] of turn.blocks.entries()) {
    if (block.type === 'thinking' && readSignature(block.signature)?.text !== block.thinking)
      return `${at}.content.${index}: Invalid \`signature\` in \`thinking\` block`;
  }
  const last = turn.blocks.at(-1);
  if (last !== undefined && isThinking(last)) {
    return `${at}: The final block in an assistant message cannot be \`thinking\`.`;
  }
  return undefined;
}

export function isThinking(
  block: ContentBlock,
): block is Extract<ContentBlock, { type: 'thinking' | 'redacted_thinking' }> {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function findUnanswered(turn: Turn, next: Turn | undefined): string | undefined {
  const answers = new Set<string>();
  // Results stand first: one behind another block does not count.
  for (const block of next?.blocks ?? []) {
    if (block.type !== 'tool_result') break;
    answers.add(block.tool_use_id);
  }
  const open = callIds(turn).filter((id) => !answers.has(id));
  if (open.length === 0) return undefined;
  return `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function callIds(turn: Turn): string[] {
  return turn.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

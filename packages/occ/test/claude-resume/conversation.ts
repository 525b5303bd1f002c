import {
  blocksOf,
  type ContentBlock,
  type MessagesRequest,
} from '../../../../test/imitations/messages-format.ts';

/**
 * What the model was told, one line for each message: the role, then its blocks. What Claude Code adds on its own
 * (reminders, notes about the surroundings) is left out.
 */
export function tellConversation(request: MessagesRequest | undefined): string[] {
  return (request?.messages ?? [])
    .filter((message) => message.role !== 'system')
    .map((message) => {
      const blocks = blocksOf(message).filter(
        (block) => block.type !== 'text' || !block.text.startsWith('<system-reminder>'),
      );
      return [message.role, ...blocks.map(tellBlock)].join(' | ');
    });
}

function tellBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return `(${block.thinking})`;
    case 'tool_use':
      return `call ${block.id}`;
    case 'tool_result':
      return `result ${block.tool_use_id}`;
    default:
      return block.type;
  }
}

/** Of a call in the request: its arguments; of its result: the text. */
export function findCall(
  request: MessagesRequest | undefined,
  id: string,
): { input: unknown; result: unknown } {
  const blocks = (request?.messages ?? []).flatMap(blocksOf);
  const use = blocks.find((block) => block.type === 'tool_use' && block.id === id);
  const result = blocks.find((block) => block.type === 'tool_result' && block.tool_use_id === id);
  return {
    input: use?.type === 'tool_use' ? use.input : undefined,
    result: result?.type === 'tool_result' ? result.content : undefined,
  };
}

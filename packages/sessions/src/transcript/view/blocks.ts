import { isJsonObject } from '../../entry/json-object.ts';

export type MessageBlock =
  | { readonly kind: 'text'; readonly text: string }
  /** The text may be empty: some providers keep it to themselves. */
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: unknown }
  | {
      readonly kind: 'result';
      readonly callId: string;
      /** Where the line says it. */
      readonly name?: string;
      readonly text: string;
      readonly images: number;
      readonly isError: boolean;
    }
  | { readonly kind: 'image'; readonly mimeType?: string }
  /** A kind that is not known here. */
  | { readonly kind: 'other'; readonly type: string };

/** The blocks of a message, in their order. Content may be text, blocks, or absent. */
export function readBlocks(message: Readonly<Record<string, unknown>>, content: unknown): MessageBlock[] {
  if (message.role === 'toolResult' || message.type === 'toolResult') return [readResult(message, content)];
  if (message.role === 'bashExecution') return readBashExecution(message);
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return Array.isArray(content) ? content.flatMap(readBlock) : [];
}

function readBlock(block: unknown): MessageBlock[] {
  if (typeof block === 'string') return block === '' ? [] : [{ kind: 'text', text: block }];
  if (!isJsonObject(block)) return [];
  const { type } = block;
  switch (type) {
    case 'text':
      return block.text === '' ? [] : [{ kind: 'text', text: asText(block.text) }];
    case 'thinking':
    case 'redacted_thinking':
      return [{ kind: 'thinking', text: asText(block.thinking) }];
    case 'toolCall':
    case 'toolUse':
    case 'functionCall':
    case 'tool_use':
    case 'server_tool_use':
      return [
        {
          kind: 'call',
          id: asText(block.id),
          name: asText(block.name),
          arguments: block.arguments ?? block.input,
        },
      ];
    case 'tool_result':
      return [
        readResult({ ...block, toolCallId: block.tool_use_id, isError: block.is_error }, block.content),
      ];
    case 'image':
      return [readImage(block)];
    default:
      return [{ kind: 'other', type: asText(type) }];
  }
}

function readImage(block: Readonly<Record<string, unknown>>): MessageBlock {
  const source = isJsonObject(block.source) ? block.source : block;
  const mimeType = source.media_type ?? source.mimeType;
  return { kind: 'image', ...(typeof mimeType === 'string' && { mimeType }) };
}

function readResult(result: Readonly<Record<string, unknown>>, content: unknown): MessageBlock {
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.flatMap((part) => {
    if (typeof part === 'string') return [part];
    return isJsonObject(part) && typeof part.text === 'string' ? [part.text] : [];
  });
  return {
    kind: 'result',
    callId: asText(result.toolCallId),
    ...(typeof result.toolName === 'string' && { name: result.toolName }),
    text: texts.join('\n'),
    images: parts.filter((part) => isJsonObject(part) && part.type === 'image').length,
    isError: result.isError === true,
  };
}

/** A command that a person ran in pi. */
function readBashExecution(message: Readonly<Record<string, unknown>>): MessageBlock[] {
  const { exitCode } = message;
  return [
    { kind: 'call', id: '', name: 'bash', arguments: { command: asText(message.command) } },
    {
      kind: 'result',
      callId: '',
      name: 'bash',
      text: asText(message.output),
      images: 0,
      isError: typeof exitCode === 'number' && exitCode !== 0,
    },
  ];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

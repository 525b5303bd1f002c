import type { TranscriptMessage } from '@openbot/sessions/transcript';

/**
 * The message that a line gives to the model. A summary and a custom message get the roles that pi gives them.
 * @param edit a line that puts other content in the place of the message's own
 */
export function messageOfLine(line: Buffer, edit?: Buffer): TranscriptMessage | undefined {
  const entry = parse(line);
  const message = entry && toMessage(entry);
  const replacement = edit && parse(edit)?.replacement;
  if (message === undefined || !isObject(replacement)) return message;
  const content = replacement.content as TranscriptMessage['content'];
  const needsBlocks = message.role === 'assistant' || message.role === 'toolResult';
  return {
    ...message,
    content: needsBlocks && typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  };
}

type Entry = Record<string, unknown>;

export function parse(line: Buffer): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toMessage(entry: Entry): TranscriptMessage | undefined {
  const { type, summary, tokensBefore, fromId, customType, content, display, details } = entry;
  const timestamp = Date.parse(String(entry.timestamp));
  switch (type) {
    case 'message':
      return asMessage(entry.message);
    case 'compaction':
      return { role: 'compactionSummary', summary, tokensBefore, timestamp };
    case 'branch_summary':
      return { role: 'branchSummary', summary, fromId, timestamp };
    case 'custom_message': {
      const said = content as TranscriptMessage['content'];
      return { role: 'custom', customType, content: said, display, details, timestamp };
    }
    default:
      // Older lines are the message itself, with the role as their type.
      return asMessage(isObject(entry.message) ? entry.message : { role: type, ...entry });
  }
}

function asMessage(value: unknown): TranscriptMessage | undefined {
  return isObject(value) && typeof value.role === 'string' ? (value as TranscriptMessage) : undefined;
}

export function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

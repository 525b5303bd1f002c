import type { SDKAPIRetryMessage, SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { shorten } from '@openbot/sessions/terminal-text';
import type { RunEvent } from '../run-contract/run-event.ts';

const OUTPUT_LIMIT = 2000;

/** The events of a message of Claude Code: texts, tool calls and their results. */
export function listMessageEvents(message: SDKMessage): RunEvent[] {
  if (message.type === 'system' && message.subtype === 'api_retry') return [describeRetry(message)];
  if (message.type !== 'assistant' && message.type !== 'user') return [];
  // An API error also arrives as an answer; the result of the turn reports it.
  if (message.type === 'assistant' && message.error !== undefined) return [];
  const inSubagent = message.parent_tool_use_id !== null;
  const content: unknown = message.message.content;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: Record<string, unknown>): RunEvent[] => {
    if (message.type === 'assistant' && block.type === 'text') {
      const text = String(block.text);
      return text.trim() === '' ? [] : [{ type: 'text', text, inSubagent }];
    }
    if (block.type === 'tool_use') {
      const { id, name, input } = block;
      return [{ type: 'tool', toolUseId: String(id), name: String(name), input, inSubagent }];
    }
    if (block.type === 'tool_result') {
      return [
        {
          type: 'tool-result',
          toolUseId: String(block.tool_use_id),
          isError: block.is_error === true,
          output: shorten(readText(block.content), OUTPUT_LIMIT),
        },
      ];
    }
    return [];
  });
}

function describeRetry(message: SDKAPIRetryMessage): RunEvent {
  const { attempt, max_retries: maxRetries, error_status: status, error: reason } = message;
  return { type: 'retrying', attempt, maxRetries, ...(status === null ? {} : { status }), reason };
}

function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: { type?: unknown; text?: unknown }) => (block.type === 'text' ? String(block.text) : ''))
    .filter((text) => text !== '')
    .join('\n');
}

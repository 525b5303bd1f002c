import type { EntryDraft } from '@openbot/sessions/transcript';
import type { RunRequest, RunUsage } from '../contract.ts';

export type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; thinking: string }
  | {
      readonly type: 'toolCall';
      readonly id: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    };

export type StopReason = 'stop' | 'toolUse' | 'aborted' | 'error';

/** An assistant's message as pi writes it. */
export function assistantMessage(
  blocks: readonly Block[],
  { model }: RunRequest,
  { usage, stopReason, now }: { usage: RunUsage; stopReason: StopReason; now: number },
): EntryDraft {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage;
  return {
    type: 'message',
    message: {
      role: 'assistant',
      content: blocks,
      api: 'script',
      provider: model.provider,
      model: model.model,
      usage: {
        input,
        output,
        cacheRead,
        cacheWrite,
        totalTokens: input + output + cacheRead + cacheWrite,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason,
      timestamp: now,
    },
  };
}

export function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Four characters for a token. */
export function tokensOf(value: unknown): number {
  return Math.ceil(charactersOf(value) / 4);
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + charactersOf(part), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const { text, thinking, name, arguments: args, content, summary } = value as Record<string, unknown>;
  const call = args === undefined ? 0 : JSON.stringify(args).length + charactersOf(name);
  return [text, thinking, content, summary].reduce((sum: number, part) => sum + charactersOf(part), call);
}

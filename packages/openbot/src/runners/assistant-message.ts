import type { EntryDraft } from '@openbot/sessions/transcript';
import type { ModelChoice, RunUsage } from './contract.ts';

export type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; thinking: string }
  | {
      readonly type: 'toolCall';
      readonly id: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    };

export type StopReason = 'stop' | 'toolUse' | 'length' | 'aborted' | 'error';

/** An assistant's message as pi writes it. */
export function assistantMessage(
  blocks: readonly Block[],
  { provider, model }: Pick<ModelChoice, 'provider' | 'model'>,
  of: {
    /** Names the runner. */
    readonly api: string;
    readonly usage: RunUsage;
    /** USD. */
    readonly cost?: number;
    readonly stopReason: StopReason;
    readonly now: number;
  },
): EntryDraft {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = of.usage;
  return {
    type: 'message',
    message: {
      role: 'assistant',
      content: blocks,
      api: of.api,
      provider,
      model,
      usage: {
        input,
        output,
        cacheRead,
        cacheWrite,
        totalTokens: input + output + cacheRead + cacheWrite,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: of.cost ?? 0 },
      },
      stopReason: of.stopReason,
      timestamp: of.now,
    },
  };
}

export function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

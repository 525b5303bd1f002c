import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';

export type ResultMessage = Extract<SDKMessage, { type: 'result' }>;

export function isInterrupted({ terminal_reason: reason }: ResultMessage): boolean {
  return reason === 'aborted_streaming' || reason === 'aborted_tools';
}

/** USD since the last result. The SDK passes it on without having a type for it; the total is of all runs of a session. */
export function costOf(result: ResultMessage): number {
  const { model_usage_since_last_result: usage } = result as unknown as Record<string, unknown>;
  const models = Object.values((usage ?? {}) as Record<string, { costUSD?: unknown }>);
  return models.reduce((sum, { costUSD }) => sum + (typeof costUSD === 'number' ? costUSD : 0), 0);
}

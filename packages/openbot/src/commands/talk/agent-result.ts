import type { SayResult } from '../../bot/contract.ts';
import type { RunUsage } from '../../runners/contract.ts';

/** The result as `openclaw agent --local --json` prints it, with a few fields more. */
export function describeResult(result: SayResult): object {
  return {
    payloads: result.payloads.map(({ text = '', mediaUrl, mediaUrls, ...rest }) => ({
      text,
      mediaUrl: mediaUrl ?? mediaUrls?.[0] ?? null,
      mediaUrls,
      replyToId: rest.replyToId,
      audioAsVoice: rest.audioAsVoice,
      isError: rest.isError,
      channelData: rest.channelData,
    })),
    meta: {
      durationMs: result.durationMs,
      agentMeta: {
        sessionId: result.sessionId,
        sessionKey: result.sessionKey,
        agentId: result.agentId,
        provider: result.provider,
        model: result.model,
        usage: result.usage && addTotal(result.usage),
        lastCallUsage: result.lastUsage && addTotal(result.lastUsage),
        compactionCount: result.compactions,
      },
      runId: result.turnId,
      outcome: result.outcome,
      aborted: result.outcome === 'aborted',
      delivered: result.delivered,
    },
  };
}

function addTotal(usage: RunUsage): object {
  const { input, output, cacheRead, cacheWrite } = usage;
  const total = (input ?? 0) + (output ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return { input, output, cacheRead, cacheWrite, total };
}

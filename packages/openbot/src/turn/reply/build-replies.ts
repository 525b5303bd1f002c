import type { SessionEntry } from '@openbot/sessions';
import { resolveChannelSettings } from '../../config/channels.ts';
import { folderOfMedia } from '../../media/places.ts';
import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import type { ModelChoice } from '../../runners/contract.ts';
import { isHeartbeat } from '../heartbeat/heartbeat-message.ts';
import { buildHeartbeatReplies } from '../heartbeat/heartbeat-replies.ts';
import { isReadDenied } from '../open-policy.ts';
import type { Turn } from '../open-turn.ts';
import { timeoutOf } from '../run-agent.ts';
import type { RunTally } from '../run-tally.ts';
import { buildReplyPayloads } from './build-reply-payloads.ts';
import { buildErrorPayload, type RunFailure } from './error-payload.ts';
import { mediaWithin } from './resolve-media.ts';

export interface RepliedRun {
  readonly tally: RunTally;
  readonly model: ModelChoice;
  readonly thinkingLevel?: string;
  /** For the person, under an answer: another model than before has given it. */
  readonly notice?: string;
  /** Sent while the model wrote. */
  readonly streamedBlocks?: readonly string[];
}

export interface Replies {
  readonly payloads: readonly ReplyPayload[];
  /** The person reads the notice, or there was none to be read. */
  readonly hasNotice: boolean;
}

/** What people are sent after a run. An aborted run sends nothing, unless it ran out of time. */
export function buildReplies(turn: Turn, entry: SessionEntry, run: RepliedRun): Replies {
  const { tools, agent, message } = turn;
  const { tally, model, notice } = run;
  const { end } = tally;
  const failure = readFailure(tally, turn);
  const said = end.reason === 'aborted' ? [] : tally.texts.map((text) => ({ text }));
  const name = `${model.provider}/${model.model}`;
  const common = {
    resolveMedia: mediaWithin(
      agent.workspaceDir,
      (path) => isReadDenied(turn, path),
      (path) => folderOfMedia(tools.stateDir, path),
    ),
    sentByTool: tally.sent,
    streamedBlocks: run.streamedBlocks,
    responsePrefix: tools.config.messages?.responsePrefix,
    prefixValues: { model: model.model, provider: model.provider, thinkingLevel: run.thinkingLevel },
  };
  if (isHeartbeat(message)) {
    const build = (payload: ReplyPayload) =>
      buildReplyPayloads({ ...common, payloads: [payload], isHeartbeat: true });
    return { payloads: buildHeartbeatReplies(turn, entry, tally, build), hasNotice: false };
  }
  const payloads = buildReplyPayloads({
    ...common,
    payloads: failure === undefined ? said : [...said, buildErrorPayload(failure)],
    replyToMode: resolveChannelSettings(tools.config, message.identity).replyToMode,
    currentMessageId: message.identity.messageId,
    extras: {
      reasoningLevel: entry.reasoningLevel ?? agent.reasoningDefault,
      reasoning: tally.thinking,
      verboseLevel: entry.verboseLevel ?? agent.verboseDefault,
      tools: tally.tools,
      wereToolsStreamed: turn.watcher.showsTools,
      responseUsage: entry.responseUsage,
      usage: tally.totalUsage,
      model: name,
      contextTokens: contextTokensOf(tally),
      contextWindow: model.contextWindow,
      notice: end.reason === 'stop' ? notice : undefined,
    },
  });
  return { payloads, hasNotice: end.reason === 'stop' && (notice === undefined || payloads.length > 0) };
}

/** What the model has read and written at its last request, or what a compaction after it left. */
function contextTokensOf({ usage, compactions }: RunTally): number | undefined {
  if (compactions.isNewerThanUsage) return compactions.tokensAfter;
  if (usage === undefined) return undefined;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage;
  return input + output + cacheRead + cacheWrite;
}

function readFailure({ end }: RunTally, turn: Turn): RunFailure | undefined {
  switch (end.reason) {
    case 'error':
      if (end.outage !== undefined && turn.tools.patienceOf(turn.message) > 0)
        return { kind: 'waited', summary: end.outage.summary };
      if (end.hasSummary) return { kind: 'no-model', error: end.error, hint: end.hint };
      return { kind: 'error', error: end.error, hint: end.hint, isTransient: end.isTransient };
    case 'overflow':
      return { kind: 'overflow', error: end.error };
    case 'aborted':
      if (end.cause !== 'timeout') return undefined;
      return { kind: 'timeout', seconds: Math.round(timeoutOf(turn) / 1000) };
    case 'stop':
      return undefined;
  }
}

import { randomUUID } from 'node:crypto';
import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { AgentSession } from '@openbot/claude-code';
import type { TranscriptMessage } from '@openbot/sessions/transcript';
import type { RunEnd, RunEvent, RunRequest } from '../contract.ts';
import { brokenOff, describeFailure } from './failures.ts';
import { handOver } from './hand-over.ts';
import type { ClaudePlace } from './place.ts';

const REQUEST = `Summarise the conversation above for yourself: it will be replaced by your summary, and you go on from that. Keep what was asked and promised, decisions, names, facts, numbers, paths and what is still open. Answer with the summary alone.`;

/** Compacts a conversation that no session of Claude Code knows, by a summary that nothing is kept of but in the transcript. */
export async function* compactApart(
  request: RunRequest,
  place: ClaudePlace,
  { before, promptId }: { before: readonly TranscriptMessage[]; promptId: string | undefined },
): AsyncGenerator<RunEvent, RunEnd, undefined> {
  const { contextWindow } = request.model;
  yield { type: 'compaction', phase: 'start' };
  const tokensBefore = await request.measureContext();
  const wanted = request.instructions === undefined ? '' : `\nThe person asks of it: ${request.instructions}`;
  const asked = handOver(before, `${REQUEST}${wanted}`, { what: 'whole', contextWindow });
  const { summary, end } = await askApart(request, place, asked);
  request.signal.throwIfAborted();
  if (summary === undefined) return end;
  await request.append([{ type: 'compaction', summary, tokensBefore, firstKeptEntryId: promptId }]);
  const tokensAfter = Math.ceil((summary.length + request.prompt.length) / 4);
  yield { type: 'compaction', phase: 'end', willRetry: false, tokensAfter };
  return { type: 'end', reason: 'stop' };
}

type Answer =
  | { readonly summary: string; readonly end?: never }
  | { readonly summary?: never; readonly end: RunEnd };

async function askApart(request: RunRequest, place: ClaudePlace, text: string): Promise<Answer> {
  const { transcript, workspaceDir, model, systemPrompt, signal } = request;
  const claude = await AgentSession.open({
    agentId: transcript.agentId,
    stateDir: place.stateDir,
    env: place.envOf(transcript.agentId),
    session: { id: randomUUID(), is: 'none' },
    workspaceDir,
    model: model.model,
    systemPrompt: systemPrompt.text,
    tools: [],
    claudeTools: [],
    mayBegin: async () => false,
    run: async () => ({ text: '', isError: true }),
    permit: async () => ({ isAllowed: false, reason: 'Only a summary is asked for.' }),
  });
  const onAbort = () => void claude.end(0);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    claude.say(text);
    for await (const message of claude.messages as AsyncIterable<SDKMessage>) {
      if (message.type !== 'result') continue;
      if (message.subtype === 'success' && !message.is_error)
        return { summary: unwrapSummary(message.result) };
      const [text, status] =
        message.subtype === 'success'
          ? [message.result, message.api_error_status]
          : [message.errors.join('\n'), undefined];
      return { end: describeFailure({ text, status }) };
    }
    throw brokenOff(undefined, claude.stderr);
  } finally {
    signal.removeEventListener('abort', onAbort);
    await claude.end();
  }
}

/** The summary without the tags, and the considerations before it, that Claude Code asks its model for. */
export function unwrapSummary(text: string): string {
  return /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1]?.trim() ?? text.trim();
}

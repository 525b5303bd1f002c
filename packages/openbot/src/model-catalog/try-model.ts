import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { undoAtEnding } from '@openbot/sessions/disk';
import { composeUserMessage } from '@openbot/sessions/transcript';
import { chooseAgentId, resolveAgentSettings } from '../config/agents.ts';
import { CONFIG_FILE_NAME } from '../config/bot-config.ts';
import { indexModels, modelNotFound, resolveModel } from '../config/models.ts';
import { loadRunner } from '../runners/all.ts';
import type { RunEnd, RunUsage } from '../runners/contract.ts';
import { runWithLimits } from '../runners/run-with-limits.ts';
import { openMemoryTranscripts } from '../transcripts/memory/memory-transcripts.ts';
import type { CatalogPlace } from './list-models.ts';

/** What became of one small request. */
export interface TriedModel {
  /** `provider/model` */
  readonly name: string;
  readonly isAnswered: boolean;
  readonly durationMs: number;
  readonly text?: string;
  readonly usage?: RunUsage;
  readonly error?: { readonly message: string; readonly hint?: string; readonly failure?: string };
}

const PROMPT = 'This is a test of the connection. Answer with the one word: ready';
const SYSTEM_PROMPT = 'You answer with as few words as possible.';
const TIMEOUT_MS = 60_000;

/**
 * Asks a model one small thing through its runner. Nothing of it is kept: neither in the state folder, nor by the program
 * of the runner.
 * @param name an alias, `provider/model` or a model; that of the agent when absent
 * @throws OpenBotError MODEL_NOT_FOUND, AGENT_NOT_FOUND
 */
export async function tryModel(
  place: CatalogPlace,
  options: {
    readonly name?: string;
    readonly agentId?: string;
    readonly timeoutMs?: number;
    readonly signal: AbortSignal;
  },
): Promise<TriedModel> {
  const { config, stateDir, env } = place;
  const agentId = chooseAgentId({ config, stateDir, env, flag: options.agentId });
  const agent = resolveAgentSettings({ config, agentId, stateDir, env });
  const index = indexModels(agent);
  const ref =
    options.name === undefined
      ? { provider: index.defaultProvider, model: index.defaultModel }
      : resolveModel(options.name, index);
  const name = `${ref.provider}/${ref.model}`;
  const runner = await loadRunner(ref.provider, place, agent.runner);
  const model = runner.describeModel(ref.provider, ref.model);
  if (model === undefined) {
    throw modelNotFound(name, index, join(stateDir, CONFIG_FILE_NAME));
  }
  const workspaceDir = mkdtempSync(join(tmpdir(), 'openbot-test-model-'));
  const remove = () => rmSync(workspaceDir, { recursive: true, force: true });
  const forget = undoAtEnding('folders', remove);
  const transcripts = openMemoryTranscripts();
  const sessionId = randomUUID();
  const transcript = {
    agentId,
    sessionKey: `agent:${agentId}:test`,
    sessionId,
    sessionFile: `${sessionId}.jsonl`,
    cwd: workspaceDir,
  };
  const append = (drafts: Parameters<typeof transcripts.append>[1]) => transcripts.append(transcript, drafts);
  const begun = performance.now();
  try {
    await append([
      { type: 'message', message: composeUserMessage([{ type: 'text', text: PROMPT }], Date.now()) },
    ]);
    const run = runWithLimits(
      runner,
      {
        transcript,
        append,
        readContext: () => transcripts.readContext(transcript),
        lookBack: () => transcripts.lookBack(transcript),
        measureContext: () => transcripts.measureContext(transcript),
        model,
        // The first failure is what a person wants to read.
        hasSuccessor: true,
        thinkingLevel: 'off',
        systemPrompt: { text: SYSTEM_PROMPT, report: {} as never },
        prompt: PROMPT,
        workspaceDir,
        tools: { list: [], run: async () => ({ text: 'There are no tools here.', isError: true }) },
        ownSession: { id: undefined, save: async () => {} },
        keepsNothing: true,
        permit: async () => ({ isAllowed: false, reason: 'Only one word is asked for.' }),
        signal: options.signal,
      },
      { timeoutMs: options.timeoutMs ?? TIMEOUT_MS },
    );
    let text: string | undefined;
    let usage: RunUsage | undefined;
    let end: RunEnd | undefined;
    for await (const event of run.events) {
      if (event.type === 'message-end') text = event.text;
      else if (event.type === 'usage') usage = event.usage;
      else if (event.type === 'end') end = event;
    }
    const durationMs = Math.round(performance.now() - begun);
    if (end?.reason === 'stop') return { name, isAnswered: true, durationMs, text: text ?? '', usage };
    return { name, isAnswered: false, durationMs, error: explain(end) };
  } finally {
    await transcripts.close();
    forget();
    remove();
  }
}

function explain(end: RunEnd | undefined): NonNullable<TriedModel['error']> {
  if (end?.reason === 'error') return { message: end.error, hint: end.hint, failure: end.failure };
  if (end?.reason === 'overflow') return { message: end.error, hint: end.hint };
  if (end?.reason === 'aborted' && end.cause !== 'timeout') throw new OpenBotError('CANCELLED', 'Cancelled.');
  return {
    message: 'No answer came in time',
    hint: 'Try again later, or give it more time with --timeout <seconds>',
    failure: 'unreachable',
  };
}

import type { Environment } from '@openbot/sessions/layout';
import { resolveAgentSettings } from '../../config/agents.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { Runner } from '../contract.ts';
import { ClaudeRun } from './claude-run.ts';
import { findClaudeCredential } from './credential.ts';
import { compactsAt, describeClaudeModel, listClaudeModels } from './models.ts';
import type { ClaudePlace } from './place.ts';
import { variablesOfClaude } from './variables.ts';

/** Attempts of Claude Code at one request; its own ten take minutes, in which another model could have answered. */
const RETRIES = '3';

/** Runs agents with Claude Code, through the Agent SDK. */
export function openClaudeRunner({
  stateDir,
  config,
  env,
}: {
  readonly stateDir: string;
  readonly config: BotConfig;
  readonly env: Environment;
}): Runner {
  const agentOf = (agentId: string) => resolveAgentSettings({ config, agentId, stateDir, env });
  const place: ClaudePlace = {
    stateDir,
    envOf: (agentId) => ({
      CLAUDE_CODE_MAX_RETRIES: RETRIES,
      // Stale thinking is dropped, which is seen and told; by itself Claude Code may give up all of it without a word.
      CLAUDE_CODE_POLISHED_DEWDROP: 'drop',
      ...variablesOfClaude(env, agentOf(agentId).exec.passEnv ?? []),
    }),
    settingsOf: (agentId) => {
      const { tools = 'none', permissionMode: mode = 'default' } = agentOf(agentId).claude ?? {};
      return { tools: tools === 'none' ? [] : tools, mode };
    },
  };
  return {
    name: 'claude',
    describeModel: describeClaudeModel,
    inspectModel: async (provider, model) => {
      const known = describeClaudeModel(provider, model);
      return known && { contextWindow: known.contextWindow, ...findClaudeCredential(env) };
    },
    listModels: listClaudeModels,
    ownSettings: place.settingsOf,
    compactsAt,
    start: (request) => new ClaudeRun(request, place, 'answer'),
    compact: (request) => new ClaudeRun(request, place, 'compact'),
  };
}

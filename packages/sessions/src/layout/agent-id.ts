import { resolveAgentFolderName } from './safe-id.ts';
import type { Environment } from './state-dir.ts';

export const AGENT_ID_ENV_NAMES = ['CLAWDBOT_AGENT_ID', 'OPENCLAW_AGENT_ID'] as const;

export type AgentIdSources = {
  flag?: string;
  configured?: string;
  env?: Environment;
};

/** Flag, then environment, then configuration, then `main`; normalised as a folder name. */
export function resolveAgentId(sources: AgentIdSources = {}): string {
  const env = sources.env ?? process.env;
  const given = [sources.flag, ...AGENT_ID_ENV_NAMES.map((name) => env[name]), sources.configured];
  return resolveAgentFolderName(given.find((value) => value !== undefined && value.trim() !== ''));
}

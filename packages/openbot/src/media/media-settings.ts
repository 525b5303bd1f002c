import { join } from 'node:path';
import type { Environment } from '@openbot/sessions/layout';
import { listAgentIds, resolveAgentSettings } from '../config/agents.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { MediaSettings } from './contract.ts';

const MB = 1024 * 1024;
/** As OpenClaw. */
const MAX_MB = 20;
/** As long as the messages themselves. */
const KEPT_HOURS = 720;

interface Place {
  readonly config: BotConfig;
  readonly stateDir: string;
}

/** @param maxMb a limit of the channel, in the place of `agents.defaults.mediaMaxMb` */
export function mediaSettings(
  place: Place & { readonly env: Environment; readonly maxMb?: number },
): MediaSettings {
  const { config, stateDir, env, maxMb } = place;
  const workspaces = listAgentIds(config, stateDir).map(
    (agentId) => resolveAgentSettings({ config, agentId, stateDir, env }).workspaceDir,
  );
  return {
    stateDir,
    maxBytes: maxMediaBytes(config, maxMb),
    keptMs: keptMediaMs(config),
    sendableDirs: [...new Set(workspaces), join(stateDir, 'media')],
    allowPrivateNetwork: config.attachments?.allowPrivateNetwork ?? false,
  };
}

/** Of one file. */
export function maxMediaBytes(config: BotConfig, maxMb?: number): number {
  return Math.floor((maxMb ?? config.agents?.defaults?.mediaMaxMb ?? MAX_MB) * MB);
}

export function keptMediaMs(config: BotConfig): number {
  return (config.attachments?.ttlHours ?? KEPT_HOURS) * 3_600_000;
}

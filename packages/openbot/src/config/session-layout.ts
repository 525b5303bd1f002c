import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import {
  type Environment,
  type OpenclawConfig,
  type OpenclawLayout,
  openclawLayoutOf,
  readOpenclawConfig,
} from '@openbot/sessions/layout';
import { CONFIG_FILE_NAME } from './bot-config.ts';
import { parseJson5 } from './parse-json5.ts';

interface LayoutScope {
  readonly env: Environment;
  readonly cwd: string;
  /** Called where the configuration cannot be read; the usual folders hold then. Without it that is an error. */
  readonly warn?: (fault: OpenBotError) => void;
  /** False for the folder that is the environment's own, to which OPENCLAW_CONFIG_PATH belongs. */
  readonly isNamed?: boolean;
}

/**
 * Where a state folder, of this program or of OpenClaw, has its sessions: by `session.store` of its configuration, else in the
 * usual folders. Ours has the same words for it as OpenClaw's. No schema is loaded. Throws CONFIG_UNREADABLE.
 */
export function readSessionLayout(stateDir: string, scope: LayoutScope): OpenclawLayout {
  const { env, cwd, warn, isNamed = true } = scope;
  const own = join(stateDir, CONFIG_FILE_NAME);
  const isOwn = existsSync(own);
  const configPath = isOwn ? own : isNamed ? undefined : env.OPENCLAW_CONFIG_PATH;
  let config: OpenclawConfig | undefined;
  try {
    config = readOpenclawConfig(stateDir, { ...env, OPENCLAW_CONFIG_PATH: configPath }, parseJson5);
  } catch (error) {
    if (!(error instanceof OpenBotError) || warn === undefined) throw error;
    warn(error);
  }
  // The first of several agents is our default, in whichever form they are listed.
  const [first] = isOwn ? (config?.agentIds ?? []) : [];
  return openclawLayoutOf(stateDir, config && { defaultAgentId: first, ...config }, { env, cwd });
}

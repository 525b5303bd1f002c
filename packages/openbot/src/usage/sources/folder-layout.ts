import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import {
  type OpenclawConfig,
  type OpenclawLayout,
  openclawLayoutOf,
  readOpenclawConfig,
} from '@openbot/sessions/layout';
import type { UsageScope } from '../contract.ts';

const OWN_CONFIG = 'openbot.json';

/**
 * Where a state folder has its sessions, by its own configuration. Our own has the same words for it as OpenClaw's. If it
 * cannot be read, this warns and gives the usual folders.
 * @param isNamed the folder is not the environment's own, so its configuration is the one inside
 */
export function readLayout(
  stateDir: string,
  { env, cwd, warn }: UsageScope,
  isNamed: boolean,
): OpenclawLayout {
  const own = join(stateDir, OWN_CONFIG);
  const config = existsSync(own) ? own : isNamed ? undefined : env.OPENCLAW_CONFIG_PATH;
  let read: OpenclawConfig | undefined;
  try {
    read = readOpenclawConfig(stateDir, { ...env, OPENCLAW_CONFIG_PATH: config }, parseJson5);
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    warn?.(error.message);
  }
  return openclawLayoutOf(stateDir, read, { env, cwd });
}

/** Loaded where a file is no plain JSON. */
function parseJson5(text: string): unknown {
  const { parseJSON5 } = createRequire(import.meta.url)('confbox/json5') as typeof import('confbox/json5');
  return parseJSON5(text);
}

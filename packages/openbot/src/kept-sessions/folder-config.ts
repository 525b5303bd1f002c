import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Environment,
  type OpenclawConfig,
  readDataFile,
  readOpenclawConfig,
} from '@openbot/sessions/layout';
import { listAgentIds, listConfigured, resolveDefaultAgentId } from '../config/agents.ts';
import { CONFIG_FILE_NAME, type LoadedConfig, loadBotConfig } from '../config/load-config.ts';
import { parseJson5 } from '../config/parse-json5.ts';

/** What is configured about sessions, by this program or by OpenClaw. */
export interface FolderConfig {
  /** Whether it is a folder of this program. Otherwise what OpenClaw would read counts. */
  readonly isOwn: boolean;
  /** Whether this program ran agents of the folder; that may be OpenClaw's. */
  readonly isRunHere: boolean;
  readonly path?: string;
  /** As it is written. */
  readonly raw: unknown;
  /** What OpenClaw's rules make of it. */
  readonly layout: OpenclawConfig;
  readonly agentIds: readonly string[];
  readonly defaultAgentId?: string;
}

const OPENCLAW_NAMES = ['openclaw.json', 'clawdbot.json'];

/** `openbot.json`; without it OpenClaw's, of the same folder. Throws CONFIG_INVALID or CONFIG_UNREADABLE. */
export async function readFolderConfig(stateDir: string, env: Environment): Promise<FolderConfig> {
  const isRunHere = isThere(join(stateDir, 'openbot-inbox.sqlite'));
  const hasOwn = isThere(join(stateDir, CONFIG_FILE_NAME));
  const openclaws = OPENCLAW_NAMES.map((name) => join(stateDir, name)).find(isThere);
  if (hasOwn || openclaws === undefined) {
    return describeOwn(
      stateDir,
      await loadBotConfig(stateDir, env, { toleratesMissingSecrets: true }),
      hasOwn || isRunHere,
    );
  }
  // The variable belongs to OpenClaw's own folder, which need not be this one.
  const layout = readOpenclawConfig(stateDir, { ...env, OPENCLAW_CONFIG_PATH: undefined }, parseJson5);
  const raw = readDataFile(openclaws, { parseJson5, fail: (_, why) => new Error(why) })?.value;
  const { agentIds = [], defaultAgentId } = layout ?? {};
  return {
    isOwn: false,
    isRunHere,
    path: openclaws,
    raw,
    layout: layout ?? { agentIds },
    agentIds: agentIds.length > 0 ? agentIds : listAgentIds({}, stateDir),
    defaultAgentId: agentIds.length > 0 ? defaultAgentId : 'main',
  };
}

function describeOwn(stateDir: string, { exists, path, config }: LoadedConfig, isOwn: boolean): FolderConfig {
  const { store } = config.session ?? {};
  const agentIds = listAgentIds(config, stateDir);
  const defaultAgentId = resolveDefaultAgentId(config);
  return {
    isOwn,
    isRunHere: isOwn,
    path: exists ? path : undefined,
    raw: config,
    layout: { agentIds: listConfigured(config).map(({ id }) => id), defaultAgentId, ...(store && { store }) },
    agentIds,
    defaultAgentId,
  };
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The state folder is no folder, which is said where the configuration is read.
    return false;
  }
}

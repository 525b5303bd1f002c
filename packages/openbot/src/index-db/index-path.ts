import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { AGENT_DATABASE_NAME, type Environment, STORE_FILE_NAME } from '@openbot/sessions/layout';
import { INDEX_NAME } from './index-database.ts';

/**
 * Where the index of a state folder is: in that folder. That of OpenClaw's folder is in our own state folder, since nothing
 * of ours is written into the folder of another program.
 */
export function resolveIndexPath(stateDir: string, env: Environment): string {
  if (!isOpenclaws(stateDir, env)) return join(stateDir, INDEX_NAME);
  const own = resolveStateDir({ env });
  return join(
    isOpenclaws(own, env) ? resolveStateDir({ env: { ...env, OPENBOT_STATE_DIR: '' } }) : own,
    INDEX_NAME,
  );
}

const OURS = ['openbot.json', INDEX_NAME, 'openbot-inbox.sqlite'];
const THEIRS = ['openclaw.json', 'clawdbot.json', 'moltbot.json'];

/** Whether OpenClaw made a state folder, and openbot never worked in it. */
export function isOpenclaws(stateDir: string, env: Environment): boolean {
  const has = (name: string) => existsSync(join(stateDir, name));
  if (OURS.some(has)) return false;
  return (
    THEIRS.some(has) ||
    hasBelowAgents(stateDir, 'agent', AGENT_DATABASE_NAME) ||
    // It may be without a configuration. Our own may be too, before anything was said in it.
    (stateDir !== resolveStateDir({ env }) && hasBelowAgents(stateDir, 'sessions', STORE_FILE_NAME))
  );
}

function hasBelowAgents(stateDir: string, ...path: string[]): boolean {
  const agents = join(stateDir, 'agents');
  try {
    return readdirSync(agents).some((id) => existsSync(join(agents, id, ...path)));
  } catch {
    return false;
  }
}

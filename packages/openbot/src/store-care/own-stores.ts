import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type Environment, STORE_FILE_NAME } from '@openbot/sessions/layout';
import { OPENCLAW_NAMES } from '../config/load-config.ts';
import { isOpenclaws } from '../index-db/index-path.ts';

/** The state folder that a process works in. */
export interface OwnFolder {
  /** Absolute. */
  readonly stateDir: string;
  readonly env: Environment;
}

/**
 * The agent of a store that nothing but openbot writes: `agents/<id>/sessions/sessions.json` of a state folder in which no
 * OpenClaw is, itself and not through a link. Undefined for any other one.
 */
export function agentOfOwnStore({ stateDir, env }: OwnFolder, storePath: string): string | undefined {
  const [agentId = '', ...rest] = relative(join(stateDir, 'agents'), storePath).split(sep);
  if (agentId === '..' || rest.join('/') !== `sessions/${STORE_FILE_NAME}`) return undefined;
  if (isOpenclaws(stateDir, env) || OPENCLAW_NAMES.some((name) => existsSync(join(stateDir, name))))
    return undefined;
  try {
    const isHere =
      realpathSync(dirname(storePath)) === join(realpathSync(stateDir), 'agents', agentId, 'sessions');
    const stat = lstatSync(storePath, { throwIfNoEntry: false });
    return isHere && (stat === undefined || stat.isFile()) ? agentId : undefined;
  } catch {
    return undefined;
  }
}

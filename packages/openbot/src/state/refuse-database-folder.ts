import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { findConfigFile } from '../config/load-config.ts';

/** Turns are kept in files. A store of files beside OpenClaw's database would hide the sessions that are in there. */
export async function refuseDatabaseFolder(stateDir: string, env: Environment): Promise<void> {
  const { exists, openclawPath } = findConfigFile(stateDir);
  if (exists || (openclawPath === undefined && !existsSync(join(stateDir, 'agents')))) return;
  const { openSessionFolder } = await import('../kept-sessions/open-session-folder.ts');
  const folder = await openSessionFolder(stateDir, { env, cwd: process.cwd() });
  const kept = folder.agentIds.map((agentId) => folder.open(agentId)).find(({ takesTurns }) => !takesTurns);
  if (kept === undefined) return;
  throw new OpenBotError(
    'SESSION_UNSUPPORTED',
    `The sessions of ${stateDir} are in ${kept.keptIn}, where openbot runs no turns`,
    {
      hint: `Take them over into a folder of openbot's own, and talk there: openbot init --from-openclaw ${quoteForShell(stateDir)} --state-dir <another folder>`,
    },
  );
}

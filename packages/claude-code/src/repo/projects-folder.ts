import { join } from 'node:path';
import { type Environment, resolveHomeDir, resolveUserPath } from '@openbot/sessions';

/** Where Claude Code keeps a folder of sessions for each working folder. `CLAUDE_CONFIG_DIR` replaces `~/.claude`. */
export function resolveProjectsFolder(env: Environment = process.env): string {
  const configured = env.CLAUDE_CONFIG_DIR;
  const isGiven = configured !== undefined && configured.trim() !== '';
  return join(isGiven ? resolveUserPath(configured, env) : join(resolveHomeDir(env), '.claude'), 'projects');
}

import { join } from 'node:path';
import { type Environment, resolveHomeDir, resolveUserPath } from '@openbot/sessions/layout';

/** The folder of Claude Code. `CLAUDE_CONFIG_DIR` replaces `~/.claude`. */
export function resolveClaudeFolder(env: Environment = process.env): string {
  const configured = env.CLAUDE_CONFIG_DIR;
  const isGiven = configured !== undefined && configured.trim() !== '';
  return isGiven ? resolveUserPath(configured, env) : join(resolveHomeDir(env), '.claude');
}

/** Contains a folder of sessions for each working folder. */
export function resolveProjectsFolder(env: Environment = process.env): string {
  return join(resolveClaudeFolder(env), 'projects');
}

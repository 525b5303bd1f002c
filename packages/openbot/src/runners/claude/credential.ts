import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, resolveHomeDir } from '@openbot/sessions/layout';
import type { ModelFacts } from '../contract.ts';
import { LOGIN_HINT } from './failures.ts';

const VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

/** Whether Claude Code has something to show to its provider. On macOS a login is in the keychain, which is not asked. */
export function findClaudeCredential(
  env: Environment,
  platform = process.platform,
): Pick<ModelFacts, 'credential' | 'credentialHint'> {
  const variable =
    VARIABLES.find((name) => env[name]?.trim()) ??
    Object.keys(env).find((name) => /^CLAUDE_CODE_USE_/.test(name) && env[name]?.trim());
  if (variable !== undefined) return { credential: 'present', credentialHint: variable };
  const folder = env.CLAUDE_CONFIG_DIR?.trim() || join(resolveHomeDir(env), '.claude');
  if (existsSync(join(folder, '.credentials.json'))) {
    return { credential: 'present', credentialHint: 'login of Claude Code' };
  }
  return { credential: platform === 'darwin' ? 'unknown' : 'missing', credentialHint: LOGIN_HINT };
}

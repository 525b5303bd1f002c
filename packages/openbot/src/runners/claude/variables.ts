import type { Environment } from '@openbot/sessions/layout';
import { choosePassed } from '../../tools/passed-variables.ts';

/** Claude Code's own, those of its network, and where it keeps its files. */
const OF_CLAUDE =
  /^(?:ANTHROPIC_\w+|CLAUDE_\w+|DISABLE_\w+|BASH_(?:DEFAULT|MAX)_\w+|MAX_THINKING_TOKENS|API_TIMEOUT_MS|DO_NOT_TRACK|XDG_\w+_HOME|(?:https?|all|no)_proxy|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(?:FILE|DIR))$/i;

/** The credentials of the clouds that Claude Code can use in the place of Anthropic, but not keys of other models there. */
const OF_CLOUDS =
  /^(?:AWS_\w+|VERTEX_\w+|CLOUD_ML_REGION|CLOUDSDK_CONFIG|GCLOUD_PROJECT|GOOGLE_APPLICATION_CREDENTIALS|GOOGLE_CLOUD_(?:QUOTA_)?PROJECT|GCE_METADATA_\w+|AZURE_(?!OPENAI_)\w+)$/;

/**
 * The environment of a Claude Code that speaks for an agent. Its tool Bash hands all of it to commands of the model, so
 * that it has no keys of other providers and no tokens of channels.
 */
export function variablesOfClaude(env: Environment, passEnv: readonly string[]): Record<string, string> {
  const usesCloud = Object.keys(env).some((name) => name.startsWith('CLAUDE_CODE_USE_'));
  return choosePassed(env, passEnv, (name) => OF_CLAUDE.test(name) || (usesCloud && OF_CLOUDS.test(name)));
}

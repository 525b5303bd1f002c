import { type AskModel, makeAnthropicModel } from '@openbot/claude-code';
import type { Environment } from '@openbot/sessions/layout';

/** Only who has a key can ask; else words are compared. */
export function makeModel(env: Environment): AskModel | undefined {
  const apiKey = env.ANTHROPIC_API_KEY;
  if (apiKey === undefined || apiKey.trim() === '') return undefined;
  const baseUrl = env.ANTHROPIC_BASE_URL;
  return makeAnthropicModel({ apiKey, baseUrl });
}

import { OpenBotError } from '@openbot/sessions';

export type AgentSdk = typeof import('@anthropic-ai/claude-agent-sdk');

const NAME = '@anthropic-ai/claude-agent-sdk';

/** @throws OpenBotError SDK_NOT_INSTALLED */
export async function loadAgentSdk(): Promise<AgentSdk> {
  try {
    return await import('@anthropic-ai/claude-agent-sdk');
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    throw new OpenBotError(
      'SDK_NOT_INSTALLED',
      isMissing
        ? `the package ${NAME}, or one that it needs, is not installed`
        : `the package ${NAME} cannot be loaded: ${(cause as Error).message}`,
      { hint: `npm install ${NAME}`, cause },
    );
  }
}

import type Anthropic from '@anthropic-ai/sdk';
import { OpenBotError } from '@openbot/sessions';
import type { AskModel } from './selection.ts';

export interface AnthropicModelOptions {
  /** Default: ANTHROPIC_API_KEY. */
  readonly apiKey?: string;
  /** Default: ANTHROPIC_BASE_URL, else Anthropic's own. */
  readonly baseUrl?: string;
}

/** The current model of a family. Other names are passed on. */
const CURRENT_MODELS = new Map([['claude-haiku', 'claude-haiku-4-5']]);

export function resolveModelName(name: string): string {
  return CURRENT_MODELS.get(name) ?? name;
}

/** Asks Anthropic's API. The first question loads its SDK. */
export function makeAnthropicModel(options: AnthropicModelOptions = {}): AskModel {
  let client: Promise<Anthropic> | undefined;
  return async ({ model, system, prompt, maxTokens, signal }) => {
    client ??= connect(options);
    const { messages } = await client.catch((error: unknown) => {
      client = undefined;
      throw error;
    });
    const question = {
      model: resolveModelName(model),
      max_tokens: maxTokens,
      system,
      messages: [{ role: 'user' as const, content: prompt }],
    };
    const message = await messages.create(question, { signal }).catch(throwInWords);
    return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  };
}

/** The SDK's own message contains the whole JSON of the response. */
function throwInWords(cause: unknown): never {
  const { status, error } = cause as { status?: unknown; error?: { error?: { message?: unknown } } };
  const said = error?.error?.message;
  throw typeof said === 'string' ? new Error(`${status} ${said}`, { cause }) : cause;
}

async function connect({ apiKey, baseUrl }: AnthropicModelOptions): Promise<Anthropic> {
  const { default: Client } = await import('@anthropic-ai/sdk').catch((cause: unknown) => {
    throw new OpenBotError('SDK_NOT_INSTALLED', 'the package @anthropic-ai/sdk is not installed', {
      hint: 'npm install @anthropic-ai/sdk',
      cause,
    });
  });
  return new Client({
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    // The time limit is a few seconds, and comparing words is the fallback.
    maxRetries: 0,
    logLevel: 'off',
  });
}

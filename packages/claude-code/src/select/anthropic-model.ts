import type Anthropic from '@anthropic-ai/sdk';
import { OpenBotError } from '@openbot/sessions';
import type { AskModel } from './selection.ts';

export interface AnthropicModelOptions {
  /** Default: ANTHROPIC_API_KEY. */
  readonly apiKey?: string;
  /** Default: ANTHROPIC_BASE_URL, else Anthropic's own. */
  readonly baseUrl?: string;
}

/** A family by the name of its current model. Other names are passed on as they are. */
const CURRENT_MODELS = new Map([['claude-haiku', 'claude-haiku-4-5']]);

export function resolveModelName(name: string): string {
  return CURRENT_MODELS.get(name) ?? name;
}

/** Asks Anthropic's API. Its SDK is loaded by the first question. */
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

/** The SDK's own message holds the whole JSON of the answer. */
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
    // There are seconds at most, and words to fall back on.
    maxRetries: 0,
    logLevel: 'off',
  });
}

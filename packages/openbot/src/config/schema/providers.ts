/** Providers of models. */
import * as z from 'zod/mini';
import type { EmbeddingSettings, ModelSettings, ProviderSettings } from '../bot-config.ts';
import { about, byName, count, flag, type Shape, secret, section, someText, text } from './values.ts';

const price = (of: string) => about(`Of ${of}`, z.optional(z.number('must be a number of dollars')), 0);
const headers = byName(secret('A further header of every request', z.string('must be text')));
const url = text.check(
  z.refine((value) => /^https?:\/\//.test(value), { error: 'must begin with http:// or https://' }),
);
const address = z.optional(url);

const model = z.strictObject(
  {
    id: about('The name by which its provider knows it. Required', text),
    api: about('The kind of its API, where it is not that of the provider', someText),
    baseUrl: about('The address of its API, where it is not that of the provider', address),
    contextWindow: about('Tokens that it reads', count(1), 128_000),
    maxTokens: about('Tokens of an answer', count(1), 16_384),
    reasoning: about('Whether it can think before it answers', flag, false),
    input: about(
      'What it reads',
      z.optional(
        z.array(z.enum(['text', 'image'], "must be 'text' or 'image'"), 'must be a list of text and image'),
      ),
      ['text'],
    ),
    cost: about(
      'Dollars for a million tokens',
      section({
        input: price('what it reads'),
        output: price('what it writes'),
        cacheRead: price('what it reads from the cache'),
        cacheWrite: price('what it writes to the cache'),
        cacheWrite1h: about(
          'Of what it writes to the cache for an hour, in `openbot usage`. Twice the input when absent',
          z.optional(z.number('must be a number of dollars')),
        ),
      }),
    ),
    headers: about('Further headers of its requests', headers),
  } satisfies Shape<ModelSettings>,
  'must be an object with an id',
);

export const provider = z.strictObject(
  {
    baseUrl: about('The address of its API. Required unless pi knows the provider', address),
    apiKey: secret(
      'Its key. Without it the variable of a known provider is used, and another provider is asked without a key',
      someText,
    ),
    api: about(
      'The kind of its API: `openai-completions`, `openai-responses`, `anthropic-messages`, `google-generative-ai`, … Required unless pi knows the provider',
      someText,
    ),
    headers: about('Further headers of every request', headers),
    dropStaleThinking: about(
      'Asks newer Claude models to leave out thinking whose conversation has changed, rather than to refuse the request (`thinking.block_binding`). Drops are logged and counted in `openbot status`. False for an address of `anthropic-messages` that refuses the field',
      flag,
      true,
    ),
    models: about(
      'Its models. Those of a known provider that are not listed stay as they are',
      z.optional(z.array(model, 'must be a list of models')),
    ),
  } satisfies Shape<ProviderSettings>,
  'must be an object, such as { baseUrl: "http://127.0.0.1:8080/v1", api: "openai-completions" }',
);

/** For vectors of the index; any endpoint that speaks OpenAI's API for embeddings. */
export const embedding = section({
  baseUrl: about(
    'The address of an API for embeddings in the form of OpenAI, such as `http://127.0.0.1:11434/v1`. Required',
    url,
  ),
  model: about('The model that makes the vectors. Required', text),
  apiKey: secret('Its key', someText),
  dimensions: about('Numbers of a vector, where the model can make shorter ones', count(1)),
} satisfies Shape<EmbeddingSettings>);

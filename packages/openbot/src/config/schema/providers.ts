/** Providers of models. */
import * as z from 'zod/mini';
import type { ModelSettings, ProviderSettings } from '../bot-config.ts';
import { byName, count, flag, type Shape, section, someText, text } from './values.ts';

const price = z.optional(z.number('must be a number of dollars'));
const headers = byName(z.string('must be text'));
const address = z.optional(
  text.check(
    z.refine((value) => /^https?:\/\//.test(value), { error: 'must begin with http:// or https://' }),
  ),
);

const model = z.looseObject(
  {
    id: text,
    name: someText,
    api: someText,
    baseUrl: address,
    contextWindow: count(1),
    maxTokens: count(1),
    reasoning: flag,
    input: z.optional(
      z.array(z.enum(['text', 'image'], "must be 'text' or 'image'"), 'must be a list of text and image'),
    ),
    cost: section({ input: price, output: price, cacheRead: price, cacheWrite: price }),
    headers,
  } satisfies Shape<ModelSettings>,
  'must be an object with an id',
);

export const provider = z.looseObject(
  {
    baseUrl: address,
    apiKey: someText,
    api: someText,
    headers,
    models: z.optional(z.array(model, 'must be a list of models')),
  } satisfies Shape<ProviderSettings>,
  'must be an object, such as { baseUrl: "http://127.0.0.1:8080/v1", api: "openai-completions" }',
);

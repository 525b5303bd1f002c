import { OpenBotError } from '@openbot/sessions';
import type { EmbeddingSettings } from '../config/bot-config.ts';

/** Makes vectors of texts. Texts that mean something similar have vectors that point in a similar direction. */
export interface Embedder {
  /** Only vectors of the same name can be compared. */
  readonly name: string;
  /** One vector of length 1 for each text. Rejects with EMBEDDING_FAILED. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

/** In one request. */
const MOST_TEXTS = 64;
/** Endpoints refuse, or cut off, what is longer than their model reads. */
const LONGEST_TEXT = 6000;
const RETRY_MS = 500;

export function openEmbedder(settings: EmbeddingSettings): Embedder {
  const { baseUrl, model, dimensions } = settings;
  return {
    name: [baseUrl, model, dimensions ?? ''].join(' ').trim(),
    embed: async (texts, signal) => {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += MOST_TEXTS) {
        const some = texts
          .slice(at, at + MOST_TEXTS)
          .map((text) => text.slice(0, LONGEST_TEXT).toWellFormed());
        vectors.push(...(await request(settings, some, signal)));
      }
      return vectors;
    },
  };
}

async function request(
  settings: EmbeddingSettings,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const response = await ask(settings, texts, signal).catch((cause: unknown) => {
    throw failed(settings, cause instanceof Error ? describe(cause) : String(cause), cause);
  });
  // The body of an error may repeat the request.
  if (!response.ok) throw failed(settings, `it answered with status ${response.status}`);
  const answer = (await response.json().catch(() => undefined)) as
    | { data?: readonly { index?: number; embedding?: readonly number[] }[] }
    | undefined;
  const vectors: (Float32Array | undefined)[] = texts.map(() => undefined);
  for (const [at, one] of (answer?.data ?? []).entries()) {
    if (Array.isArray(one.embedding)) vectors[one.index ?? at] = toUnitLength(one.embedding);
  }
  const [first] = vectors;
  if (
    vectors.some((vector) => vector === undefined || vector.length !== first?.length || vector.length === 0)
  )
    throw failed(settings, 'its answer does not have a vector for each text');
  return vectors as Float32Array[];
}

async function ask(
  { baseUrl, model, apiKey, dimensions }: EmbeddingSettings,
  input: readonly string[],
  signal: AbortSignal,
): Promise<Response> {
  const send = () =>
    fetch(`${baseUrl.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input, encoding_format: 'float', dimensions }),
      signal,
    });
  const response = await send();
  if (response.status !== 429 && response.status < 500) return response;
  await response.body?.cancel();
  await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  signal.throwIfAborted();
  return send();
}

/** The angle counts, and is the same as the distance then. */
function toUnitLength(values: readonly number[]): Float32Array {
  const vector = Float32Array.from(values);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : vector;
}

function describe(error: Error): string {
  // fetch says only that it failed.
  const { cause } = error;
  return cause instanceof Error ? cause.message : error.message;
}

function failed({ baseUrl, model }: EmbeddingSettings, why: string, cause?: unknown): OpenBotError {
  return new OpenBotError('EMBEDDING_FAILED', `No embeddings of ${model} from ${baseUrl}: ${why}`, {
    hint: 'Check index.embedding of the configuration. Until then memory is searched by words alone.',
    cause,
  });
}

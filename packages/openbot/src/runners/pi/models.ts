import type { Api, Model, MutableModels, Provider, ProviderStreams } from '@earendil-works/pi-ai';
import { OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import type { ModelSettings, ProviderSettings } from '../../config/bot-config.ts';
import type { ModelFacts } from '../contract.ts';
import type { Pi } from './load-pi.ts';
import { askToDropStale, needsAdaptiveThinking } from './thinking-binding.ts';

/** As pi where nothing is said. */
const DEFAULT_WINDOW = 128_000;
const DEFAULT_MAX_TOKENS = 16_384;
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
/** For servers that want no key: the libraries of providers insist on one. */
const NO_KEY = 'none';

export interface PiModels {
  /** Undefined for an unknown one. */
  describe(
    provider: string,
    model: string,
  ): { readonly contextWindow?: number; readonly seesImages?: boolean } | undefined;
  inspect(provider: string, model: string): Promise<ModelFacts | undefined>;
  list(): readonly { readonly provider: string; readonly model: string }[];
  /** @throws OpenBotError MODEL_NOT_FOUND, MODEL_KEY_MISSING */
  get(provider: string, model: string): Promise<Model<Api>>;
  readonly stream: MutableModels['streamSimple'];
  /** Where the key of a provider is set. */
  explainKey(provider: string): Promise<string>;
  /** The text without the secrets of the configuration and of the environment. */
  redact(text: string, provider: string): Promise<string>;
}

interface Settings {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly env: Environment;
  /** Of `openbot.json`, for messages. */
  readonly configPath: string;
}

/** The models that pi knows, and those of `models.providers`. Nothing in pi's own folder is read. */
export function openModels(pi: Pi, { providers, env, configPath }: Settings): PiModels {
  const { fileExists } = pi.ai.defaultProviderAuthContext();
  const authContext = { env: async (name: string) => env[name]?.trim() || undefined, fileExists };
  const models = pi.ai.createModels({ authContext });
  const known = new Map(pi.builtinProviders().map((provider) => [provider.id, provider]));
  for (const provider of known.values()) models.setProvider(provider);
  /** Of the configuration: they fail the runs of their provider and no others. */
  const faults = new Map<string, unknown>();
  /** Providers that may refuse to be asked to leave out stale thinking. */
  const unasked = new Set<string>();
  for (const [name, settings] of Object.entries(providers)) {
    const id = name.toLowerCase();
    if (settings.dropStaleThinking === false) unasked.add(id);
    try {
      models.setProvider(makeProvider(pi, id, settings, known.get(id)));
    } catch (error) {
      faults.set(id, error);
    }
  }

  /** Asks the provider which variables it looks at. */
  const variablesOf = async (provider: string): Promise<readonly string[]> => {
    const asked: string[] = [];
    const ctx = { env: async (name: string) => void asked.push(name), fileExists: async () => false };
    const signal = new AbortController().signal;
    // Some need more than a variable, and say so by an error.
    await known
      .get(provider)
      ?.auth.apiKey?.resolve({ ctx, signal } as never)
      .catch(() => undefined);
    return asked.filter((name) => /KEY|TOKEN/.test(name)).sort((a, b) => keyFirst(a) - keyFirst(b));
  };
  const explainKey = async (provider: string): Promise<string> => {
    const [variable] = await variablesOf(provider);
    const setting = `models.providers.${provider}.apiKey in ${configPath}`;
    return variable === undefined ? `Set ${setting}.` : `Set the variable ${variable}, or ${setting}.`;
  };
  return {
    describe: (provider, id) => {
      if (faults.has(provider)) return {};
      const model = models.getModel(provider, id);
      return model && { contextWindow: model.contextWindow, seesImages: model.input.includes('image') };
    },
    inspect: async (provider, id) => {
      const model = faults.has(provider) ? undefined : models.getModel(provider, id);
      if (model === undefined) return undefined;
      const { contextWindow, cost } = model;
      // A provider that needs more than a key may say so by an error.
      const found = await models.getAuth(provider).catch(() => undefined);
      const isUnneeded = found?.auth.apiKey === NO_KEY;
      return {
        contextWindow,
        // Where the configuration describes a model without a price, nothing is known of it.
        cost: cost.input + cost.output > 0 ? { input: cost.input, output: cost.output } : undefined,
        takesKey: true,
        credential: isUnneeded ? 'unneeded' : found === undefined ? 'missing' : 'present',
        credentialHint: isUnneeded
          ? undefined
          : found === undefined
            ? await explainKey(provider)
            : (found.source ?? `models.providers.${provider}.apiKey`),
      };
    },
    list: () => models.getModels().map(({ provider, id }) => ({ provider, model: id })),
    get: async (provider, id) => {
      if (faults.has(provider)) throw faults.get(provider);
      const model = models.getModel(provider, id) ?? notFound(models, provider, id, configPath);
      if ((await models.getAuth(provider)) === undefined)
        throw new OpenBotError('MODEL_KEY_MISSING', `There is no key for ${provider}/${id}`, {
          hint: await explainKey(provider),
        });
      return model;
    },
    stream: (model, context, options) =>
      models.streamSimple(model, context, {
        ...options,
        onPayload: (payload) => askToDropStale(payload, model, !unasked.has(model.provider)),
      }),
    explainKey,
    redact: async (text, provider) => {
      const { auth } = (await models.getAuth(provider).catch(() => undefined)) ?? {};
      const secrets = [auth?.apiKey, ...Object.values(auth?.headers ?? {})].flatMap((value) =>
        typeof value === 'string' ? [value, value.replace(/^Bearer /, '')] : [],
      );
      return secrets.reduce(
        (left, secret) => (secret.length < 6 ? left : left.replaceAll(secret, '***')),
        text,
      );
    },
  };
}

const keyFirst = (name: string) => (name.endsWith('_API_KEY') ? 0 : 1);

function notFound(models: MutableModels, provider: string, id: string, configPath: string): never {
  const others = models.getModels(provider).map((model) => `${provider}/${model.id}`);
  const list =
    others.length === 0 ? '' : `Known: ${others.slice(0, 10).join(', ')}${others.length > 10 ? ', …' : ''}. `;
  throw new OpenBotError('MODEL_NOT_FOUND', `There is no model ${provider}/${id}`, {
    hint: `${list}A model that is not known here is described in models.providers.${provider}.models in ${configPath}.`,
  });
}

function makeProvider(pi: Pi, id: string, settings: ProviderSettings, base: Provider | undefined): Provider {
  const models = makeModels(id, settings, base);
  const apis = new Map<string, ProviderStreams | undefined>();
  const streamsOf = (kind: string): ProviderStreams => {
    // The provider's own ways of asking go beyond the API, but only for the kinds that it has.
    if (base?.getModels().some(({ api }) => api === kind)) return base as ProviderStreams;
    if (!apis.has(kind)) apis.set(kind, pi.findApi(kind));
    return (
      apis.get(kind) ??
      refuse(
        id,
        `has the api ${JSON.stringify(kind)}, which pi does not know`,
        'openai-completions, anthropic-messages',
      )
    );
  };
  return {
    id,
    name: base?.name ?? id,
    auth: { apiKey: makeAuth(settings, base) },
    getModels: () => models,
    stream: (model, context, options) => streamsOf(model.api).stream(model, context, options),
    streamSimple: (model, context, options) => streamsOf(model.api).streamSimple(model, context, options),
  };
}

type ApiKeyAuth = NonNullable<Provider['auth']['apiKey']>;

function makeAuth({ apiKey, headers }: ProviderSettings, base: Provider | undefined): ApiKeyAuth {
  const inherited = base?.auth.apiKey;
  return {
    name: inherited?.name ?? 'API key',
    resolve: async (input) => {
      const key = apiKey ?? (base === undefined ? NO_KEY : undefined);
      const credential = key === undefined ? undefined : ({ type: 'api_key', key } as const);
      const result =
        inherited === undefined
          ? credential && { auth: { apiKey: credential.key } }
          : await inherited.resolve({ ...input, credential });
      return (
        result && { ...result, auth: { ...result.auth, headers: { ...result.auth.headers, ...headers } } }
      );
    },
  };
}

function makeModels(
  id: string,
  settings: ProviderSettings,
  base: Provider | undefined,
): readonly Model<Api>[] {
  const { baseUrl } = settings;
  const models = new Map(
    base?.getModels().map((model) => [model.id, baseUrl === undefined ? model : { ...model, baseUrl }]),
  );
  const [first] = models.values();
  for (const own of settings.models ?? []) {
    models.set(own.id, describe(id, own, settings, models.get(own.id) ?? first));
  }
  return [...models.values()];
}

function describe(
  provider: string,
  own: ModelSettings,
  settings: ProviderSettings,
  like: Model<Api> | undefined,
): Model<Api> {
  const isSame = like?.id === own.id;
  const api = own.api ?? settings.api ?? like?.api;
  const baseUrl = own.baseUrl ?? settings.baseUrl ?? like?.baseUrl;
  if (api === undefined) refuse(provider, 'has no api', 'openai-completions or anthropic-messages');
  if (baseUrl === undefined) refuse(provider, 'has no baseUrl', 'the address of its API');
  const known = isSame ? like : undefined;
  const isAdaptive = needsAdaptiveThinking({ id: own.id, api });
  return {
    ...known,
    ...(isAdaptive && { compat: { ...known?.compat, forceAdaptiveThinking: true } as never }),
    id: own.id,
    name: known?.name ?? own.id,
    api,
    provider,
    baseUrl,
    reasoning: own.reasoning ?? known?.reasoning ?? false,
    input: [...(own.input ?? known?.input ?? ['text'])] as Model<Api>['input'],
    cost: { ...(known?.cost ?? FREE), ...own.cost },
    contextWindow: own.contextWindow ?? known?.contextWindow ?? DEFAULT_WINDOW,
    maxTokens: own.maxTokens ?? known?.maxTokens ?? DEFAULT_MAX_TOKENS,
    headers: { ...known?.headers, ...own.headers },
  };
}

function refuse(provider: string, what: string, set: string): never {
  throw new OpenBotError('CONFIG_INVALID', `The provider ${provider} in models.providers ${what}`, {
    hint: `Set it to ${set}.`,
  });
}

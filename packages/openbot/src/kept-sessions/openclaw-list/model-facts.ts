/** What a configuration says of models, as far as a list of sessions shows it. Names and rules are OpenClaw's. */

export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

export interface ModelWindow {
  /** A limit that a person set. */
  readonly contextTokens?: number;
  /** What the model has. */
  readonly contextWindow?: number;
}

export interface ModelFacts {
  /** Where an entry names none; `fallback`, of an OpenClaw, where the configuration does not either. */
  defaultOf(agentId: string | undefined, fallback: ModelRef): ModelRef;
  /** `agents.defaults.contextTokens` */
  readonly contextTokens?: number;
  windowOf(ref: ModelRef): ModelWindow | undefined;
  /** Of whichever provider has a model of that name. */
  windowOfModel(model: string): ModelWindow | undefined;
  /** Whether the address of a provider is configured. */
  hasOwnAddress(provider: string): boolean;
  readonly mainKey?: string;
  readonly isGlobal: boolean;
  readonly identityLinks?: Readonly<Record<string, string[]>>;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * @param config of any shape: what is not as expected counts as absent
 * @param ownDefault where nothing is configured, in a folder that is not OpenClaw's
 */
export function readModelFacts(config: unknown, ownDefault?: ModelRef): ModelFacts {
  const { agents, models, session } = asObject(config);
  const { defaults, list, entries } = asObject(agents);
  const windows = new Map<string, ModelWindow>();
  const byModel = new Map<string, ModelWindow>();
  const ownAddresses = new Set<string>();
  for (const [provider, settings] of Object.entries(asObject(asObject(models).providers))) {
    const { models: offered, baseUrl } = asObject(settings);
    if (typeof baseUrl === 'string' && baseUrl.trim() !== '') ownAddresses.add(provider.toLowerCase());
    for (const each of Array.isArray(offered) ? offered : []) {
      const { id, contextTokens, contextWindow } = asObject(each);
      if (typeof id !== 'string') continue;
      const window = { contextTokens: asCount(contextTokens), contextWindow: asCount(contextWindow) };
      windows.set(`${provider.toLowerCase()}/${id}`, window);
      byModel.set(id, window);
    }
  }
  const ofAgent = new Map<string, string>();
  const listed = Array.isArray(list)
    ? list.map((agent) => [asObject(agent).id, agent] as const)
    : Object.entries(asObject(entries));
  for (const [id, agent] of listed) {
    const primary = readPrimary(asObject(agent).model);
    if (typeof id === 'string' && primary !== undefined) ofAgent.set(id.toLowerCase(), primary);
  }
  const primary = readPrimary(asObject(defaults).model);
  const { mainKey, scope, identityLinks } = asObject(session);
  return {
    defaultOf: (agentId, fallback) => {
      const name = ofAgent.get(agentId ?? '') ?? primary;
      return name === undefined ? (ownDefault ?? fallback) : parseModelRef(name, fallback.provider);
    },
    contextTokens: asCount(asObject(defaults).contextTokens),
    windowOf: ({ provider, model }) => windows.get(`${provider.toLowerCase()}/${model}`),
    windowOfModel: (model) => byModel.get(model),
    hasOwnAddress: (provider) => ownAddresses.has(provider.toLowerCase()),
    mainKey: typeof mainKey === 'string' ? mainKey : undefined,
    isGlobal: scope === 'global',
    identityLinks: asObject(identityLinks) as Record<string, string[]>,
  };
}

/** `provider/model`, or a model of the provider given. */
export function parseModelRef(text: string, provider: string): ModelRef {
  const name = text.trim();
  const slash = name.indexOf('/');
  if (slash <= 0 || slash === name.length - 1) return { provider, model: name };
  return { provider: name.slice(0, slash).trim(), model: name.slice(slash + 1).trim() };
}

function readPrimary(model: unknown): string | undefined {
  const primary = typeof model === 'string' ? model : asObject(model).primary;
  return typeof primary === 'string' && primary.trim() !== '' ? primary.trim() : undefined;
}

function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

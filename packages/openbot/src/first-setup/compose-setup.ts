/** What `openbot init` writes, from what a person chose. */
import { OpenBotError } from '@openbot/sessions';
import type { BotConfig, ProviderSettings } from '../config/bot-config.ts';
import type { ConfigDraft } from '../config-editing/create-config-file.ts';
import { TOKEN_FILE } from '../gateway-process/gateway-files.ts';

/** How the key of a provider is given. */
export type ChosenKey =
  | { readonly kind: 'none' }
  /** A variable of the environment. */
  | { readonly kind: 'variable'; readonly name: string }
  /** A file of the person's own. */
  | { readonly kind: 'file'; readonly path: string }
  /** Typed: it gets a file of its own in the state folder. */
  | { readonly kind: 'typed'; readonly value: string };

export interface ChosenSetup {
  readonly provider: string;
  /** Without the provider. */
  readonly model: string;
  readonly baseUrl?: string;
  /** The kind of API of a server that is not known by its name. */
  readonly api?: string;
  readonly key: ChosenKey;
  readonly name?: string;
  readonly workspace?: string;
}

/** Where a typed key is kept, relative to the state folder. */
export function keyFileOf(provider: string): string {
  return `secrets/${provider.replace(/[^\w.-]+/g, '_')}-key`;
}

export function referenceOf(provider: string, key: ChosenKey): string | undefined {
  switch (key.kind) {
    case 'none':
      return undefined;
    case 'variable':
      return `\${${key.name}}`;
    case 'file':
      return `file:${key.path}`;
    case 'typed':
      return `file:./${keyFileOf(provider)}`;
  }
}

/** Undefined where the provider needs no words: its name says it all. */
export function composeProvider(setup: ChosenSetup): ProviderSettings | undefined {
  const { provider, model, baseUrl, api, key } = setup;
  const apiKey = referenceOf(provider, key);
  const settings = {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(api === undefined ? {} : { api }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(api === undefined ? {} : { models: [{ id: model }] }),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

export function composeSettings(setup: ChosenSetup): BotConfig {
  const { provider, model, name, workspace } = setup;
  const settings = composeProvider(setup);
  return {
    agents: {
      defaults: { model: `${provider}/${model}`, ...(workspace === undefined ? {} : { workspace }) },
      ...(name === undefined ? {} : { list: [{ id: 'main', name, default: true }] }),
    },
    ...(settings === undefined ? {} : { models: { providers: { [provider]: settings } } }),
  };
}

export function composeDraft(setup: ChosenSetup): ConfigDraft {
  const config = composeSettings(setup);
  return {
    head: [
      'The configuration of openbot. It is JSON5: comments and trailing commas are allowed.',
      'All settings: docs/config.md. To check the file: openbot config validate',
    ],
    config: { ...config, gateway: { auth: { token: `file:./${TOKEN_FILE}` } } },
    about: {
      agents: [
        'defaults holds for all agents; entries of list have an id, and win over it.',
        'Another agent: openbot agents add <id>. A model that takes over where this one fails:',
        "model: { primary: 'provider/model', fallbacks: ['provider/model'] }",
      ],
      models: [
        `Secrets are not written here: '\${NAME}' is a variable of the environment, 'file:./name' a file.`,
      ],
      gateway: [
        'The process in the background: openbot gateway start. Clients such as openclaw tui need the token in this file.',
      ],
    },
    tail: [
      '',
      'Everything else has a default. Some that people set first:',
      "  session: { reset: { mode: 'daily', atHour: 4 } }   when a conversation begins anew",
      "  tools: { exec: { security: 'allowlist', allowlist: ['git status'] } }   commands of the agent",
    ],
  };
}

/** `provider/model` apart, or a model of a provider that is named. */
export function splitModel(
  provider: string | undefined,
  model: string | undefined,
): Partial<Pick<ChosenSetup, 'provider' | 'model'>> {
  const [, before, after] = /^([^/]+)\/(.+)$/.exec(model ?? '') ?? [];
  if (provider === undefined)
    return before === undefined ? { model } : { provider: before.toLowerCase(), model: after };
  const name = provider.trim().toLowerCase();
  if (!/^[a-z0-9][\w.-]*$/.test(name)) {
    throw new OpenBotError('USAGE', `'${provider}' is not the name of a provider`, {
      hint: 'Such as claude, anthropic, openai, local or script',
    });
  }
  return { provider: name, model: before?.toLowerCase() === name ? after : model };
}

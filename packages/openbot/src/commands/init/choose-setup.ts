/** What is set up: by flags alone, or by a person who is asked for the rest. */
import { existsSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { resolveUserPath } from '@openbot/sessions/layout';
import { findNearest, oneLine, roundCount } from '@openbot/sessions/terminal-text';
import { type ChosenKey, type ChosenSetup, splitModel } from '../../first-setup/compose-setup.ts';
import { loadRunner } from '../../runners/all.ts';
import type { ModelFacts, Runner } from '../../runners/contract.ts';
import { askHidden, askLine, type Choice, choose } from '../ask-person.ts';
import type { INIT_FLAGS } from './flags.ts';

type Input = CommandInput<typeof INIT_FLAGS>;

const OLLAMA = 'http://127.0.0.1:11434/v1';
/** A server of the person's own gets this name. */
const LOCAL = 'local';
const OPENAI_KIND = 'openai-completions';
const USUAL_MODELS: Readonly<Record<string, string>> = { claude: 'sonnet', script: 'echo' };

/** From the flags. Throws USAGE with the name of a flag that is missing. */
export async function readSetup(input: Input, stateDir: string): Promise<ChosenSetup> {
  const { flags, env } = input;
  const { provider = flags.baseUrl === undefined ? undefined : LOCAL, model: named } = splitModel(
    flags.provider,
    flags.model,
  );
  if (provider === undefined) {
    throw missing(
      '--provider',
      'claude, anthropic, openai, …, local with --base-url, or script, which works offline',
    );
  }
  const runner = await loadRunner(provider, { stateDir, config: {}, env });
  if (flags.baseUrl === undefined) refuseUnknown(provider, runner);
  const model = named ?? USUAL_MODELS[provider];
  if (model === undefined)
    throw missing(
      '--model',
      `the name of a model of ${provider}; openbot models list --all --provider ${provider}`,
    );
  const key = readKey(input);
  const baseUrl = readBaseUrl(flags.baseUrl);
  const facts = await inspect(runner, provider, model);
  const rest = { key, name: readName(flags.name), workspace: readWorkspace(input) };
  if (facts === undefined && baseUrl !== undefined)
    return { provider, model, baseUrl, api: OPENAI_KIND, ...rest };
  if (facts === undefined) {
    throw new OpenBotError('USAGE', `There is no model ${provider}/${model}`, {
      hint: `openbot models list --all --provider ${provider} lists those of a provider. A server of your own needs --base-url`,
    });
  }
  refuseKey(provider, key, facts);
  if (facts.credential === 'missing' && key.kind === 'none' && !flags.noTest) {
    throw new OpenBotError('USAGE', `There is no key for ${provider}`, {
      hint: `${facts.takesKey ? 'Name the variable or the file that has it: --key-env <variable> or --key-file <path>. ' : ''}${facts.credentialHint ?? ''}`,
    });
  }
  return { provider, model, baseUrl, ...rest };
}

/** Nothing is refused where the runner cannot say what it knows. */
function refuseUnknown(provider: string, runner: Runner | undefined): void {
  const listed = runner?.listModels?.() ?? [];
  const names = [
    ...new Set([...listed.map((one) => one.provider), ...Object.keys(USUAL_MODELS), 'claude-cli']),
  ];
  if (listed.length === 0 || names.includes(provider)) return;
  const nearest = findNearest(provider, names);
  throw new OpenBotError('USAGE', `There is no provider ${provider}`, {
    hint: `${nearest === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${nearest}?`} A server of your own needs --base-url`,
  });
}

/** Asks for what the flags do not say. Throws CANCELLED. */
export async function askSetup(input: Input, stateDir: string): Promise<ChosenSetup> {
  const { flags } = input;
  const model = await askModel(input, stateDir);
  const name = readName(flags.name) ?? readName(await askLine('Name of the agent', 'Ada'));
  const workspace =
    readWorkspace(input) ??
    readWorkspace(input, await askLine('Folder of the agent', `${stateDir}/workspace`));
  return { ...model, name, workspace: workspace === `${stateDir}/workspace` ? undefined : workspace };
}

type ChosenModel = Pick<ChosenSetup, 'provider' | 'model' | 'baseUrl' | 'api' | 'key'>;

/** A model and its key. */
export async function askModel(input: Input, stateDir: string): Promise<ChosenModel> {
  const { flags, env, terminal } = input;
  const given = splitModel(flags.provider, flags.model);
  const kind =
    given.provider ?? (flags.baseUrl === undefined ? await choose(terminal, 'Which model?', KINDS) : LOCAL);
  if (kind === LOCAL) return askLocal(input, given.model);
  const runnerOf = (provider: string) => loadRunner(provider, { stateDir, config: {}, env });
  const provider = kind === API ? await askProvider(input, await runnerOf(API)) : kind;
  const runner = await runnerOf(provider);
  const model =
    given.model ??
    USUAL_MODELS[provider] ??
    (await askModelOf(input, runner, provider)) ??
    (await askLine('Model'));
  const baseUrl = readBaseUrl(flags.baseUrl);
  const key = readKey(input);
  const facts = await inspect(runner, provider, model);
  refuseKey(provider, key, facts);
  if (facts?.takesKey && facts.credential === 'missing' && key.kind === 'none') {
    return { provider, model, baseUrl, key: await askKey(provider) };
  }
  if (key.kind === 'none') tellCredential(input, facts);
  return { provider, model, baseUrl, key };
}

/** It would be kept, and never read. */
function refuseKey(provider: string, { kind }: ChosenKey, facts: ModelFacts | undefined): void {
  if (kind === 'none' || facts === undefined || facts.takesKey) return;
  const given = kind === 'file' ? '--key-file' : '--key-env';
  throw new OpenBotError('USAGE', `${provider} does not take its key from ${given}`, {
    hint: facts.credential === 'unneeded' ? 'It needs none' : facts.credentialHint,
  });
}

const API = 'api';
const KINDS: readonly Choice<string>[] = [
  {
    value: 'claude',
    name: 'Claude',
    about: 'by Claude Code: a login with the command claude, or a key of Anthropic',
  },
  { value: API, name: 'A provider', about: 'Anthropic, OpenAI, Google, OpenRouter and others, with a key' },
  { value: LOCAL, name: 'A server of mine', about: 'OpenAI-compatible, such as Ollama' },
  { value: 'script', name: 'None yet', about: 'a script that works offline, to look around' },
];

function tellCredential({ terminal }: Input, facts: ModelFacts | undefined): void {
  const { credential, credentialHint } = facts ?? {};
  if (credential === 'present') terminal.say(`Key: found (${credentialHint})\n`);
  if (credential === 'missing') terminal.say(`Key: none was found. ${credentialHint}\n`);
}

async function askProvider({ terminal }: Input, runner: Runner | undefined): Promise<string> {
  const models = runner?.listModels?.() ?? [];
  const names = [...new Set(models.map(({ provider }) => provider))];
  if (names.length === 0) return (await askLine('Provider', 'anthropic')).toLowerCase();
  const usual = ['anthropic', 'openai', 'google', 'openrouter', 'groq', 'mistral', 'xai', 'deepseek'];
  const sorted = [
    ...usual.filter((name) => names.includes(name)),
    ...names.filter((name) => !usual.includes(name)).sort(),
  ];
  const countOf = (name: string) => models.filter(({ provider }) => provider === name).length;
  return choose(
    terminal,
    'Which provider?',
    sorted.map((name) => ({ value: name, name, about: `${countOf(name)} models` })),
    'provider',
  );
}

async function askModelOf(
  { terminal }: Input,
  runner: Runner | undefined,
  provider: string,
): Promise<string | undefined> {
  const models = (runner?.listModels?.() ?? []).filter((one) => one.provider === provider);
  if (models.length === 0) return undefined;
  const choices = await Promise.all(
    models.toReversed().map(async ({ model }) => {
      const { contextWindow, cost } = (await inspect(runner, provider, model)) ?? {};
      const price = cost === undefined ? [] : [`$${cost.input} in, $${cost.output} out for a million tokens`];
      const window = contextWindow === undefined ? [] : [roundCount(contextWindow)];
      return { value: model, name: model, about: [...window, ...price].join(', ') };
    }),
  );
  return choose(terminal, 'Which model?', choices, 'model');
}

async function askLocal(input: Input, given: string | undefined): Promise<ChosenModel> {
  const baseUrl =
    readBaseUrl(input.flags.baseUrl) ?? readBaseUrl(await askLine('Address of the server', OLLAMA))!;
  const key = readKey(input);
  const names = given === undefined ? await fetchModels(baseUrl) : [];
  const model =
    given ??
    (names.length === 0
      ? await askLine('Name of the model', 'llama3.2')
      : await choose(
          input.terminal,
          'Which model?',
          names.map((name) => ({ value: name, name })),
          'model',
        ));
  return { provider: LOCAL, model, baseUrl, api: OPENAI_KIND, key };
}

/** What the server says that it has; none where it does not answer. */
async function fetchModels(baseUrl: string): Promise<readonly string[]> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      signal: AbortSignal.timeout(3000),
    });
    const { data } = (await response.json()) as { data?: { id?: unknown }[] };
    return (data ?? []).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  } catch {
    return [];
  }
}

export async function askKey(provider: string): Promise<ChosenKey> {
  const value = await askHidden(`Key of ${provider} (it is not shown)`);
  return value === '' ? { kind: 'none' } : { kind: 'typed', value };
}

async function inspect(
  runner: Runner | undefined,
  provider: string,
  model: string,
): Promise<ModelFacts | undefined> {
  if (runner?.describeModel(provider, model) === undefined) return undefined;
  const facts = await runner.inspectModel?.(provider, model).catch(() => undefined);
  return facts ?? { credential: 'unknown' };
}

function readKey({ flags, env }: Input): ChosenKey {
  if (flags.keyEnv !== undefined && flags.keyFile !== undefined) {
    throw new OpenBotError('USAGE', '--key-env and --key-file contradict each other', {
      hint: 'Each of them names the key. Leave one of them out',
    });
  }
  if (flags.keyEnv !== undefined) {
    if (!/^[A-Z_][A-Z0-9_]*$/.test(flags.keyEnv)) {
      // It may be the key itself, so it is not repeated.
      throw new OpenBotError('USAGE', '--key-env takes the name of a variable, not the key', {
        hint: 'Such as --key-env ANTHROPIC_API_KEY',
      });
    }
    if (!env[flags.keyEnv]) {
      throw new OpenBotError('USAGE', `The variable ${flags.keyEnv} of --key-env is not set`, {
        hint: `Set it first: export ${flags.keyEnv}=…`,
      });
    }
    return { kind: 'variable', name: flags.keyEnv };
  }
  if (flags.keyFile === undefined) return { kind: 'none' };
  const path = resolveUserPath(flags.keyFile, env);
  if (existsSync(path)) return { kind: 'file', path };
  throw new OpenBotError('USAGE', `There is no file ${path}, which --key-file names`, {
    hint: 'Put the key into it, in one line, and chmod 600 it',
  });
}

function readBaseUrl(url: string | undefined): string | undefined {
  if (url === undefined || /^https?:\/\/[^\s/]/.test(url)) return url?.trim();
  throw new OpenBotError('USAGE', `'${url}' is not an address`, { hint: `Such as --base-url ${OLLAMA}` });
}

function readName(name: string | undefined): string | undefined {
  return name === undefined || name.trim() === '' ? undefined : oneLine(name.trim());
}

function readWorkspace({ flags, env }: Input, given = flags.workspace): string | undefined {
  return given === undefined ? undefined : resolveUserPath(given, env);
}

function missing(flag: string, what: string): OpenBotError {
  return new OpenBotError('USAGE', `${flag} is missing`, { hint: `${flag} <name>: ${what}` });
}

import { OpenBotError, reportProgress } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { readSmallFile } from '@openbot/sessions/layout';
import { cutEnd, oneLine, printable } from '@openbot/sessions/terminal-text';
import type { ChosenSetup } from '../../first-setup/compose-setup.ts';
import { configToTry } from '../../first-setup/write-setup.ts';
import { type TriedModel, tryModel } from '../../model-catalog/try-model.ts';
import { askLine, choose } from '../ask-person.ts';
import { askKey } from './choose-setup.ts';
import type { INIT_FLAGS } from './flags.ts';

type Input = CommandInput<typeof INIT_FLAGS, readonly [{ readonly name: 'path' }]>;

const GREETING = 'Hello! Who are you, and what can you do for me?';

/** Asks the model once. A person may correct the key; otherwise a model that does not answer ends the command. */
export async function testSetup<S extends ChosenSetup>(
  { env, terminal, flags }: Input,
  chosen: S,
  { stateDir, asks }: { readonly stateDir: string; readonly asks: boolean },
): Promise<{ readonly setup: S; readonly tried: TriedModel | undefined }> {
  for (let setup = chosen; ; ) {
    const name = `${setup.provider}/${setup.model}`;
    reportProgress({ step: 'run', text: `Testing ${name}` });
    const config = fillIn(configToTry(setup), setup, env);
    const tried = await tryModel({ config, stateDir, env }, { name, signal: new AbortController().signal });
    reportProgress({ step: undefined });
    if (tried.isAnswered) {
      const line = `${name} answered in ${(tried.durationMs / 1000).toFixed(1)} s: ${oneLine(tried.text ?? '')}`;
      if (!flags.json) terminal.say(`${cutEnd(line, Math.min(terminal.maxLineWidth, 120))}\n`);
      return { setup, tried };
    }
    const { message, hint } = tried.error ?? {};
    if (!asks) {
      throw new OpenBotError('RUN_FAILED', `${name} did not answer: ${message}`, {
        hint: `${hint ?? 'Check the name of the model, the key and the network.'} Nothing was written; --no-test writes it all the same`,
      });
    }
    terminal.say(`${terminal.palette.red(`${name} did not answer:`)} ${printable(message ?? '')}\n`);
    if (hint !== undefined) terminal.say(`  ${printable(hint)}\n`);
    const next = await choose(terminal, 'What now?', [
      { value: 'key', name: 'Another key' },
      { value: 'again', name: 'Try again' },
      { value: 'keep', name: 'Go on without a test' },
    ] as const);
    if (next === 'keep') return { setup, tried: undefined };
    if (next === 'key') setup = { ...setup, key: await askKey(setup.provider) };
  }
}

/** `${NAME}` and `file:` as the configuration will be read, without a file of it. */
function fillIn(
  config: ReturnType<typeof configToTry>,
  { provider, key }: ChosenSetup,
  env: Input['env'],
): ReturnType<typeof configToTry> {
  const value =
    key.kind === 'variable'
      ? env[key.name]
      : key.kind === 'file'
        ? readSmallFile(key.path).trim()
        : undefined;
  if (value === undefined) return config;
  const own = { ...config.models?.providers?.[provider], apiKey: value };
  return { ...config, models: { providers: { [provider]: own } } };
}

/** The set-up is done by then: leaving the question is no failure. */
export async function sendFirstMessage(
  input: Input,
  { asks, isTested }: { readonly asks: boolean; readonly isTested: boolean },
): Promise<void> {
  const { flags, terminal } = input;
  const message = flags.message ?? (isTested ? await askMessage(asks) : undefined);
  if (message === undefined) {
    terminal.say('To talk to the agent: openbot agent -m "hello"\n');
    return;
  }
  const { agent } = await import('../talk/agent.ts');
  await agent({ ...input, flags: { message, stateDir: flags.stateDir } });
  terminal.say('\nTo go on: openbot agent -m "…"\n');
}

async function askMessage(asks: boolean): Promise<string | undefined> {
  if (!asks) return GREETING;
  try {
    return await askLine('First message', GREETING);
  } catch (error) {
    if (error instanceof OpenBotError && error.code === 'CANCELLED') return undefined;
    throw error;
  }
}

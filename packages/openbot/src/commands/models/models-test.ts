import { OpenBotError, reportProgress, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { cutEnd, oneLine } from '@openbot/sessions/terminal-text';
import { loadBotConfig } from '../../config/load-config.ts';
import { tryModel } from '../../model-catalog/try-model.ts';
import type { MODELS_TEST_FLAGS } from './flags.ts';

type TestInput = CommandInput<typeof MODELS_TEST_FLAGS, readonly [{ readonly name: 'model' }]>;

/** Sends one small request to a model. Throws RUN_FAILED where it does not answer. */
export async function modelsTest({ flags, words, env, terminal }: TestInput): Promise<void> {
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  const { config } = await loadBotConfig(stateDir, env);
  reportProgress({ step: 'run', text: 'Asking the model' });
  const tried = await tryModel(
    { config, stateDir, env },
    {
      name: words[0],
      agentId: flags.agent,
      timeoutMs: flags.timeout === undefined ? undefined : flags.timeout * 1000,
      signal: new AbortController().signal,
    },
  );
  reportProgress({ step: undefined });
  const { name, isAnswered, durationMs, text = '', error } = tried;
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  if (!isAnswered) {
    throw new OpenBotError('RUN_FAILED', `${name} did not answer (${seconds}): ${error?.message}`, {
      hint: error?.hint ?? 'Check models.providers in the configuration, the network and the provider.',
    });
  }
  if (flags.json) writeJson(terminal, tried);
  else {
    const line = `${terminal.palette.green(name)} answered in ${seconds}: ${oneLine(text)}`;
    terminal.say(`${cutEnd(line, terminal.maxLineWidth)}\n`);
  }
}

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, longFlag, writeJson } from '@openbot/sessions/command-line';
import { CONFIG_FILE_NAME, loadBotConfig } from '../../config/load-config.ts';
import { writeSetup } from '../../first-setup/write-setup.ts';
import { canAsk } from '../ask-person.ts';
import { refuseForeign } from '../refuse-foreign.ts';
import { askSetup, readSetup } from './choose-setup.ts';
import type { INIT_FLAGS } from './flags.ts';
import { sendFirstMessage, testSetup } from './try-setup.ts';

type Input = CommandInput<typeof INIT_FLAGS, readonly [{ readonly name: 'path' }]>;

/** Makes the configuration and the workspace of a first agent, tests its model, and sends a first message. */
export async function init(input: Input): Promise<void> {
  const { flags, words, env, terminal } = input;
  const stateDir = resolveStateDir({ flag: flags.stateDir, env });
  refuseStray(input);
  if (flags.fromOpenclaw !== undefined) {
    const { initFromOpenclaw } = await import('./from-openclaw.ts');
    return initFromOpenclaw(input, stateDir);
  }
  if (words[0] !== undefined)
    throw usage(`Unexpected word: '${words[0]}'`, 'A path belongs to --from-openclaw');
  const asks = canAsk(input) && !flags.yes && !flags.json;
  if (isThere(join(stateDir, CONFIG_FILE_NAME))) {
    const { changeSetup } = await import('./change-setup.ts');
    return changeSetup(input, stateDir, asks);
  }
  refuseForeign(await loadBotConfig(stateDir, env));
  const chosen = asks ? await askSetup(input, stateDir) : await readSetup(input, stateDir);
  const { setup, tried } = flags.noTest
    ? { setup: chosen, tried: undefined }
    : await testSetup(input, chosen, { stateDir, asks });
  const written = await writeSetup(setup, { stateDir, env });
  const model = `${setup.provider}/${setup.model}`;
  if (flags.json) return writeJson(terminal, { ...written, model, test: tried });
  const { green } = terminal.palette;
  terminal.say(
    [
      `${green('Made')} ${written.path}`,
      `${green('Made')} ${written.workspace}${written.files.length === 0 ? '' : `: ${written.files.join(', ')}`}`,
      '',
    ].join('\n'),
  );
  await sendFirstMessage(input, { asks, isTested: tried !== undefined });
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Flags that belong to one of the two ways alone. */
function refuseStray({ flags }: Input): void {
  const isImport = flags.fromOpenclaw !== undefined;
  if (!isImport && flags.dryRun)
    throw usage('--dry-run needs --from-openclaw', 'Add it, or leave --dry-run out');
  const own = ['provider', 'model', 'keyEnv', 'keyFile', 'baseUrl', 'name', 'workspace', 'message'] as const;
  const stray = isImport ? own.find((key) => flags[key] !== undefined) : undefined;
  if (stray === undefined) return;
  throw usage(
    `${longFlag(stray)} and --from-openclaw contradict each other`,
    'What OpenClaw has is taken as it is; change it afterwards with openbot config set',
  );
}

function usage(message: string, hint: string): OpenBotError {
  return new OpenBotError('USAGE', message, { hint });
}

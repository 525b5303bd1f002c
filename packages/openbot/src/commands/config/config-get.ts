import { OpenBotError } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { inspectConfigFile } from '../../config/config-file.ts';
import { maskSecrets } from '../../config/mask-secrets.ts';
import { findSchemas, readFacts } from '../../config/schema/look-up.ts';
import { readSetting, type SettingPath, showSettingPath } from '../../config/setting-path.ts';
import type { GET_FLAGS } from './flags.ts';
import { readPlace, readSettingPath } from './place.ts';

/** Prints a setting as the file says it, or all of them. */
export async function configGet(input: CommandInput<typeof GET_FLAGS>): Promise<void> {
  const { flags, env, terminal, words } = input;
  const { path, exists, openclawPath } = readPlace(input);
  const at = words[0] === undefined ? [] : readSettingPath(words[0], 'get agents.defaults.model');
  const file = openclawPath ?? path;
  const isForeign = openclawPath !== undefined;
  const written = exists || isForeign ? inspectConfigFile(file, { env, isForeign }).written : {};
  const value = readSetting(written, at);
  if (value === undefined) throw notSet(at, file);
  const shown = flags.showSecrets ? value : maskSecrets(value, at);
  if (flags.json || (typeof shown === 'object' && shown !== null)) writeJson(terminal, shown);
  else terminal.write(`${String(shown).split('\n').map(printable).join('\n')}\n`);
}

function notSet(at: SettingPath, file: string): OpenBotError {
  const [standard] = findSchemas(at).flatMap((schema) => readFacts(schema).default ?? []);
  return new OpenBotError('SETTING_NOT_SET', `${showSettingPath(at)} is not set in ${file}`, {
    hint:
      standard === undefined
        ? `To set it: openbot config set ${showSettingPath(at)} <value>`
        : `Its default holds: ${JSON.stringify(standard)}`,
  });
}

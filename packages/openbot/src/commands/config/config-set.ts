import { OpenBotError } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { parseJSON5 } from 'confbox/json5';
import { isReference } from '../../config/mask-secrets.ts';
import { accepts, isSecretSetting } from '../../config/schema/look-up.ts';
import { type SettingPath, showSettingPath } from '../../config/setting-path.ts';
import { editConfigFile } from '../../config-editing/edit-config-file.ts';
import type { CONFIG_FLAGS } from './flags.ts';
import { readOwnPath, readSettingPath, writeNotices } from './place.ts';

/** Far more than a configuration has. */
const LARGEST_VALUE = 1024 * 1024;

/** Sets one setting; everything else in the file stays as it is. */
export async function configSet(input: CommandInput<typeof CONFIG_FLAGS>): Promise<void> {
  const { flags, env, terminal, words } = input;
  const path = readOwnPath(input);
  const at = readSettingPath(words[0], 'set agents.defaults.model script/echo');
  const setting = showSettingPath(at);
  const text = await readValue(input, setting);
  const { changed, notices } = await editConfigFile(path, [{ at, value: interpret(text, at) }], { env });
  const isTyped = words[1] !== '-' && isSecretSetting(at) && !isReference(text);
  const all = [
    ...notices,
    ...(isTyped
      ? [
          `The secret is in the history of your shell now. Next time: openbot config set ${setting} - reads it from standard input; '\${NAME}' names a variable, file:./name a file`,
        ]
      : []),
  ];
  if (flags.json) {
    writeJson(terminal, { path, setting, changed, notices: all });
    return;
  }
  terminal.say(
    changed
      ? `${printable(setting)} is set in ${printable(path)}.\n`
      : `${printable(path)} says so already.\n`,
  );
  writeNotices(terminal, all);
}

async function readValue(input: CommandInput<typeof CONFIG_FLAGS>, setting: string): Promise<string> {
  const [, word] = input.words;
  if (word === undefined) {
    throw new OpenBotError('USAGE', `There is no value for ${setting}`, {
      hint: `Example: openbot config set ${setting} <value>, or - to read it from standard input. To remove it: openbot config unset ${setting}`,
    });
  }
  if (word !== '-') return word;
  if (input.isInteractive) input.terminal.warn('Type the value, then press Ctrl-D on an empty line.\n');
  return (await input.readInput(LARGEST_VALUE)).replace(/\r?\n$/, '');
}

/** JSON5 where the setting takes such a value, otherwise the text itself: `42` is a number for a limit and a text for a name. */
function interpret(text: string, at: SettingPath): unknown {
  // A token may consist of digits.
  if (isSecretSetting(at)) return text;
  let value: unknown = text;
  try {
    value = parseJSON5(text);
  } catch {
    return text;
  }
  return !accepts(at, value) && accepts(at, text) ? text : value;
}

import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { parseSettingPath, showSettingPath } from '../../config/setting-path.ts';
import { editConfigFile } from '../../config-editing/edit-config-file.ts';
import type { CONFIG_FLAGS } from './flags.ts';
import { readOwnPath, readSettingPath, writeNotices } from './place.ts';

/** Removes one setting; everything else in the file stays as it is. */
export async function configUnset(input: CommandInput<typeof CONFIG_FLAGS>): Promise<void> {
  const { flags, env, terminal, words } = input;
  const path = readOwnPath(input);
  const [word] = words;
  // What is not known here is what one wants to remove.
  const at = word?.trim()
    ? parseSettingPath(word.trim())
    : readSettingPath(word, 'unset agents.defaults.model');
  const setting = showSettingPath(at);
  const { changed, notices } = await editConfigFile(path, [{ at }], { env });
  if (flags.json) {
    writeJson(terminal, { path, setting, changed, notices });
    return;
  }
  const done = changed ? `${setting} is removed from ${path}.` : `${setting} is not set in ${path}.`;
  terminal.say(`${printable(done)}\n`);
  writeNotices(terminal, notices);
}

import { OpenBotError } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { type InspectedFile, inspectConfigFile } from '../../config/config-file.ts';
import { showSettingPath } from '../../config/setting-path.ts';
import { openLocator } from '../../config-editing/locate-setting.ts';
import type { CONFIG_FLAGS } from './flags.ts';
import { readPlace, writeNotices } from './place.ts';

/** Says all faults of the configuration, with their places. Throws CONFIG_INVALID. */
export async function configValidate(input: CommandInput<typeof CONFIG_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const { path: own, exists: isOwn, openclawPath } = readPlace(input);
  const path = openclawPath ?? own;
  const exists = isOwn || openclawPath !== undefined;
  const file = exists ? inspectConfigFile(path, { env, isForeign: !isOwn }) : undefined;
  if (file !== undefined && file.faults.length > 0) throw listFaults(file);
  const notices = file?.notices ?? [];
  if (flags.json) {
    writeJson(terminal, { path, exists, valid: true, notices });
    return;
  }
  terminal.write(
    exists ? `${printable(path)} is valid.\n` : `There is no ${printable(path)}: the defaults hold.\n`,
  );
  writeNotices(terminal, notices);
}

/** One line for each, in the order of the files: `openbot.json:3:5: session.scope must …`. */
function listFaults({ faults, files }: InspectedFile): OpenBotError {
  const locate = openLocator(files);
  const lines = faults
    .map(({ at, says }) => ({ says: `${showSettingPath(at)} ${says}`, ...(locate(at) ?? NOWHERE) }))
    .sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column)
    .map(({ file, line, column, says }) => (line === 0 ? says : `${file}:${line}:${column}: ${says}`));
  const hints = faults.flatMap(({ hint }) => hint ?? []);
  return new OpenBotError('CONFIG_INVALID', lines.join('\n'), {
    hint: hints[0] ?? 'Correct the value, or leave the setting out',
  });
}

/** The file changed since it was read. */
const NOWHERE = { file: '', line: 0, column: 0 };

import { OpenBotError } from '@openbot/sessions';
import { type CommandInput, FaultsFound, writeJson } from '@openbot/sessions/command-line';
import type { Environment } from '@openbot/sessions/layout';
import { printable } from '@openbot/sessions/terminal-text';
import { type InspectedFile, inspectConfigFile } from '../../config/config-file.ts';
import { showSettingPath } from '../../config/setting-path.ts';
import { openLocator } from '../../config-editing/locate-setting.ts';
import type { CONFIG_FLAGS } from './flags.ts';
import { readPlace, writeNotices } from './place.ts';

/** Says all faults of the configuration, with their places. Throws FaultsFound where there are some. */
export async function configValidate(input: CommandInput<typeof CONFIG_FLAGS>): Promise<void> {
  const { flags, env, terminal } = input;
  const { path: own, exists: isOwn, openclawPath } = readPlace(input);
  const path = openclawPath ?? own;
  const exists = isOwn || openclawPath !== undefined;
  const { faults, notices } = exists ? inspect(path, { env, isForeign: !isOwn }) : NOTHING;
  const valid = faults.length === 0;
  if (flags.json) writeJson(terminal, { path, exists, valid, faults, notices });
  else {
    terminal.say(
      !exists
        ? `There is no ${printable(path)}: the defaults hold.\n`
        : valid
          ? `${printable(path)} is valid.\n`
          : describeFaults(faults),
    );
    writeNotices(terminal, notices);
  }
  if (!valid) throw new FaultsFound();
}

interface PlacedFault {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly setting?: string;
  readonly message: string;
  readonly hint?: string;
}

const NOTHING = { faults: [], notices: [] };

function inspect(path: string, options: { readonly env: Environment; readonly isForeign: boolean }) {
  try {
    const file = inspectConfigFile(path, options);
    return { faults: placeFaults(file), notices: file.notices };
  } catch (error) {
    // It cannot be parsed, so that nothing in it has a place.
    if (!(error instanceof OpenBotError) || error.code !== 'CONFIG_INVALID') throw error;
    const { message, hint } = error;
    return { faults: [{ message, hint }], notices: [] };
  }
}

/** In the order of the files. */
function placeFaults({ faults, files }: InspectedFile): PlacedFault[] {
  const locate = openLocator(files);
  return faults
    .map(({ at, says, hint }) => ({ setting: showSettingPath(at), message: says, hint, ...locate(at) }))
    .sort(
      (a, b) =>
        files.indexOf(a.file ?? '') - files.indexOf(b.file ?? '') ||
        (a.line ?? 0) - (b.line ?? 0) ||
        (a.column ?? 0) - (b.column ?? 0),
    );
}

/** One line for each: `openbot.json:3:5: session.scope must …`. */
function describeFaults(faults: readonly PlacedFault[]): string {
  const lines = faults.map(({ file, line, column, setting, message }) => {
    const place = file === undefined ? '' : `${file}:${line}:${column}: `;
    return `${place}${setting === undefined ? '' : `${setting} `}${message}`;
  });
  const hint = faults.find((fault) => fault.hint !== undefined)?.hint ?? USUAL_HINT;
  return [...lines, `  ${hint}`].map((line) => `${printable(line)}\n`).join('');
}

const USUAL_HINT = 'Correct the value, or leave the setting out';

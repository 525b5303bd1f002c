/** The file that the commands work on, and settings of it by their paths. */
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import type { CommandInput, Terminal } from '@openbot/sessions/command-line';
import { findNearest, printable } from '@openbot/sessions/terminal-text';
import { isKept } from '../../config/kept-settings.ts';
import { CONFIG_FILE_NAME, findConfigFile } from '../../config/load-config.ts';
import { findSchemas, listNames } from '../../config/schema/look-up.ts';
import { parseSettingPath, type SettingPath, showSettingPath } from '../../config/setting-path.ts';
import type { PLACE_FLAGS } from './flags.ts';

type PlacedInput = Pick<CommandInput<typeof PLACE_FLAGS>, 'flags' | 'env'>;

export function readPlace({ flags, env }: PlacedInput): ReturnType<typeof findConfigFile> {
  return findConfigFile(resolveStateDir({ flag: flags.stateDir, env }));
}

/** Throws USAGE where OpenClaw's file is used: a file of its own would take the place of all that it says. */
export function readOwnPath(input: PlacedInput): string {
  const { path, openclawPath } = readPlace(input);
  if (openclawPath === undefined) return path;
  throw new OpenBotError(
    'USAGE',
    `There is no ${CONFIG_FILE_NAME} yet, and ${openclawPath} is used in its place`,
    {
      hint: `To take its settings over: openbot init --from-openclaw. To begin with none: put {} into ${path}`,
    },
  );
}

/** Throws USAGE for a path that leads to no setting. */
export function readSettingPath(word: string | undefined, command: string): SettingPath {
  if (word === undefined || word.trim() === '') {
    throw new OpenBotError('USAGE', 'There is no setting', {
      hint: `Example: openbot config ${command}. openbot config schema lists all settings`,
    });
  }
  const path = parseSettingPath(word.trim());
  const known = path.findIndex((_, index) => !isKnown(path.slice(0, index + 1)));
  if (known < 0) return path;
  const parent = path.slice(0, known);
  const names = listNames(parent);
  const nearest = findNearest(String(path[known]), names);
  const others =
    nearest === undefined
      ? names.length === 0
        ? `${showSettingPath(parent)} has no settings below it`
        : `${parent.length === 0 ? 'There are' : `${showSettingPath(parent)} has`} ${names.join(', ')}`
      : `Did you mean ${showSettingPath([...parent, nearest])}?`;
  throw new OpenBotError('USAGE', `${showSettingPath(path.slice(0, known + 1))} is not a setting`, {
    hint: others,
  });
}

/** Also the path to what may stay without an effect. */
function isKnown(path: SettingPath): boolean {
  return findSchemas(path).length > 0 || isKept(path);
}

export function writeNotices({ warn, errorPalette }: Terminal, notices: readonly string[]): void {
  for (const notice of notices) warn(`${errorPalette.yellow('Note:')} ${printable(notice)}\n`);
}

import { resolveStateDir } from '@openbot/sessions';
import type { CommandInput } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { findConfigFile } from '../../config/load-config.ts';
import type { PLACE_FLAGS } from './flags.ts';

/** Prints where the configuration is, or would be. */
export async function configPath({ flags, env, terminal }: CommandInput<typeof PLACE_FLAGS>): Promise<void> {
  const { path, exists, openclawPath } = findConfigFile(resolveStateDir({ flag: flags.stateDir, env }));
  terminal.write(`${printable(path)}\n`);
  if (exists) return;
  const used =
    openclawPath === undefined ? 'the defaults hold' : `${printable(openclawPath)} is used in its place`;
  terminal.warn(`${terminal.errorPalette.dim(`It does not exist yet: ${used}.`)}\n`);
}

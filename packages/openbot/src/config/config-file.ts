import { OpenBotError } from '@openbot/sessions';
import { type Environment, readDataFile } from '@openbot/sessions/layout';
import type { BotConfig } from './bot-config.ts';
import { type CheckedConfig, type ConfigFault, checkConfig } from './check-config.ts';
import { parseJson5 } from './parse-json5.ts';
import { showSettingPath } from './setting-path.ts';

interface ReadOptions {
  readonly env: Environment;
  readonly isForeign?: boolean;
  readonly toleratesMissingSecrets?: boolean;
  /** What the file is to say, where that is not on disk yet. */
  readonly text?: string;
  /** Called with each file before it is read: the configuration, what it includes, and files of secrets. */
  readonly onFile?: (path: string) => void;
}

export interface InspectedFile extends CheckedConfig {
  /** As it is written, with what it includes. */
  readonly written: unknown;
  /** The file and all that it includes. */
  readonly files: readonly string[];
}

/** Its content, checked and with its variables and files filled in. Throws CONFIG_INVALID with all faults. */
export function readConfigFile(
  path: string,
  options: ReadOptions,
): { readonly config: BotConfig; readonly files: readonly string[]; readonly notices: readonly string[] } {
  const { config, faults, files, notices } = inspectConfigFile(path, options);
  if (faults.length > 0) throw invalidConfig(path, faults, options);
  return { config, files, notices };
}

/** The same with its faults. Throws CONFIG_INVALID for a file that cannot be parsed. */
export function inspectConfigFile(path: string, options: ReadOptions): InspectedFile {
  const file = readDataFile(path, {
    parseJson5,
    fail: unreadable,
    text: options.text,
    onFile: options.onFile,
  });
  if (file === undefined) throw unreadable(path, 'it is a link to a file that does not exist');
  return { ...checkConfig(file.value, { ...options, path }), written: file.value, files: file.files };
}

export function invalidConfig(
  path: string,
  faults: readonly ConfigFault[],
  { isForeign = false }: { readonly isForeign?: boolean } = {},
): OpenBotError {
  const lines = faults.map(({ at, says }) => `${path}: ${showSettingPath(at)} ${says}`);
  const hint =
    faults.find((fault) => fault.hint !== undefined)?.hint ?? 'Correct the value, or leave the setting out';
  return new OpenBotError('CONFIG_INVALID', lines.join('\n'), {
    hint: isForeign
      ? 'This is the file of OpenClaw, which is read because there is no openbot.json. To have settings of its own: openbot init --from-openclaw'
      : hint,
  });
}

function unreadable(path: string, why: string, cause?: unknown): OpenBotError {
  return new OpenBotError('CONFIG_INVALID', `Cannot read ${path}: ${why}`, {
    hint: 'Correct the file, or move it away: without it the defaults hold',
    cause,
  });
}

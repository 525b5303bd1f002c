import type { CustomPresets } from '../clean/presets.ts';

export type OutputFormat = 'human' | 'json';

/** The content of a configuration file. */
export interface UserConfiguration {
  /** The OpenClaw state folder. */
  readonly stateDirectory?: string;
  readonly defaultAgentId?: string;
  /** For a bare `--strip-tools`, and under `--keep` and `--truncate`. */
  readonly defaultPreset?: string;
  /** By name. A built-in preset of the same name is replaced. */
  readonly customPresets?: CustomPresets;
  readonly outputFormat?: OutputFormat;
  readonly verboseOutput?: boolean;
  /** Keeps the first state of a session, compressed, when its backup is rotated out. True. */
  readonly keepOriginal?: boolean;
}
